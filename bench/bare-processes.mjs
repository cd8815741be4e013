// A minimal chain of processes like that of a first command: each loads the packages that ours needs and starts the next one, and the last
// one processes a photo. Usage: node bench/bare-processes.mjs PROCESSES PHOTO RESULT
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Packages that the host and the service load before and while they start the next process, by the number of processes that are left. */
const PACKAGES = {
  3: { before: ['zod', 'node:sqlite'], meanwhile: ['undici'] },
  2: { before: ['fastify', 'zod'], meanwhile: [] },
}

const load = (packages) => Promise.all(packages.map((name) => import(name)))

const [processes, photo, result] = process.argv.slice(2)
if (processes > 1) {
  const { before, meanwhile } = PACKAGES[processes] ?? { before: [], meanwhile: [] }
  await load(before)
  const args = [import.meta.filename, `${processes - 1}`, photo, result]
  const next = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await Promise.all([once(next.stdout, 'data'), load(meanwhile)])
} else {
  const { default: sharp } = await import('sharp')
  await sharp(photo).jpeg({ quality: 82 }).toFile(result)
}
// The parent doesn't wait for the exit, just as a command doesn't wait for the service's.
process.stdout.write('.', () => process.exit())
