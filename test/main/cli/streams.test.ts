/** One photo from stdin and to stdout: real processes and pipes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import sharp from 'sharp'
import { beforeEach, describe, expect, test } from 'vitest'
import type { CliEvent } from '../../../src/main/cli/output/events.ts'
import { takeFromStdin } from '../../../src/main/cli/stdin-photo.ts'
import { COMMAND } from '../../entries.ts'
import {
  commandFolder,
  environmentForNode,
  jsonLines,
  type ProcessOptions,
  run,
  runHere,
  spawnCommand,
  startCommand,
} from './command.ts'
import { withoutDelays } from './without-delays.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { watchFolder } from '../../watch-folder.ts'

const sample = resolve(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')
const other = resolve(import.meta.dirname, '../../../assets/samples/mountain-lake.webp')
const clip = resolve(import.meta.dirname, '../../../assets/samples/sunrise.mp4')
let folder = ''
let held: ProcessOptions
beforeEach(() => void ({ folder, held } = commandFolder()))

async function pipe(argv: readonly string[], stdin: Uint8Array | undefined) {
  const child = spawnCommand(argv, held)
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  const [stdout, stderr] = await Promise.all([buffer(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, stdout, stderr }
}

const left = (kind: string): Promise<readonly string[]> =>
  readdir(join(folder, 'data', 'streams', kind)).catch(() => [])

test('as a filter, it gives the same bytes as a job, writes nothing else, and leaves nothing behind', async () => {
  const filtered = await pipe(
    ['submit', '-', '--preset', 'Web 720p', '--output', '-'],
    await readFile(sample),
  )
  expect([filtered.code, withoutDelays(filtered.stderr)]).toEqual([0, ''])
  await runHere(['submit', sample, '--preset', 'Web 720p', '--output', 'out'], held)
  const made = await readFile(join(folder, 'out', 'dawn-upright-web-720p.jpg'))
  expect(filtered.stdout.equals(made)).toBe(true)
  expect(await readdir(join(folder, 'data'))).not.toContain('streams')
  const history = await runHere(['history', '--json'], held)
  expect(jsonLines(history.stdout).filter(({ event }) => event === 'record')).toHaveLength(1)
})

itInLongSuite(
  'a photo from stdin can be saved to a folder, and a file can be written to stdout',
  async () => {
    const saved = await pipe(['submit', '-', '--output', 'out'], await readFile(sample))
    expect(saved.code).toBe(0)
    expect(await readdir(join(folder, 'out'))).toEqual(['stdin-basic.jpg'])
    expect(await left('jobs')).toEqual([])
    const { code, stdout } = await pipe(
      ['submit', sample, '--format', 'webp', '--max-size', '64', '--output', '-'],
      undefined,
    )
    expect(code).toBe(0)
    expect(await sharp(stdout).metadata()).toMatchObject({ format: 'webp', height: 64 })
  },
)

describe('wrong usage is explained on stderr, and nothing is written to stdout', () => {
  test.each([
    [['a.jpg', 'b.jpg', '--output', '-'], 'exactly one photo'],
    [['-', 'b.jpg'], 'can’t be combined with other files'],
    [['-', '--beside'], 'has no folder'],
    [['-', '--replace'], 'has no folder'],
    [['-', '--key-stdin', '--base-url', 'http://127.0.0.1:1/api'], 'both the key and a photo'],
    [['a.jpg', '--output', '-', '--json'], 'both write to stdout'],
    [['a.jpg', '--output', '-', '--count', '2'], 'no variations'],
    [['a.jpg', '--output', '-', '--preset', 'Email', '--preset', 'Thumbnail'], 'one preset'],
    [['a.jpg', '--output', '-', '--skip-done'], '--skip-done'],
    [['a.jpg', '--output', '-', '--base-url', 'http://127.0.0.1:1/api'], 'only with the built-in service'],
    // The tests' stdin and stdout are terminals.
    [['a.jpg', '--output', '-'], 'stdout is a terminal'],
    [['-'], 'stdin is a terminal'],
  ])('%j', async (argv, words) => {
    const { code, stdout, stderr } = await run(['submit', ...argv], held)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
  })

  test.each(
    firstOf([
      [[clip, '--output', '-'], undefined, 2, 'a video'],
      [['-', '--output', '-'], Buffer.from('hello'), 4, 'isn’t a photo'],
      [['-', '--output', '-'], Buffer.alloc(0), 4, 'empty'],
      [['-', '--output', 'out'], Buffer.alloc(0), 4, 'empty'],
      [[sample, '--output', '-', '--preset', 'No \u001b[2J'], undefined, 4, 'no preset named'],
      [['/nowhere/a.jpg', '--output', '-'], undefined, 4, 'doesn’t exist'],
    ]),
  )('%j', async (argv, stdin, expected, words) => {
    const { code, stdout, stderr } = await pipe(['submit', ...argv], stdin)
    expect([code, stdout.length]).toEqual([expected, 0])
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('\u001b')
    expect([...(await left('pipes')), ...(await left('jobs'))]).toEqual([])
  })
})

itInLongSuite('a folder with several photos is refused, and a damaged photo is explained', async () => {
  const into = join(folder, 'two')
  await mkdir(into)
  for (const name of ['a.jpg', 'b.jpg']) await copyFile(sample, join(into, name))
  const several = await pipe(['submit', into, '--output', '-'], undefined)
  expect([several.code, several.stdout.length]).toEqual([2, 0])
  expect(several.stderr).toContain('2 files')
  const damaged = (await readFile(sample)).subarray(0, 700)
  await writeFile(join(folder, 'damaged.jpg'), damaged)
  const failed = await pipe(['submit', '-', '--output', '-'], damaged)
  expect([failed.code, failed.stdout.length]).toEqual([4, 0])
  expect(failed.stderr).toContain('Nothing was written.')
})

itInLongSuite(
  'a failed job of a photo from stdin doesn’t offer a retry, because the photo is gone',
  async () => {
    const failed = await pipe(['submit', '-', '--under', '1kB', '--output', 'out'], await readFile(sample))
    expect(failed.code).toBe(4)
    expect(failed.stdout.toString()).toContain('Failed')
    expect(failed.stderr).not.toContain('retry')
    expect(await left('jobs')).toEqual([])
  },
)

test('more bytes than the limit are refused without reading on', async () => {
  const said: string[] = []
  let sent = 0
  async function* endless() {
    for (;;) {
      sent += 1_000
      yield await Promise.resolve(Buffer.alloc(1_000))
    }
  }
  const context = {
    environment: {
      stdin: endless,
      stderr: { write: () => undefined, columns: undefined },
      interrupted: new AbortController().signal,
    },
    report: { say: (event: CliEvent) => void said.push(JSON.stringify(event)) },
    waits: { during: <T>(_: unknown, work: () => Promise<T>) => work() },
  }
  const taken = await takeFromStdin(context, join(folder, 'taken'), 5_500)
  expect([taken, sent]).toEqual([{ ok: false, code: 4 }, 6_000])
  expect(said.join('')).toContain('more than 5.5 kB')
})

itInLongSuite('a reader that has gone is not an error', async () => {
  const child = startCommand(['submit', sample, '--format', 'png', '--output', '-'], held)
  const [said, ended] = [text(child.stderr), once(child, 'close')]
  child.stdout.destroy()
  await ended
  expect([child.exitCode, withoutDelays(await said)]).toEqual([130, ''])
})

itInLongSuite.runIf(process.platform === 'linux').each([
  ['-', 4],
  ['out', 3],
] as const)('a full disk behind stdout is reported with --output %s', async (output, code) => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', COMMAND, 'submit', sample, '--output', output],
    {
      cwd: folder,
      env: { ...environmentForNode(), HOME: folder, ...held.env },
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    },
  )
  const [said] = await Promise.all([child.stderr === null ? '' : text(child.stderr), once(child, 'close')])
  expect(child.exitCode).toBe(code)
  expect(said).toContain('ENOSPC')
})

/** Runs the command in a shell, which sets up its output. */
async function inShell(argv: readonly string[], redirection: string) {
  const words = [process.execPath, '--disable-warning=ExperimentalWarning', COMMAND, ...argv]
  const child = spawn('sh', ['-c', `"$@" ${redirection}`, 'sh', ...words], {
    cwd: folder,
    env: { ...environmentForNode(), HOME: folder, ...held.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')])
  return { code: child.exitCode, said: withoutDelays(said) }
}

itInLongSuite.runIf(process.platform === 'linux').each([
  ['> /dev/full', /^Couldn’t write the output: ENOSPC[^\n]*\n$/],
  ['> /dev/full 2>&1', /^$/],
  ['>&-', /^Couldn’t write the output: stdout is closed\n$/],
])(
  'all jobs are finished with --json %s, and the exit code shows that output is missing',
  async (to, words) => {
    const { code, said } = await inShell(
      ['submit', sample, other, '--separate', '--json', '--output', 'out'],
      to,
    )
    expect(said).toMatch(words)
    expect([code, (await readdir(join(folder, 'out'))).length]).toEqual([3, 2])
  },
)

itInLongSuite('all jobs are finished if the reader of --json closes the pipe', async () => {
  const child = startCommand(['submit', sample, other, '--separate', '--json', '--output', 'out'], held)
  const [said, ended] = [text(child.stderr), once(child, 'close')]
  child.stdout.destroy()
  await ended
  expect([child.exitCode, withoutDelays(await said)]).toEqual([3, ''])
  expect(await readdir(join(folder, 'out'))).toHaveLength(2)
})

itInLongSuite.runIf(process.platform !== 'win32')('a closed stdout can’t take a result', async () => {
  const { code, said } = await inShell(['submit', sample, '--output', '-'], '>&-')
  expect([code, said]).toEqual([2, expect.stringContaining('stdout is a terminal or closed')])
  expect((await inShell(['submit', sample, '--output', '-'], '> /dev/null')).code).toBe(0)
  // Only messages are lost.
  const jobs = await inShell(['submit', sample, '--output', 'out'], '>&- 2>&-')
  expect([jobs.code, await readdir(join(folder, 'out'))]).toEqual([0, ['dawn-upright-basic.jpg']])
})

itInLongSuite(
  'a job is finished even if the messages can’t be written, and the exit code shows that',
  async () => {
    const child = startCommand(['submit', sample, '--output', 'out'], held)
    child.stderr.destroy()
    const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect([child.exitCode, said]).toEqual([3, expect.stringContaining('Done, 1 result')])
  },
)

itInLongSuite.runIf(process.platform === 'linux').each([
  ['2> /dev/full', 3],
  ['2>&-', 0],
  // Every process that discards output may do it like this.
  ['2> /dev/null', 0],
] as const)('messages of watch that are written with %s: exit code %i', async (to, expected) => {
  const data = held.env['MEDIATRAY_DATA_DIR'] ?? ''
  await mkdir(data, { recursive: true })
  await mkdir(join(folder, 'in'))
  const watchFolders = [watchFolder(join(folder, 'in'), join(folder, 'out'))]
  await writeFile(join(data, 'settings.json'), JSON.stringify({ settings: { watchFolders } }))
  expect((await inShell(['watch', '--once'], to)).code).toBe(expected)
})

itInLongSuite('what a killed filter leaves is removed by the next one', async () => {
  const child = startCommand(['submit', '-', '--output', '-'], held)
  const ended = once(child, 'close')
  child.stdin.write(await readFile(sample))
  await expect.poll(() => left('pipes'), { interval: 5, timeout: 30_000 }).toHaveLength(1)
  child.kill('SIGKILL')
  await ended
  expect(await left('pipes')).toHaveLength(1)
  const next = await pipe(['submit', sample, '--output', '-'], undefined)
  expect(next.code).toBe(0)
  expect(await left('pipes')).toEqual([])
})

itInLongSuite(
  'a photo from stdin whose command is killed is processed later, and removed then',
  async ({ skip }) => {
    skip(process.platform !== 'linux')
    const child = startCommand(['submit', '-', '--output', 'out', '--preset', 'Web 720p', '--json'], held)
    const ended = once(child, 'close')
    child.stdin.end(await readFile(sample))
    for await (const chunk of child.stdout) if (String(chunk).includes('"service"')) break
    const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    for (const pid of [child.pid ?? 0, ...children.trim().split(' ').map(Number)])
      if (pid > 0) process.kill(pid, 'SIGKILL')
    await ended
    await runHere(['outbox', 'send'], held)
    const other = await pipe(['submit', '-', '--output', 'out', '--format', 'webp'], await readFile(sample))
    expect(other.code).toBe(0)
    expect(await left('jobs')).toEqual([])
  },
)
