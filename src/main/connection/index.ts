export {
  createBuiltInService,
  type BuiltInService,
  type BuiltInServiceDeps,
  type BuiltInState,
} from './built-in-service.ts'
export { createConnection, type Connection, type ConnectionDeps } from './connection.ts'
export { createKeychain, type Keytar } from './keychain.ts'
export { createSessionKeyStore, type KeychainTrouble, type KeyStore, type Kept } from './key-store.ts'
export { look } from './discover.ts'
export { spawnService, type ServiceProcess, type SpawnService } from './service-process.ts'
