import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keepWorker } from '../../src/node/keep-worker.ts'
import { smallDisk } from '../e2e/support/small-disk.ts'
import { temporaryFolder } from '../temporary-folder.ts'

it('a worker is replaced before its next file if a disk was mounted since, but not while it has another file', ({
  skip,
}) => {
  /** What each worker has received. */
  const received: string[][] = []
  const worker = keepWorker<{ readonly file: string }, never>(
    () => {
      const files: string[] = []
      received.push(files)
      return {
        send: ({ file }) => void files.push(file),
        onMessage: () => undefined,
        onExit: () => undefined,
        kill: () => void files.push('killed'),
      }
    },
    { onMessage: () => undefined, onExit: () => undefined },
  )
  worker.send({ file: 'first' })
  worker.send({ file: 'second' })
  using disk = smallDisk(join(temporaryFolder(), 'disk'), '1m')
  if (disk === undefined) return skip()
  worker.send({ file: 'third' }, false)
  worker.send({ file: 'on the disk' })
  worker.send({ file: 'last' })
  expect(received).toEqual([
    ['first', 'second', 'third', 'killed'],
    ['on the disk', 'last'],
  ])
})
