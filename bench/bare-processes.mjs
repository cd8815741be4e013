// A minimal chain of processes like that of a first command: each starts the next one, and the last one processes a photo. Usage:
// node bench/bare-processes.mjs PROCESSES PHOTO RESULT
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const [processes, photo, result] = process.argv.slice(2)
if (processes > 1) {
  const args = [import.meta.filename, `${processes - 1}`, photo, result]
  const next = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(next.stdout, 'data')
} else {
  const { default: sharp } = await import('sharp')
  await sharp(photo).jpeg({ quality: 82 }).toFile(result)
}
// The parent doesn't wait for the exit, just as a command doesn't wait for the service's.
process.stdout.write('.', () => process.exit())
