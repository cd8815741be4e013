/** Runs one benchmark, and sends its rows to the process that started this one. */
import { BENCHES } from './benches.ts'

const load = BENCHES[process.argv[2] ?? '']
if (load === undefined) throw new Error('npm run bench starts this')
const measure = await load()
process.send?.(await measure(), () => process.exit())
