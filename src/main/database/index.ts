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
export {
  isDamage,
  isDiskFull,
  isMissingTable,
  isSearchDamage,
  type WriteTrouble,
  writeTroubleOf,
} from './errors.ts'
export { type OwnerLock, reserveOwnership, takeOwnership } from './owner-lock.ts'
export { createFlushLater, type FlushLater, type OpenWal } from './flush-later.ts'
export {
  asText,
  changing,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  part,
  preparing,
  real,
  type RowOf,
  rowsOf,
  serial,
  table,
  text,
  textAs,
  tolerant,
} from './table.ts'
