/** A worker that does what its input is called: writes a result, crashes, hangs, or stops when asked. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { FromWorker, ToWorker } from '../../../src/media/protocol.ts'

const rest = { width: 4, height: 3, notes: [] }
const say = (message: FromWorker) => void process.send?.(message)
let waiting: NodeJS.Timeout | undefined

process.on('disconnect', () => process.exit(0))
process.on('message', (message: ToWorker) => {
  if (message.kind === 'end') process.exit(0)
  if (message.kind === 'prepare') return
  if (message.kind === 'stop') {
    if (waiting === undefined) return
    clearTimeout(waiting)
    waiting = undefined
    say({ kind: 'stopped' })
    return
  }
  const { inputPath, folder, temporaryPrefix } = message.task
  const temporaryPath = path.join(folder, `${temporaryPrefix}-1.part.txt`)
  writeFileSync(temporaryPath, `${process.pid}`)
  say({ kind: 'progress', progress: { phase: 'Working', share: 0.5 } })
  switch (path.parse(inputPath).name) {
    case 'crash':
      process.stderr.write('the decoder fell over')
      process.exit(139)
      break
    case 'kill':
      process.kill(process.pid, 'SIGKILL')
      break
    case 'hang':
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    case 'slow':
      waiting = setTimeout(() => {}, 60_000)
      break
    case 'stray':
      say({ kind: 'finished', file: { temporaryPath: inputPath, extension: 'txt', ...rest } })
      break
    case 'sibling':
      say({
        kind: 'finished',
        file: { temporaryPath: path.join(folder, 'mine.txt'), extension: 'txt', ...rest },
      })
      break
    case 'way':
      say({ kind: 'finished', file: { temporaryPath, extension: '/../../x', ...rest } })
      break
    case 'link':
      rmSync(temporaryPath)
      symlinkSync('/etc/hostname', temporaryPath)
      say({ kind: 'finished', file: { temporaryPath, extension: 'txt', ...rest } })
      break
    case 'bad':
      say({ kind: 'failed', reason: 'The file is odd.', detail: 'more for the log' })
      break
    default:
      say({ kind: 'finished', file: { temporaryPath, extension: 'txt', ...rest } })
  }
})
