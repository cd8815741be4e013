export {
  createBuiltInService,
  type BuiltInService,
  type BuiltInServiceDeps,
  type BuiltInState,
} from './built-in-service.ts'
export { createConnection, type Connection, type ConnectionDeps } from './connection.ts'
export { discover } from './probe.ts'
export {
  createKeychain,
  createSessionKeyStore,
  withGivenKeys,
  type GivenKeys,
  type KeychainTrouble,
  type Kept,
  type KeyStore,
  type Keytar,
} from './keychain.ts'
export { spawnService, type ServiceProcess, type SpawnService } from './service-run.ts'
