/** Runs a small scripted program in place of rclone. */
import { reason } from '../../../src/shared/failure/failure.ts'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { DriveFailure } from '../../../src/service/drive/index.ts'
import { rcloneRunner, type RcloneCall } from '../../../src/service/drive/run-rclone.ts'
import type { LogEntry } from '../../../src/node/rclone/index.ts'
import { troubleOf } from '../../../src/node/rclone/failure.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
let program: string
beforeEach(() => {
  folder = temporaryFolder()
  program = join(folder, 'rclone')
})

/** Runs a shell script in place of rclone; `$FOLDER` is the test's folder. */
async function run(script: string, call: Partial<RcloneCall> = {}) {
  await writeFile(program, `#!/bin/sh\nFOLDER='${folder}'\n${script}\n`)
  await chmod(program, 0o755)
  const { signal } = new AbortController()
  const running = rcloneRunner(program, process.env)
  return running({ command: ['lsjson', '-v'], operands: ['dav:x', '-odd'], signal, ...call })
}

/** Shell commands that print lines of rclone's log. */
const error = (msg: string) => `echo '{"level":"error","msg":"${msg}"}' >&2`
const notices = (count: number) =>
  `for i in $(seq ${count}); do echo '{"level":"notice","msg":"copied"}' >&2; done`

describe('a run', () => {
  it('returns the output, and passes names so that they aren’t read as options', async () => {
    const text = await run('pwd; for word in "$@"; do echo "$word"; done')
    const [place, ...words] = text.trim().split('\n')
    expect(place).toBe(homedir())
    expect(words.slice(0, 2)).toEqual(['lsjson', '-v'])
    expect(words.slice(-3)).toEqual(['--', 'dav:x', '-odd'])
    expect(words).toContain('--use-json-log')
  })

  it('ends when its output is longer than any folder’s list, and reports that', async () => {
    const endless = run('exec yes "a name of a file"')
    await expect(endless).rejects.toMatchObject({ reason: reason('driveFolderTooLarge') })
  })

  it.each(['TERM', 'KILL'])(
    'that SIG%s ended says nothing about the drive, even after an error',
    async (signal) => {
      const ended = run(`${error('directory not found')}\nkill -${signal} $$`)
      await expect(ended).rejects.toMatchObject({ kind: 'ended', reason: reason('rcloneEnded') })
    },
  )

  it('reports log lines while it runs, and skips anything else', async () => {
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
  it('is described by rclone’s error log, or by its exit code', async () => {
    const full = `${error('error 507 Insufficient Storage')}\nexit 1`
    await expect(run(full)).rejects.toMatchObject(troubleOf('quota'))
    await expect(run('exit 3')).rejects.toMatchObject(troubleOf('notFound'))
    await expect(run('exit 9')).rejects.toMatchObject({ kind: 'other', reason: reason('driveUnexplained') })
  })

  it('is described by the last 200 lines; earlier errors are dropped', async () => {
    const quota = error('quota exceeded')
    await expect(run(`${quota}\n${notices(199)}\nexit 1`)).rejects.toMatchObject({ kind: 'quota' })
    await expect(run(`${quota}\n${notices(200)}\nexit 1`)).rejects.toMatchObject({ kind: 'other' })
    await expect(run(`${notices(400)}\n${quota}\nexit 1`)).rejects.toMatchObject({ kind: 'quota' })
  })

  it('to start the program is reported', async () => {
    const { signal } = new AbortController()
    const missing = rcloneRunner(join(folder, 'nothing'), process.env)({ command: [], operands: [], signal })
    await expect(missing).rejects.toEqual(
      new DriveFailure({ kind: 'other', reason: reason('rcloneNotStarted', { code: 'ENOENT' }) }),
    )
  })
})

describe('an aborted run', () => {
  it('starts nothing if it was aborted beforehand', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(run('touch "$FOLDER/started"', { signal })).rejects.toEqual(new Error('stopped'))
    await expect(readFile(join(folder, 'started'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('throws the abort reason', async () => {
    const stop = new AbortController()
    const running = run(`${error('ready')}\nexec sleep 60`, {
      signal: stop.signal,
      onLog: () => stop.abort(new Error('stopped')),
    })
    await expect(running).rejects.toEqual(new Error('stopped'))
  })

  it('returns its output if it succeeds anyway', async () => {
    const stop = new AbortController()
    const script = `trap 'echo done; exit 0' TERM\n${error('ready')}\nwhile :; do sleep 0.05; done`
    expect(await run(script, { signal: stop.signal, onLog: () => stop.abort() })).toBe('done\n')
  })

  itInLongSuite('doesn’t wait for a program that doesn’t exit', async () => {
    const stop = new AbortController()
    const script = `trap '' TERM\n${error('ready')}\nwhile :; do sleep 0.05; done`
    const running = run(script, { signal: stop.signal, onLog: () => stop.abort(new Error('stopped')) })
    await expect(running).rejects.toEqual(new Error('stopped'))
  })

  it('counts as an unreachable drive after a timeout', async () => {
    await expect(run('exec sleep 60', { timeoutMs: 50 })).rejects.toMatchObject(troubleOf('network'))
  })
})
