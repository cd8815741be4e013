import { DatabaseSync, StatementSync } from 'node:sqlite'

/** What happens to the writes of the process that runs, in place of the disk and of whoever kills it. */
export type DiskControl = {
  full: boolean
  /** Dies before the write that comes when this many have been made; null: lives on. */
  writesToLive: number | null
  /** Called in place of the write that is not made any more. */
  onDeath: () => void
}

class ProcessDied extends Error {}

/**
 * Lets every write of SQLite fail as it is told to. A transaction that is cut off is rolled back when its connection is
 * closed, as it would be when its process is killed.
 *
 * @returns what closes the connections of a dead process, and what undoes all of this
 */
export function takeOverDisk(control: DiskControl): { closeAll(): void; release(): void } {
  const connections = new Set<DatabaseSync>()
  const prepare = Reflect.get(DatabaseSync.prototype, 'prepare')
  const exec = Reflect.get(DatabaseSync.prototype, 'exec')
  const run = Reflect.get(StatementSync.prototype, 'run')

  DatabaseSync.prototype.prepare = function counted(sql, ...rest) {
    connections.add(this)
    return Reflect.apply(prepare, this, [sql, ...rest])
  }
  DatabaseSync.prototype.exec = function noted(sql) {
    connections.add(this)
    return Reflect.apply(exec, this, [sql])
  }
  StatementSync.prototype.run = function guarded(...values: unknown[]) {
    if (control.writesToLive !== null) {
      control.writesToLive -= 1
      if (control.writesToLive < 0) {
        control.writesToLive = null
        control.onDeath()
        throw new ProcessDied('killed')
      }
    }
    if (control.full)
      throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
    return Reflect.apply(run, this, values)
  }

  return {
    closeAll() {
      for (const connection of connections) if (connection.isOpen) connection.close()
      connections.clear()
    },
    release() {
      DatabaseSync.prototype.prepare = prepare
      DatabaseSync.prototype.exec = exec
      StatementSync.prototype.run = run
    },
  }
}
