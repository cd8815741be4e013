/**
 * Runs the app's durable part in a separate process that kills itself with SIGKILL after a given number of steps, or is killed
 * from outside. It prints each name that it has added to the outbox.
 *
 * Arguments: folder, base URL, number of the step at which to die (0: never), names to submit. Names joined with `+` are the folders of
 * one job with the same photo in each. When all parts have been accepted, the process also records their ends.
 */
import { writeSync } from 'node:fs'
import { stepsUntil } from '../doomed.ts'
import { startCompanion, until } from './companion.ts'

const [folder = '', baseUrl = '', dieAt, ...names] = process.argv.slice(2)

let submitted = 0
const companion = startCompanion({
  baseUrl,
  folder,
  newId: () => `${process.pid}-${(submitted += 1)}`,
  onStep: stepsUntil(dieAt).step,
})
for (const name of names) {
  if (name.includes('+')) companion.submitParts(name.split('+'), ['Web 2048'])
  else companion.submit(name)
  writeSync(1, `${name}\n`)
}
await until('everything is idle', () => companion.isIdle())
for (const { title } of companion.history.unfinished()) if (title.place.parts > 1) companion.end(title.id)
await companion.stop()
writeSync(1, 'settled\n')
