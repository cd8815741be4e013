/** A worker controlled by the file's name: it hangs, crashes, exits on its first request, or responds normally. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { serveParent } from '../../../src/media/parent-process.ts'
import type { ThumbnailRequest } from '../../../src/media/protocol.ts'

serveParent({ thumbnail })

function thumbnail({ path: file }: ThumbnailRequest): Uint8Array<ArrayBuffer> {
  switch (path.parse(file).name) {
    case 'hang':
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    case 'crash':
      process.exit(139)
      break
    case 'killed twice': {
      const kills = existsSync(file) ? readFileSync(file, 'utf8').length : 0
      if (kills < 2) {
        writeFileSync(file, 'x'.repeat(kills + 1))
        process.kill(process.pid, 'SIGKILL')
      }
      break
    }
    case 'leave once':
      if (!existsSync(file)) {
        writeFileSync(file, '')
        process.exit(0)
      }
  }
  return new TextEncoder().encode(file)
}
