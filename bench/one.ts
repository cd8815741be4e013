/** Runs one benchmark, and sends its rows to the process that started this one. */
import { stat } from 'node:fs/promises'
import { BENCHES } from './benches.ts'

// From the first file operation on, libuv has as many threads as this process needs. The programs that it starts get the usual number.
await stat(import.meta.filename)
delete process.env['UV_THREADPOOL_SIZE']

const load = BENCHES[process.argv[2] ?? '']
if (load === undefined) throw new Error('npm run bench starts this')
const measure = await load()
process.send?.(await measure(), () => process.exit())
