/** Attempts, through Node's APIs, everything that a decoder must not do, and reports the outcomes. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { connectToParent } from '../../src/media/parent-process.ts'

const attempt = (act: () => unknown): string => {
  try {
    act()
    return 'done'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  }
}

type Request = { readonly inside: string; readonly outside: string; readonly hang?: true }

const send = connectToParent((message) => tryAll(message as Request))

function tryAll({ inside, outside, hang }: Request): void {
  send({ taken: true })
  if (hang === true) for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  send({
    read: attempt(() => readFileSync(outside)),
    writeInside: attempt(() => writeFileSync(inside, 'x')),
    writeOutside: attempt(() => writeFileSync(outside, 'x')),
    start: attempt(() => spawnSync('/bin/true')),
    thread: attempt(() => new Worker('', { eval: true })),
    database: attempt(() => {
      const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
      new DatabaseSync(`${outside}.db`).exec('CREATE TABLE a (b)')
    }),
    secret: process.env['AWS_SECRET_ACCESS_KEY'] ?? 'none',
  })
}
