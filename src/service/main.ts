/** Entry of the built-in service's process. */
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

// Compiling a schema pays off only after several hundred parses. Schemas read this setting when they are created, so everything else
// is loaded afterward.
z.config({ jitless: true })

/** In the sources, the worker is in `src/media`. In a bundle, it is next to this file. */
const isBundle = !import.meta.url.endsWith('.ts')
const worker = fileURLToPath(new URL(isBundle ? './worker.js' : '../media/worker.ts', import.meta.url))

const { runProgram } = await import('./program.ts')
await runProgram(worker)
