/** The commands against a scripted service: their requests, output and exit codes. */
import { writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogOf } from '../../../src/node/translation.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { run, temporaryFolder, fastTiming } from './command.ts'
import { KEY, scriptedService, type ScriptedService } from './scripted-service.ts'

const env = { MEDIATRAY_API_KEY: KEY }
const at = (given: ScriptedService) => ['--base-url', given.baseUrl]

describe('usage', () => {
  test.each([
    [['submit'], 'specify at least one file'],
    [['submit', 'a.jpg', '--drive-input', 'x'], 'can’t be combined with --drive-input'],
    [['submit', '--drive-input', 'x', '--upload'], '--upload can’t be combined'],
    [['submit', 'a.jpg', '--output', 'x', '--drive-output', 'y'], 'cannot be used with'],
    [['submit', 'a.jpg', '--count', '0'], 'whole number'],
    [['submit', 'a.jpg', '--count', '1.5'], 'whole number'],
    [['download', 'x', '--index', '-1'], 'whole number'],
    [['dance'], 'unknown command'],
    [['jobs', '--loud'], 'unknown option'],
    [['job'], 'missing required argument'],
    [['jobs', '--base-url', 'ftp://x'], 'http://'],
    [['jobs', '--key-stdin'], '--base-url'],
  ])('%j exits with 2 and explains why', async (argv, word) => {
    const { code, stdout, stderr } = await run(argv)
    expect(code).toBe(2)
    expect(stderr).toContain(word)
    expect(stdout).toBe('')
  })

  test('--help is not an error, and includes the options of all commands', async () => {
    const { code, stdout } = await run(['submit', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('--separate')
    expect(stdout).toContain('--json')
  })

  test('--licences shows the licenses of the packages’ content without querying a service', async () => {
    const { code, stdout, stderr } = await run(['--licences'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of ['FFmpeg', 'x265', 'libvips', 'GPL-3.0-or-later']) expect(stdout).toContain(name)
  })
})

const usage = (language: string) => catalogOf(language).terminal.usage['noInput']

describe('the language', () => {
  test.each([
    [{ LC_ALL: 'de_AT.UTF-8', LANG: 'en_US.UTF-8' }, 'de'],
    [{ LC_ALL: '', LC_MESSAGES: 'de', LANG: 'en_US.UTF-8' }, 'de'],
    [{ LANG: 'de_DE@euro' }, 'de'],
    [{ LC_ALL: 'C.UTF-8', LANG: 'de_DE.UTF-8' }, 'en'],
    [{ LC_ALL: 'POSIX' }, 'en'],
    [{ LANG: 'tlh' }, 'en'],
  ])('is the terminal’s: %j', async (variables, language) => {
    const { code, stderr } = await run(['submit'], { env: variables })
    expect([code, stderr.trim()]).toEqual([2, expect.stringContaining(usage(language) ?? '-')])
  })

  test.each(['en', 'de'])('is also that of the help’s headings: %s', async (language) => {
    const { stdout } = await run(['vault', '--help'], { env: { LC_ALL: language } })
    const { usage: first, options, globalOptions, commands } = catalogOf(language).terminal.helpHeading
    expect(stdout.match(/^\S.*:/gm)).toEqual([first, options, globalOptions, commands])
  })

  test('is English with --json', async () => {
    const { stderr } = await run(['submit', '--json'], { env: { LC_ALL: 'de_DE.UTF-8' } })
    expect(stderr).toContain(usage('en'))
  })

  itInLongSuite('is its own for each of several commands in one process', async () => {
    const service = await scriptedService()
    const commands = ['de_DE.UTF-8', 'C', 'de_DE.UTF-8'].map((locale) =>
      run(['status', ...at(service)], { env: { ...env, LC_ALL: locale } }),
    )
    const [german, english, again] = (await Promise.all(commands)).map(({ stdout }) => stdout)
    expect(german).not.toBe(english)
    expect(again).toBe(german)
  })
})

describe('the key', () => {
  test('is read from the environment or from the first line of stdin, and is never shown', async () => {
    const service = await scriptedService()
    const fromEnv = await run(['status', ...at(service)], { env })
    expect(fromEnv).toMatchObject({ code: 0, stdout: expect.stringContaining('1.0.81') })
    const fromStdin = await run(['presets', '--key-stdin', '--json', ...at(service)], {
      readKey: () => Promise.resolve(KEY),
    })
    expect(fromStdin.code).toBe(0)
    expect(fromStdin.events).toEqual([
      { event: 'presets', presets: { image: ['Web'], video: ['Web', 'Video'] } },
    ])
    expect(fromEnv.stdout + fromEnv.stderr + fromStdin.stdout + fromStdin.stderr).not.toContain(KEY)
  })

  test.each(firstOf(['wrong', '', 'with space']))(
    'that is %j makes every command exit with 6',
    async (key) => {
      const service = await scriptedService()
      for (const command of [
        ['jobs'],
        ['job', 'job-1'],
        ['cancel', 'job-1'],
        ['presets'],
        ['status'],
        ['clear'],
        ['submit', '--drive-input', 'x'],
      ]) {
        const { code, stderr } = await run([...command, ...at(service)], { env: { MEDIATRAY_API_KEY: key } })
        expect(code).toBe(6)
        expect(stderr).toContain('key')
      }
    },
  )
})

test('an unreachable service makes every command exit with 5, and is reported once', async () => {
  for (const command of [['jobs'], ['status'], ['submit', '--drive-input', 'x'], ['download', 'job-1']]) {
    const { code, stderr } = await run([...command, '--base-url', 'http://127.0.0.1:1/api'], { env })
    expect(code).toBe(5)
    expect(stderr.split('Couldn’t reach the service')).toHaveLength(2)
  }
})

/** Refuses the first three submissions. */
const fullService = () => {
  let refusals = 3
  return scriptedService({
    instead(request, response) {
      if (request.method !== 'POST' || refusals-- <= 0) return false
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":"full"}')
      return true
    },
  })
}

/** One-byte files in a folder for this test. */
function files(...names: string[]): { folder: string; paths: string[] } {
  const folder = temporaryFolder()
  const paths = names.map((name) => {
    writeFileSync(join(folder, name), 'x')
    return join(folder, name)
  })
  return { folder, paths }
}

/** Submits one photo and waits for its job. */
const submitAndWait = (
  service: ScriptedService,
  held: Parameters<typeof run>[1] = {},
  ...options: string[]
) => run(['submit', ...files('a.jpg').paths, '--wait', ...options, ...at(service)], { env, ...held })

describe('submit', () => {
  test('sends absolute paths, the preset and the count as one job, and only waits on request', async () => {
    const service = await scriptedService()
    const { folder, paths } = files('a.jpg', 'c.mp4')
    const argv = [
      'submit',
      'a.jpg',
      paths[1] ?? '',
      '--preset',
      'Web',
      '--count',
      '3',
      '--output',
      'out',
      '--json',
    ]
    const { code, events } = await run([...argv, ...at(service)], { env, cwd: folder })
    expect(code).toBe(0)
    expect(service.created).toEqual([
      { files: paths, outputFolder: join(folder, 'out'), preset: 'Web', batchCount: 3 },
    ])
    expect(events.at(-1)).toMatchObject({ event: 'accepted', jobId: 'job-1', inputs: { files: paths } })
  })

  test('processes the content of a folder, and reports what it can’t use', async () => {
    const service = await scriptedService()
    const { folder, paths } = files('a.jpg', 'b.png', 'notes.txt')
    const { code, stderr } = await run(['submit', folder, ...at(service)], { env, cwd: folder })
    expect(service.created).toMatchObject([{ files: paths.slice(0, 2) }])
    expect(stderr).toContain('notes.txt')
    expect(code).toBe(3)
    const nothing = await run(['submit', 'missing.jpg', ...at(service)], { env, cwd: folder })
    expect(nothing).toMatchObject({ code: 4, stderr: expect.stringContaining('The file doesn’t exist') })
  })

  test('creates one job per file with --separate, and one for a Drive folder', async () => {
    const service = await scriptedService()
    const { paths } = files('a.jpg', 'b.jpg')
    await run(['submit', ...paths, '--separate', '--drive-output', 'D', ...at(service)], { env })
    await run(['submit', '--drive-input', 'I', '--output', '/o', ...at(service)], { env })
    expect(service.created).toEqual([
      { filePath: paths[0], driveOutputFolder: 'D' },
      { filePath: paths[1], driveOutputFolder: 'D' },
      { driveInputFolder: 'I', outputFolder: '/o' },
    ])
  })

  test('reports a preset that the service does not have before anything is sent', async () => {
    const service = await scriptedService()
    const { paths } = files('a.jpg')
    const { code, stderr } = await run(['submit', ...paths, '--preset', 'Nope', ...at(service)], { env })
    expect(code).toBe(4)
    expect(stderr).toContain('Nope')
    expect(service.created).toEqual([])
  })

  test.each(
    firstOf(
      [
        ['done', [{ status: 'completed', result: { outputPath: '/o/a.jpg' } }], 0],
        ['failed', [{ status: 'failed', error: 'broken' }], 4],
        ['cancelled', [{ status: 'cancelled' }], 4],
        [
          'problems',
          [
            {
              status: 'completed',
              results: [{ file: 'a', outputPath: '/o/a' }],
              errors: [{ file: 'b', error: 'no' }],
            },
          ],
          3,
        ],
        ['failed', [{ status: 'completed', results: [], errors: [{ file: 'b', error: 'no' }] }], 4],
        ['forgotten', ['gone'], 4],
        ['done', ['unlisted', 'unlisted', { status: 'completed', result: { outputPath: '/o/a.jpg' } }], 0],
      ] as const,
      4,
    ),
  )('--wait reports that a job is %s (%j) and exits with %i', async (kind, readings, expected) => {
    const service = await scriptedService({
      readings: [{ status: 'queued' }, { status: 'queued' }, { status: 'processing' }, ...readings] as never,
    })
    const { code, events } = await submitAndWait(service, {}, '--json')
    expect(events.at(-1)).toMatchObject({ event: 'finished', jobId: 'job-1', outcome: { kind } })
    expect(code).toBe(expected)
  })

  test('--wait continues until an upload to the drive has ended', async () => {
    const drive = { outputFolderId: 'D' }
    const service = await scriptedService({
      readings: [
        { status: 'completed', drive },
        { status: 'completed', drive },
        { status: 'completed', drive },
        { status: 'completed', drive: { ...drive, uploadResult: { uploaded: 1, errors: [] } } },
      ],
    })
    const { code, events } = await submitAndWait(service, {}, '--drive-output', 'D', '--json')
    expect(code, JSON.stringify(events)).toBe(0)
    expect(events.at(-1)).toMatchObject({ outcome: { kind: 'done', uploaded: 1 } })
  })

  test('a file that the service skipped makes the job done with problems, with or without waiting', async () => {
    const service = await scriptedService({ skipped: [{ file: '/b.txt', error: 'not a photo' }] })
    for (const wait of [[], ['--wait']]) {
      const { paths } = files('a.jpg')
      const { code, stderr } = await run(['submit', ...paths, ...wait, ...at(service)], { env })
      expect(code).toBe(3)
      expect(stderr).toContain('not a photo')
    }
  })

  itInLongSuite(
    'with --wait, a full queue is retried until there is room; otherwise, unsent jobs are kept',
    async () => {
      const service = await fullService()
      const { paths } = files('a.jpg', 'b.jpg')
      const argv = ['submit', ...paths, '--separate']
      expect(await run([...argv, '--wait', ...at(service)], { env })).toMatchObject({ code: 0 })
      expect(service.created).toHaveLength(2)
      const full = await fullService()
      const kept = { ...env, MEDIATRAY_DATA_DIR: temporaryFolder() }
      const { code, stderr } = await run([...argv, ...at(full)], { env: kept })
      expect(code).toBe(5)
      expect(stderr).toContain('kept in the outbox')
      expect(full.created).toHaveLength(0)
      expect(await run(['outbox', 'send', ...at(full)], { env: kept })).toMatchObject({ code: 0 })
      expect(full.created).toHaveLength(2)
    },
  )

  itInLongSuite(
    'waiting submissions are sent even if cleaning up after an earlier process takes too long',
    async () => {
      const service = await fullService()
      const { paths } = files('a.jpg')
      const kept = { ...env, MEDIATRAY_DATA_DIR: temporaryFolder() }
      expect(await run(['submit', ...paths, ...at(service)], { env: kept })).toMatchObject({ code: 5 })
      const timing = fastTiming()
      const impatient: typeof timing = {
        ...timing,
        after(ms, expire) {
          if (ms !== 4_000) return timing.after(ms, expire)
          expire()
          return () => undefined
        },
      }
      await run(['outbox', 'send', ...at(service)], { env: kept, timing: impatient })
      expect(service.created).toHaveLength(1)
    },
  )

  itInLongSuite(
    'if the service disappears during the wait, the command exits with 5, and the job is remembered',
    async () => {
      const service = await scriptedService({ readings: [{ status: 'processing' }] })
      const remembering = { ...env, MEDIATRAY_DATA_DIR: temporaryFolder() }
      const { code, stderr } = await submitAndWait(service, {
        env: remembering,
        onWrite: (text) => void (text.includes('accepted') && service.close()),
      })
      expect(code).toBe(5)
      expect(stderr).toContain('The jobs continue at the service')
      const { stdout } = await run(['history', ...at(service)], { env: remembering })
      expect(stdout).toContain('in progress')
    },
  )

  test('Ctrl-C ends the wait with exit code 130, without canceling the job', async () => {
    const service = await scriptedService({ readings: [{ status: 'processing' }] })
    const interruption = new AbortController()
    const { code, stderr } = await submitAndWait(service, {
      interrupted: interruption.signal,
      onWrite: (text) => void (text.includes('accepted') && interruption.abort()),
    })
    expect(code).toBe(130)
    expect(stderr).toContain('The jobs continue at the service')
    expect(service.asked.some((route) => route.startsWith('DELETE'))).toBe(false)
  })
})

describe('the output', () => {
  test('shows progress bars only on a terminal, and control characters in file names never move the cursor', async () => {
    const working = {
      status: 'processing' as const,
      progress: { phase: '\u001b[2JDecoding', totalProgress: 40 },
    }
    const readings = [
      working,
      working,
      working,
      working,
      { status: 'completed' as const, result: { outputPath: '/o/\u001b[31mred.jpg' } },
    ]
    const service = await scriptedService({ readings })
    const onTerminal = await submitAndWait(service, { columns: 100 })
    expect(onTerminal.stderr).toContain('40%')
    expect(onTerminal.stderr).toContain('Decoding')
    expect(onTerminal.stderr).not.toContain('\u001b[2J')
    expect(onTerminal.stdout).not.toContain('\u001b')
    const again = await scriptedService({ readings })
    const inPipe = await submitAndWait(again)
    expect(inPipe.stderr).not.toContain('%')
  })

  test('jobs --watch shows running jobs of any client until there are none', async () => {
    const progress = { phase: 'Scaling', totalProgress: 40 }
    const service = await scriptedService({
      readings: [
        { status: 'processing', progress },
        { status: 'processing', progress: { ...progress, totalProgress: 60 } },
        { status: 'completed', result: { outputPath: '/o/a.jpg' } },
      ],
      others: 1,
    })
    const { code, events } = await run(['jobs', '--watch', '--json', ...at(service)], { env })
    expect(code).toBe(0)
    expect(events.map(({ event, share }) => [event, share])).toEqual([
      ['progress', 0.4],
      ['progress', 0.6],
      ['notice', undefined],
    ])
  })
})

describe('the other commands', () => {
  test.each([
    [['jobs'], [{ event: 'queue', queueLength: 0, processing: false, listed: 0 }]],
    [
      ['job', 'job-1'],
      [{ event: 'job', job: { jobId: 'job-1', status: 'completed' }, outcome: { kind: 'done' } }],
    ],
    [['cancel', 'job-1'], [{ event: 'cancelling', jobId: 'job-1', status: 'completed' }]],
    [['clear'], [{ event: 'cleared', cleared: 2 }]],
    [['status'], [{ event: 'status', knownVersion: true, drive: { connected: true } }]],
  ])('%j prints %j', async (argv, expected) => {
    const service = await scriptedService()
    const { code, events } = await run([...argv, '--json', ...at(service)], { env })
    expect(code).toBe(0)
    expect(events).toMatchObject(expected)
  })

  test('an unknown job id exits with 4', async () => {
    const service = await scriptedService({ readings: ['gone'] })
    expect(await run(['job', 'job-1', ...at(service)], { env })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('No such job'),
    })
  })
})

test.each([
  '{"settings": {"connec',
  '{"settings": {"connection": "External"}}',
  '{"settings": {"connection": "external", "baseUrl": ["http://127.0.0.1:9/api"]}}',
])(
  'with unreadable settings, the command doesn’t replace the user’s service with another: %s',
  async (stored) => {
    const data = temporaryFolder()
    await writeFile(join(data, 'settings.json'), stored)
    const { code, stderr } = await run(['status'], { env: { MEDIATRAY_DATA_DIR: data } })
    expect(code).toBe(4)
    expect(stderr).toContain('the service to use is unknown')
    expect(await readFile(join(data, 'settings.json'), 'utf8')).toBe(stored)
  },
)

test('a service specified with --base-url needs no settings', async () => {
  const data = temporaryFolder()
  await writeFile(join(data, 'settings.json'), 'nonsense')
  const { code, stderr } = await run(['--base-url', 'http://127.0.0.1:9/api', 'status'], {
    env: { MEDIATRAY_DATA_DIR: data },
  })
  expect(code).toBe(5)
  expect(stderr).not.toContain('settings')
})
