export {
  type Database,
  type FileIdentity,
  inTransaction,
  isDamage,
  isDiskFull,
  isInPlace,
  isLocked,
  isOfNewerVersion,
  isSearchDamage,
  type Migration,
  openDatabase,
  reportWrite,
  type WriteListener,
  writeNothing,
  type WriteTrouble,
  writeTroubleOf,
} from './database.ts'
export { createFlushLater, type FlushLater, type OpenWal } from './flush-later.ts'
