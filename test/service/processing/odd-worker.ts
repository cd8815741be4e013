/** A worker controlled by its input's name: it writes a result, crashes, hangs, or stops on request. */
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { connectToParent } from '../../../src/media/parent-process.ts'
import { type FromWorker, isToWorker, type ToWorker } from '../../../src/media/protocol.ts'

const parent = connectToParent<ToWorker, FromWorker>({
  isReceived: isToWorker,
  onMessage: take,
  onGone: () => process.exit(0),
})
const say = (message: FromWorker) => parent.send(message)
const finish = (temporaryPath: string, extension = 'png') =>
  say({ kind: 'finished', file: { temporaryPath, extension, width: 4, height: 3, notes: [], losses: [] } })
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
let waiting: NodeJS.Timeout | undefined

function take(message: ToWorker): void {
  if (message.kind === 'end') process.exit(0)
  if (message.kind === 'stop') {
    if (waiting === undefined) return
    clearTimeout(waiting)
    waiting = undefined
    say({ kind: 'stopped' })
    return
  }
  if (message.kind === 'check' || message.kind === 'hold' || message.kind === 'stepBack') return
  const { inputPath, folder, temporaryPrefix } = message.task
  const temporaryPath = path.join(folder, `${temporaryPrefix}-1.part.png`)
  writeFileSync(temporaryPath, `${process.pid}`)
  say({ kind: 'progress', progress: { phase: 'Processing', share: 0.5 } })
  switch (path.parse(inputPath).name) {
    case 'crash':
      process.stderr.write('the decoder fell over')
      process.exit(139)
      break
    case 'kill':
      process.kill(process.pid, 'SIGKILL')
      break
    // As by Ctrl-C or a logoff, or for lack of memory. Only the first worker leaves this file.
    case 'interrupted-once':
    case 'killed-once': {
      const left = path.join(folder, '..', 'interrupted')
      if (existsSync(left)) {
        finish(temporaryPath)
        break
      }
      writeFileSync(left, '')
      if (inputPath.includes('killed')) process.kill(process.pid, 'SIGKILL')
      else process.exit(143)
      break
    }
    case 'interrupted':
      process.exit(130)
      break
    case 'hang':
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    case 'greedy':
      for (const taken: Buffer[] = []; ;) taken.push(Buffer.alloc(2 ** 24, 1))
    case 'slow':
      waiting = setTimeout(() => {}, 60_000)
      break
    case 'stray':
      finish(inputPath)
      break
    case 'sibling':
      finish(path.join(path.dirname(folder), 'mine.txt'))
      break
    case 'way':
      finish(temporaryPath, '/../../x')
      break
    case 'program':
      finish(temporaryPath, 'exe')
      break
    case 'lending':
      chmodSync(temporaryPath, 0o4755)
      finish(temporaryPath)
      break
    case 'link':
      rmSync(temporaryPath)
      symlinkSync('/etc/hostname', temporaryPath)
      finish(temporaryPath)
      break
    case 'swap':
      // Another user can do this in a shared folder without the sticky bit.
      renameSync(folder, `${folder}.away`)
      mkdirSync(folder)
      writeFileSync(temporaryPath, 'theirs')
      for (const theirs of [folder, temporaryPath]) chownSync(theirs, 12_345, 12_345)
      finish(temporaryPath)
      break
    case 'late':
      // The test creates this file once it has moved the folder.
      while (!existsSync(path.join(path.dirname(inputPath), 'moved'))) pause()
      try {
        writeFileSync(temporaryPath, 'late')
        finish(temporaryPath)
      } catch {
        const values = { folder: path.dirname(folder), reason: reason('missing') }
        say({ kind: 'failed', failure: failure('resultNotSavedIn', values), detail: undefined })
      }
      break
    case 'bad':
      say({
        kind: 'failed',
        failure: failure('fileUnexpected', { detail: 'odd' }),
        detail: 'more for the log',
      })
      break
    case 'garbage':
      writeSync(3, Buffer.from([255, 15, 5, 99, 1, 2, 3, 4, 5, 6, 7, 8]))
      break
    case 'half a message':
      say({ kind: 'finished' } as FromWorker)
      break
    default:
      finish(temporaryPath)
  }
}
