export { openDatabase, type Database, type DatabaseOptions, type Migration } from './open-database.ts'
export { isDamage, isDiskFull, isSearchDamage } from './sqlite-errors.ts'
export { inTransaction } from './transaction.ts'
