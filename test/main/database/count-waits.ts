import { DatabaseSync, StatementSync } from 'node:sqlite'

/**
 * Counts commits that block the event loop until they are on disk, for statements prepared after this call.
 * @returns the count so far, and a function that stops counting
 */
export function countWaits(): { readonly waits: () => number; readonly release: () => void } {
  const prepare = Reflect.get(DatabaseSync.prototype, 'prepare')
  const exec = Reflect.get(DatabaseSync.prototype, 'exec')
  const run = Reflect.get(StatementSync.prototype, 'run')
  const connections = new WeakMap<StatementSync, DatabaseSync>()
  let waits = 0

  const waitsForDisk = (connection: DatabaseSync): boolean =>
    Reflect.apply(prepare, connection, ['PRAGMA synchronous']).get()?.['synchronous'] === 2

  DatabaseSync.prototype.prepare = function noted(...args) {
    const statement = Reflect.apply(prepare, this, args)
    connections.set(statement, this)
    return statement
  }
  DatabaseSync.prototype.exec = function counted(sql) {
    if (sql === 'COMMIT' && waitsForDisk(this)) waits += 1
    return Reflect.apply(exec, this, [sql])
  }
  StatementSync.prototype.run = function counted(...values: unknown[]) {
    const connection = connections.get(this)
    if (connection !== undefined && !connection.isTransaction && waitsForDisk(connection)) waits += 1
    return Reflect.apply(run, this, values)
  }

  return {
    waits: () => waits,
    release() {
      DatabaseSync.prototype.prepare = prepare
      DatabaseSync.prototype.exec = exec
      StatementSync.prototype.run = run
    },
  }
}
