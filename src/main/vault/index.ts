export { createResultChecker } from './check-results.ts'
export type { Restored } from './restore-original.ts'
export { isVaultOutput, openVault, type Vault, type VaultOptions } from './vault.ts'
