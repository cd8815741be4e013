export {
  type Database,
  type FileIdentity,
  inTransaction,
  isDamage,
  isDiskFull,
  isInPlace,
  isSearchDamage,
  type Migration,
  openDatabase,
  toldOf,
  type WriteListener,
} from './database.ts'
export { createFlushLater, type FlushLater, type OpenWal } from './flush-later.ts'
