export {
  type Database,
  type FileIdentity,
  inTransaction,
  isDamage,
  isDiskFull,
  isInPlace,
  isLocked,
  isMissingTable,
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
export { type OwnerLock, takeOwnership } from './owner-lock.ts'
export { createFlushLater, type FlushLater, type OpenWal } from './flush-later.ts'
