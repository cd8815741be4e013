export {
  createBuiltInService,
  type BuiltInService,
  type BuiltInServiceDeps,
  type BuiltInState,
} from './built-in-service.ts'
export type { KeyChoice } from './external-service.ts'
export { createConnection, type BuiltInEnd, type Connection, type ConnectionDeps } from './connection.ts'
export { discover } from './probe.ts'
export {
  createKeychain,
  withGivenKeys,
  type GivenKeys,
  type Kept,
  type KeyStore,
  type Keytar,
} from './keychain.ts'
export { wasServiceLeft } from './service-link.ts'
export { spawnService, type SpawnService } from './service-run.ts'
