/** A worker controlled by its input's name: it writes a result, crashes, hangs, or stops on request. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { type RequestHandlers, serveParent } from '../../../src/media/parent-process.ts'
import type { FinishedFile } from '../../../src/media/protocol.ts'

const finished = (temporaryPath: string, extension = 'png') => ({
  temporaryPath,
  extension,
  width: 4,
  height: 3,
  notes: [],
  losses: [],
})
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)

/** Number of files so far. */
let files = 0

const make: RequestHandlers['make'] = async (
  { inputPath, folder, temporaryPrefix },
  { signal, onProgress },
) => {
  files += 1
  if (readdirSync(folder).length > 0) throw new Error('An earlier attempt has left a file.')
  const temporaryPath = path.join(folder, `${temporaryPrefix}-1.part.png`)
  writeFileSync(temporaryPath, `${process.pid}`)
  onProgress({ phase: 'Processing', share: 0.5 })
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
      if (existsSync(left)) break
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
      setImmediate(() => {
        // The limit counts memory that is allocated, and using it would only take time.
        for (const taken: Buffer[] = []; ;) taken.push(Buffer.allocUnsafeSlow(2 ** 24))
      })
      await once(signal, 'abort')
      break
    // Needs so much memory that no two of them fit at the same time.
    case 'large': {
      const marks = path.join(folder, '..', 'large')
      mkdirSync(marks, { recursive: true })
      const mark = path.join(marks, String(process.pid))
      writeFileSync(mark, '')
      for (let time = 0; time < 20 && readdirSync(marks).length === 1; time += 1) pause()
      const isTooMuch = readdirSync(marks).length > 1
      rmSync(mark)
      if (isTooMuch) process.kill(process.pid, 'SIGKILL')
      break
    }
    // Exceeds its own limit.
    case 'oversized':
      process.exit(77)
      break
    // Exceeds the limit of a worker that has processed other files.
    case 'outgrowing':
      if (files > 1) process.exit(78)
      break
    // Lacks memory in a worker that has processed other files, or always.
    case 'cramped':
      if (files === 1) break
      rmSync(temporaryPath)
      throw new FailureError(failure('notEnoughMemory'))
    case 'starved':
      rmSync(temporaryPath)
      throw new FailureError(failure('photoNeedsMemory'))
    case 'slow':
      await once(signal, 'abort')
      throw signal.reason
    case 'stray':
      return finished(inputPath)
    case 'sibling':
      return finished(path.join(path.dirname(folder), 'mine.txt'))
    case 'way':
      return finished(temporaryPath, '/../../x')
    case 'program':
      return finished(temporaryPath, 'exe')
    case 'lending':
      chmodSync(temporaryPath, 0o4755)
      break
    case 'link':
      rmSync(temporaryPath)
      symlinkSync('/etc/hostname', temporaryPath)
      break
    case 'swap':
      // Another user can do this in a shared folder without the sticky bit.
      renameSync(folder, `${folder}.away`)
      mkdirSync(folder)
      writeFileSync(temporaryPath, 'theirs')
      for (const theirs of [folder, temporaryPath]) chownSync(theirs, 12_345, 12_345)
      break
    case 'late':
      // The test creates this file once it has moved the folder.
      while (!existsSync(path.join(path.dirname(inputPath), 'moved'))) pause()
      try {
        writeFileSync(temporaryPath, 'late')
      } catch {
        const values = { folder: path.dirname(folder), reason: reason('missing') }
        throw new FailureError(failure('resultNotSavedIn', values))
      }
      break
    case 'bad':
      throw new Error('odd')
    case 'garbage':
      writeSync(3, Buffer.from([255, 15, 5, 99, 1, 2, 3, 4, 5, 6, 7, 8]))
      break
    case 'half a message':
      return {} as FinishedFile
  }
  return finished(temporaryPath)
}

serveParent({ make })
