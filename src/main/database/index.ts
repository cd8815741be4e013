export {
  type Database,
  type FileIdentity,
  inTransaction,
  isInPlace,
  NewerDatabase,
  openDatabase,
  reportWrite,
  type WriteListener,
  writeNothing,
} from './database.ts'
export { isDiskFull, isMissingTable, isSearchDamage, type WriteTrouble, writeTroubleOf } from './errors.ts'
export { type OwnerLock, reserveOwnership, takeOwnership } from './owner-lock.ts'
export { openGuardedFile } from './guarded-file.ts'
export { createFlushLater, type FlushLater, type OpenWal } from './flush-later.ts'
export {
  asText,
  bytes,
  changing,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  type Part,
  part,
  preparing,
  real,
  type RowOf,
  rowsOf,
  selecting,
  serial,
  table,
  text,
  textAs,
  tolerant,
} from './table.ts'
