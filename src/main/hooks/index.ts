export { createHookRunner, type HookRunner } from './hooks.ts'
export { createSigningKey, type SigningKey } from './signing-key.ts'
