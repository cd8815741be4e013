export { createHookRunner, usesAfter, type AfterJob, type HookRunner, type HookTarget } from './hooks.ts'
export { createReceiverAddresses, secretsIn, type ReceiverAddresses } from './receiver-addresses.ts'
export { createSigningKey, type SigningKey } from './signing-key.ts'
