/**
 * Measures the finished jobs of a history and hashes the contents for its ledger, in a separate process that kills itself with
 * SIGKILL before the given write. It prints the number of writes.
 *
 * Arguments: the history's file, number of the write at which to die (0: never).
 */
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { stepsUntil } from '../doomed.ts'
import { createEvents, type CoreEvents } from '../../src/main/core/events.ts'
import { createFileAccess } from '../../src/main/core/file-access.ts'
import { measureResults } from '../../src/main/core/measure-results.ts'
import { openHistory } from '../../src/main/history/index.ts'
import { hashRow } from '../../src/main/ledger/index.ts'
import { systemTiming } from '../../src/node/timing.ts'

const [file = '', dieAt] = process.argv.slice(2)

const writes = stepsUntil(dieAt)

/** Counts the calls as writes, before they happen. A commit is a call of `exec`. */
function doom(prototype: object, method: 'run' | 'exec'): void {
  const call = Reflect.get(prototype, method)
  Reflect.set(prototype, method, function doomed(this: unknown, ...args: unknown[]) {
    writes.step()
    return call.apply(this, args)
  })
}

const log = (message: string, details?: unknown) => process.stderr.write(`${message} ${String(details)}\n`)
const history = openHistory({ file, clock: Date.now, log })
doom(StatementSync.prototype, 'run')
doom(DatabaseSync.prototype, 'exec')

await measureResults({
  events: createEvents<CoreEvents>(log),
  history,
  aliases: { sweepThen: (work) => work() },
  access: createFileAccess({ find: () => undefined }),
  vault: { contentsOf: () => new Map() },
  timing: systemTiming,
  log,
}).now()
const { ledger } = history
for (let row = ledger.nextPending(0); row !== undefined; row = ledger.nextPending(row.id))
  await hashRow(row, { ledger, clock: Date.now })
process.stdout.write(String(writes.steps()))
history.close()
