/** Tries what a decoder has no business with, by Node's own means, and says what came of it. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

const attempt = (act: () => unknown): string => {
  try {
    act()
    return 'done'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  }
}

process.on('disconnect', () => process.exit(0))
process.on('message', ({ inside, outside, hang }: { inside: string; outside: string; hang?: true }) => {
  process.send?.('taken')
  if (hang === true) for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  process.send?.({
    read: attempt(() => readFileSync(outside)),
    writeInside: attempt(() => writeFileSync(inside, 'x')),
    writeOutside: attempt(() => writeFileSync(outside, 'x')),
    start: attempt(() => spawnSync('/bin/true')),
    thread: attempt(() => new Worker('', { eval: true })),
  })
})
