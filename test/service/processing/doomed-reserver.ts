/**
 * Places a result on a file system without hard links and hangs after creating the empty file that reserves its name.
 *
 * Arguments: the notes folder and the results folder.
 */
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setInterval as every } from 'node:timers'

fs.link = () => Promise.reject(Object.assign(new Error('EPERM: no hard links'), { code: 'EPERM' }))
fs.rename = () => new Promise(() => undefined)
syncBuiltinESMExports()

const { publishUnderFreeName } = await import('../../../src/node/publish-file.ts')
const { openTemporaryFiles } = await import('../../../src/service/processing/temporary-files.ts')

const [notes = '', results = ''] = process.argv.slice(2)
const files = await openTemporaryFiles(notes, () => undefined)
const temporary = join(results, await files.nameIn(results))
await fs.writeFile(join(results, 'empty.jpg'), '')
await fs.writeFile(temporary, 'x')
// Keeps the process running until it is killed.
every(() => undefined, 1_000)
const names = ['full.jpg', 'empty.jpg', 'held.jpg']
await publishUnderFreeName(
  temporary,
  (attempt) => join(results, names[attempt - 1] ?? ''),
  (target) => files.noteReservation(target),
)
