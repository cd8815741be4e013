export { createResultChecker } from './check-results.ts'
export { namesPath } from './find-originals.ts'
export { isVaultOutput, openVault, type Vault, type VaultOptions } from './vault.ts'
export { fullDiskOf } from './vault-parts.ts'
