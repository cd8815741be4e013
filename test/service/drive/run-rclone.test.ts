/** How rclone is run, with a small program in its place that does what a test wants of it. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DriveFailure } from '../../../src/service/drive/index.ts'
import { rcloneRunner, type RcloneCall } from '../../../src/service/drive/run-rclone.ts'
import type { LogEntry } from '../../../src/node/rclone/index.ts'
import { troubleOf } from '../../../src/node/rclone/index.ts'

let folder: string
let program: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-rclone-'))
  program = join(folder, 'rclone')
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs a script of the shell as if it were rclone; `$FOLDER` is the test's. */
async function run(script: string, call: Partial<RcloneCall> = {}, env: NodeJS.ProcessEnv = process.env) {
  await writeFile(program, `#!/bin/sh\nFOLDER='${folder}'\n${script}\n`)
  await chmod(program, 0o755)
  const { signal } = new AbortController()
  return rcloneRunner(
    program,
    env,
  )({ command: ['lsjson', '-v'], operands: ['dav:x', '-odd'], signal, ...call })
}

const failureOf = (running: Promise<unknown>): Promise<unknown> =>
  running.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )

/** Lines of rclone's log. */
const error = (msg: string) => `echo '{"level":"error","msg":"${msg}"}' >&2`
const notices = (count: number) =>
  `for i in $(seq ${count}); do echo '{"level":"notice","msg":"copied"}' >&2; done`

describe('a run', () => {
  it('gives what was printed, and hands names over so that none is read as an option', async () => {
    const text = await run('pwd; for word in "$@"; do echo "$word"; done')
    const [place, ...words] = text.trim().split('\n')
    expect(place).toBe(homedir())
    expect(words.slice(0, 2)).toEqual(['lsjson', '-v'])
    expect(words.slice(-3)).toEqual(['--', 'dav:x', '-odd'])
    expect(words).toContain('--use-json-log')
  })

  it('knows nothing of our environment that it does not need', async () => {
    const text = await run(
      'env',
      {},
      { PATH: process.env['PATH'], HOME: folder, OUR_KEY: 'secret', RCLONE_BWLIMIT: '1' },
    )
    expect(text).toContain(`HOME=${folder}`)
    expect(text).not.toMatch(/secret|BWLIMIT/)
  })

  it('tells what is logged while it goes on, and passes over what is no log', async () => {
    const logged: LogEntry[] = []
    const lines = [
      `echo '{"level":"notice","msg":"half","stats":{"bytes":5,"totalBytes":10}}' >&2`,
      'echo plain text >&2',
      error('odd'),
    ]
    expect(await run(lines.join('\n'), { onLog: (entry) => logged.push(entry) })).toBe('')
    expect(logged.map(({ msg, share }) => [msg, share])).toEqual([
      ['half', 0.5],
      ['odd', undefined],
    ])
  })
})

describe('a failure', () => {
  it('is told by what rclone logged as an error, or by its exit code', async () => {
    expect(await failureOf(run(`${error('error 507 Insufficient Storage')}\nexit 1`))).toMatchObject({
      ...troubleOf('quota'),
    })
    expect(await failureOf(run('exit 3'))).toMatchObject({ ...troubleOf('notFound') })
    expect(await failureOf(run('exit 9'))).toMatchObject({
      kind: 'other',
      message: 'rclone failed without a reason',
    })
  })

  it('is told by the last 200 lines: a complaint from before those is forgotten', async () => {
    const quota = error('quota exceeded')
    expect(await failureOf(run(`${quota}\n${notices(199)}\nexit 1`))).toMatchObject({ kind: 'quota' })
    expect(await failureOf(run(`${quota}\n${notices(200)}\nexit 1`))).toMatchObject({ kind: 'other' })
    expect(await failureOf(run(`${notices(400)}\n${quota}\nexit 1`))).toMatchObject({ kind: 'quota' })
  })

  it('of a program that can’t be started says so', async () => {
    const { signal } = new AbortController()
    const missing = rcloneRunner(join(folder, 'nothing'), process.env)({ command: [], operands: [], signal })
    const failure = await failureOf(missing)
    expect(failure).toBeInstanceOf(DriveFailure)
    expect(failure).toMatchObject({ kind: 'other', message: 'rclone can’t be started: ENOENT' })
  })
})

describe('ending it', () => {
  it('begins nothing for what was stopped already', async () => {
    const failure = await failureOf(
      run('touch "$FOLDER/started"', { signal: AbortSignal.abort(new Error('stopped')) }),
    )
    expect(failure).toEqual(new Error('stopped'))
    await expect(readFile(join(folder, 'started'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('throws the reason of the one who stopped it', async () => {
    const stop = new AbortController()
    const running = run(`${error('ready')}\nexec sleep 60`, {
      signal: stop.signal,
      onLog: () => stop.abort(new Error('stopped')),
    })
    expect(await failureOf(running)).toEqual(new Error('stopped'))
  })

  it('gives what came to a good end although it was told to stop', async () => {
    const stop = new AbortController()
    const script = `trap 'echo done; exit 0' TERM\n${error('ready')}\nwhile :; do sleep 0.05; done`
    expect(await run(script, { signal: stop.signal, onLog: () => stop.abort() })).toBe('done\n')
  })

  it('does not wait for one that does not let go', async () => {
    const stop = new AbortController()
    const script = `trap '' TERM\n${error('ready')}\nwhile :; do sleep 0.05; done`
    const running = run(script, { signal: stop.signal, onLog: () => stop.abort(new Error('stopped')) })
    expect(await failureOf(running)).toEqual(new Error('stopped'))
  })

  it('calls a drive that does not answer in time unreachable', async () => {
    const failure = await failureOf(run('exec sleep 60', { timeoutMs: 50 }))
    expect(failure).toMatchObject({ ...troubleOf('network') })
  })
})
