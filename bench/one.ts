/** Runs one benchmark, and sends its rows to the process that started this one. */
import { stat } from 'node:fs/promises'
import { BENCHES } from './benches.ts'
import { onSlowHost } from './row.ts'
import { slowerOf, slowness } from './slowness.ts'

// The first file operation sets the size of libuv's thread pool. Without the variable, child processes use the default.
await stat(import.meta.filename)
delete process.env['UV_THREADPOOL_SIZE']

const load = BENCHES[process.argv[2] ?? '']
if (load === undefined) throw new Error('npm run bench starts this')
const measure = await load()
const before = slowness()
const rows = await measure()
const slow = slowerOf(before, slowness())
process.send?.(
  rows.map((row) => onSlowHost(row, slow)),
  () => process.exit(),
)
