/**
 * The app's durable part in a process of its own, which ends itself with SIGKILL when it has taken a given number of
 * steps, or is killed from outside. It says on its first output what it has been able to put into the outbox.
 *
 * Arguments: folder, base URL, number of the step at which to die (0: never), names to submit.
 */
import { writeSync } from 'node:fs'
import { startCompanion, until } from './companion.ts'

const [folder = '', baseUrl = '', dieAt = '0', ...names] = process.argv.slice(2)

let steps = 0
let submitted = 0
const companion = startCompanion({
  baseUrl,
  folder,
  newId: () => `${process.pid}-${(submitted += 1)}`,
  onStep() {
    steps += 1
    if (steps === Number(dieAt)) process.kill(process.pid, 'SIGKILL')
  },
})
for (const name of names) {
  companion.submit(name)
  writeSync(1, `${name}\n`)
}
await until('all is settled', () => !companion.sender.busy() && companion.outbox.accepted().length === 0)
await companion.stop()
writeSync(1, 'settled\n')
