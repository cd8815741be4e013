import { DatabaseSync, StatementSync } from 'node:sqlite'
import { processNow } from './model-process.ts'

/** Controls the running process's writes, to simulate a full disk or a kill. */
export type DiskControl = {
  full: boolean
  /** SQLite error code of writes while the disk is full; absent: SQLITE_FULL. */
  errcode?: number
  /** Number of writes that still succeed before the process dies; null: it never dies. */
  writesToLive: number | null
  /** Called instead of the first write after `writesToLive` has run out. */
  onDeath: () => void
}

class ProcessDied extends Error {}

/**
 * Makes SQLite writes fail on request. An interrupted transaction is rolled back when its connection is closed, as if its process
 * had been killed.
 * @returns functions that close the connections of one dead process or of all, and that restore normal writes
 */
export function controlDisk(control: DiskControl): { closeAll(of?: object): void; release(): void } {
  const connections = new Map<DatabaseSync, object | undefined>()
  const note = (connection: DatabaseSync) => {
    if (!connections.has(connection)) connections.set(connection, processNow())
  }
  const prepare = Reflect.get(DatabaseSync.prototype, 'prepare')
  const exec = Reflect.get(DatabaseSync.prototype, 'exec')
  const run = Reflect.get(StatementSync.prototype, 'run')

  DatabaseSync.prototype.prepare = function counted(sql, ...rest) {
    note(this)
    return Reflect.apply(prepare, this, [sql, ...rest])
  }
  DatabaseSync.prototype.exec = function noted(sql) {
    note(this)
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
      throw Object.assign(new Error('nothing can be written'), {
        code: 'ERR_SQLITE_ERROR',
        errcode: control.errcode ?? 13,
      })
    return Reflect.apply(run, this, values)
  }

  return {
    closeAll(of) {
      for (const [connection, owner] of connections) {
        if (of !== undefined && owner !== of) continue
        if (connection.isOpen) connection.close()
        connections.delete(connection)
      }
    },
    release() {
      DatabaseSync.prototype.prepare = prepare
      DatabaseSync.prototype.exec = exec
      StatementSync.prototype.run = run
    },
  }
}
