export { createHookRunner, type HookRunner } from './hooks.ts'
export { createSigningKey, SIGNING_ACCOUNT, type SigningKey } from './signing-key.ts'
