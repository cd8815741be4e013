export { inTransaction, NewerDatabase, reportWrite, type WriteListener } from './database.ts'
export { isDiskFull, isSearchDamage, type WriteTrouble, writeTroubleOf } from './errors.ts'
export { type OwnerLock, reserveOwnership, takeOwnership } from './owner-lock.ts'
export { type DatabaseFile, type DatabaseFileOptions, openDatabaseFile } from './database-file.ts'
export { openGuardedFile } from './guarded-file.ts'
export type { OpenWal } from './flush-later.ts'
export {
  asText,
  bytes,
  changing,
  type Column,
  flag,
  integer,
  json,
  nullable,
  oneOf,
  type Fragment,
  fragment,
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
