/** Does what the file is called: hangs, crashes, leaves just when it is asked for the first time, or answers in order. */
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ThumbnailAnswer, ThumbnailRequest } from '../../../src/media/protocol.ts'

process.on('disconnect', () => process.exit(0))
process.on('message', ({ id, path: file }: ThumbnailRequest) => {
  switch (path.parse(file).name) {
    case 'hang':
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    case 'crash':
      process.exit(139)
      break
    case 'leave once':
      if (!existsSync(file)) {
        writeFileSync(file, '')
        process.exit(0)
      }
  }
  const answer: ThumbnailAnswer = { id, webp: new TextEncoder().encode(file) }
  process.send?.(answer)
})
