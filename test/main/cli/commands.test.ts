/** The commands against a scripted service: what they send, what they say, and the code they end with. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { run, temporaryFolder } from './command.ts'
import { KEY, scriptedService, type ScriptedService } from './scripted-service.ts'

let service: ScriptedService | undefined
afterEach(async () => {
  await service?.close()
  service = undefined
})

const env = { MEDIATRAY_API_KEY: KEY }
const at = (given: ScriptedService) => ['--base-url', given.baseUrl]

describe('usage', () => {
  test.each([
    [['submit'], 'name at least one file'],
    [['submit', 'a.jpg', '--drive-input', 'x'], 'exclude each other'],
    [['submit', '--drive-input', 'x', '--upload'], 'nothing to upload'],
    [['submit', 'a.jpg', '--output', 'x', '--drive-output', 'y'], 'cannot be used with'],
    [['submit', 'a.jpg', '--count', '0'], 'whole number'],
    [['submit', 'a.jpg', '--count', '1.5'], 'whole number'],
    [['download', 'x', '--index', '-1'], 'whole number'],
    [['dance'], 'unknown command'],
    [['jobs', '--loud'], 'unknown option'],
    [['job'], 'missing required argument'],
    [['jobs', '--base-url', 'ftp://x'], 'http://'],
    [['jobs', '--key-stdin'], '--base-url'],
  ])('%j ends with 2 and says why', async (argv, word) => {
    const { code, stdout, stderr } = await run(argv)
    expect(code).toBe(2)
    expect(stderr).toContain(word)
    expect(stdout).toBe('')
  })

  test('--help is no mistake', async () => {
    const { code, stdout } = await run(['submit', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('--separate')
  })

  test('--licences shows what the packages carry, and asks no service', async () => {
    const { code, stdout, stderr } = await run(['--licences'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of ['FFmpeg', 'x265', 'libvips', 'GPL-3.0-or-later']) expect(stdout).toContain(name)
  })
})

describe('the key', () => {
  test('comes from the environment, or from the first line of stdin, and is never shown', async () => {
    service = await scriptedService()
    const fromEnv = await run(['status', ...at(service)], { env })
    expect(fromEnv).toMatchObject({ code: 0, stdout: expect.stringContaining('1.0.81') })
    const fromStdin = await run(['presets', '--key-stdin', '--json', ...at(service)], {
      readKey: () => Promise.resolve(KEY),
    })
    expect(fromStdin.code).toBe(0)
    expect(fromStdin.events).toEqual([
      { event: 'presets', presets: { image: ['Web'], video: ['Web', 'Film'] } },
    ])
    expect(fromEnv.stdout + fromEnv.stderr + fromStdin.stdout + fromStdin.stderr).not.toContain(KEY)
  })

  test.each(['wrong', '', 'with space'])('that is %j ends every command with 6', async (key) => {
    service = await scriptedService()
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
  })
})

test('a service that is not there ends every command with 5', async () => {
  for (const command of [['jobs'], ['status'], ['submit', '--drive-input', 'x'], ['download', 'job-1']]) {
    const { code, stderr } = await run([...command, '--base-url', 'http://127.0.0.1:1/api'], { env })
    expect(code).toBe(5)
    expect(stderr).toContain('can’t be reached')
  }
})

/** Refuses the first three submissions. */
const serviceThatIsFull = () => {
  let refusals = 3
  return scriptedService({
    instead(request, response) {
      if (request.method !== 'POST' || refusals-- <= 0) return false
      response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":"full"}')
      return true
    },
  })
}

/** Files of a byte each, in a folder of the test's own. */
function files(...names: string[]): { folder: string; paths: string[] } {
  const folder = temporaryFolder()
  const paths = names.map((name) => {
    writeFileSync(join(folder, name), 'x')
    return join(folder, name)
  })
  return { folder, paths }
}

describe('submit', () => {
  test('sends absolute paths, the preset and the count as one job, and does not wait unless asked', async () => {
    service = await scriptedService()
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

  test('takes what is in a folder, and says what it can’t use', async () => {
    service = await scriptedService()
    const { folder, paths } = files('a.jpg', 'b.png', 'notes.txt')
    const { code, stderr } = await run(['submit', folder, ...at(service)], { env, cwd: folder })
    expect(service.created).toMatchObject([{ files: paths.slice(0, 2) }])
    expect(stderr).toContain('notes.txt')
    expect(code).toBe(3)
    const nothing = await run(['submit', 'missing.jpg', ...at(service)], { env, cwd: folder })
    expect(nothing).toMatchObject({ code: 4, stderr: expect.stringContaining('no longer there') })
  })

  test('puts results into a folder of its own below the current one unless told otherwise', async () => {
    service = await scriptedService()
    const { folder, paths } = files('a.jpg')
    await run(['submit', 'a.jpg', ...at(service)], { env, cwd: folder })
    expect(service.created).toEqual([{ filePath: paths[0], outputFolder: join(folder, 'mediatray-output') }])
  })

  test('makes one job of each file with --separate, and one of a Drive folder', async () => {
    service = await scriptedService()
    const { paths } = files('a.jpg', 'b.jpg')
    await run(['submit', ...paths, '--separate', '--drive-output', 'D', ...at(service)], { env })
    await run(['submit', '--drive-input', 'I', '--output', '/o', ...at(service)], { env })
    expect(service.created).toEqual([
      { filePath: paths[0], driveOutputFolder: 'D' },
      { filePath: paths[1], driveOutputFolder: 'D' },
      { driveInputFolder: 'I', outputFolder: '/o' },
    ])
  })

  test('splits what would not fit into 64 KiB, and loses no file', async () => {
    service = await scriptedService()
    const names = Array.from({ length: 700 }, (_, index) => `${'ü'.repeat(60)}-${1000 + index}.jpg`)
    const { paths } = files(...names)
    await run(['submit', ...paths, '--output', '/o', ...at(service)], { env })
    expect(service.created.length).toBeGreaterThan(1)
    expect(service.created.flatMap((body) => body['files'])).toEqual(paths)
    for (const body of service.created)
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(65_536)
  })

  test('a preset that the service does not have is said before anything is sent', async () => {
    service = await scriptedService()
    const { paths } = files('a.jpg')
    const { code, stderr } = await run(['submit', ...paths, '--preset', 'Nope', ...at(service)], { env })
    expect(code).toBe(4)
    expect(stderr).toContain('Nope')
    expect(service.created).toEqual([])
  })

  test.each([
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
  ] as const)('--wait tells that a job is %s (%j) with the code %i', async (kind, readings, expected) => {
    service = await scriptedService({
      readings: [{ status: 'queued' }, { status: 'queued' }, { status: 'processing' }, ...readings] as never,
    })
    const { paths } = files('a.jpg')
    const { code, events } = await run(['submit', ...paths, '--wait', '--json', ...at(service)], { env })
    expect(events.at(-1)).toMatchObject({ event: 'finished', jobId: 'job-1', outcome: { kind } })
    expect(code).toBe(expected)
  })

  test('--wait goes on until an upload to the drive has ended', async () => {
    const drive = { outputFolderId: 'D' }
    service = await scriptedService({
      readings: [
        { status: 'completed', drive },
        { status: 'completed', drive },
        { status: 'completed', drive },
        { status: 'completed', drive: { ...drive, uploadResult: { uploaded: 1, errors: [] } } },
      ],
    })
    const { paths } = files('a.jpg')
    const argv = ['submit', ...paths, '--drive-output', 'D', '--wait', '--json', ...at(service)]
    const { code, events } = await run(argv, { env })
    expect(code).toBe(0)
    expect(events.at(-1)).toMatchObject({ outcome: { kind: 'done', uploaded: 1 } })
  })

  test('a file that the service skipped makes it done with problems, waiting or not', async () => {
    service = await scriptedService({ skipped: [{ file: '/b.txt', error: 'not a photo' }] })
    for (const wait of [[], ['--wait']]) {
      const { paths } = files('a.jpg')
      const { code, stderr } = await run(['submit', ...paths, ...wait, ...at(service)], { env })
      expect(code).toBe(3)
      expect(stderr).toContain('not a photo')
    }
  })

  test('with --wait a full queue is asked again until there is room; without, what found none is kept', async () => {
    service = await serviceThatIsFull()
    const { paths } = files('a.jpg', 'b.jpg')
    const argv = ['submit', ...paths, '--separate']
    expect(await run([...argv, '--wait', ...at(service)], { env })).toMatchObject({ code: 0 })
    expect(service.created).toHaveLength(2)
    await service.close()
    service = await serviceThatIsFull()
    const kept = { ...env, MEDIATRAY_DATA_DIR: temporaryFolder() }
    const { code, stderr } = await run([...argv, ...at(service)], { env: kept })
    expect(code).toBe(5)
    expect(stderr).toContain('kept in the outbox')
    expect(service.created).toHaveLength(0)
    expect(await run(['outbox', 'send', ...at(service)], { env: kept })).toMatchObject({ code: 0 })
    expect(service.created).toHaveLength(2)
  })

  test('a lost answer is looked up, not sent again', async () => {
    let lost = false
    service = await scriptedService({
      readings: [{ status: 'processing' }],
      instead(request, response, _, create) {
        if (request.method !== 'POST' || lost) return false
        lost = true
        create()
        response.destroy()
        return true
      },
    })
    const { paths } = files('a.jpg')
    const { code, events } = await run(['submit', ...paths, '--json', ...at(service)], { env })
    expect(code).toBe(0)
    expect(events.at(-1)).toMatchObject({ event: 'accepted', jobId: 'job-1' })
    expect(service.created).toHaveLength(1)
  })

  test('a service that vanishes while waiting is given up with 5, and the job is remembered', async () => {
    service = await scriptedService({ readings: [{ status: 'processing' }] })
    const given = service
    const { paths } = files('a.jpg')
    const remembering = { ...env, MEDIATRAY_DATA_DIR: temporaryFolder() }
    const { code, stderr } = await run(['submit', ...paths, '--wait', ...at(service)], {
      env: remembering,
      onWrite: (text) => void (text.includes('accepted') && given.close()),
    })
    expect(code).toBe(5)
    expect(stderr).toContain('the jobs go on')
    const { stdout } = await run(['history', ...at(service)], { env: remembering })
    expect(stdout).toContain('not over')
  })

  test('Ctrl-C ends the waiting with 130 and cancels nothing', async () => {
    service = await scriptedService({ readings: [{ status: 'processing' }] })
    const interruption = new AbortController()
    const { paths } = files('a.jpg')
    const { code, stderr } = await run(['submit', ...paths, '--wait', ...at(service)], {
      env,
      interrupted: interruption.signal,
      onWrite: (text) => void (text.includes('accepted') && interruption.abort()),
    })
    expect(code).toBe(130)
    expect(stderr).toContain('the jobs go on')
    expect(service.asked.some((route) => route.startsWith('DELETE'))).toBe(false)
  })
})

describe('the screen', () => {
  test('shows bars on a terminal only, and names of others never move its cursor', async () => {
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
    service = await scriptedService({ readings })
    const { paths } = files('a.jpg')
    const onTerminal = await run(['submit', ...paths, '--wait', ...at(service)], { env, columns: 100 })
    expect(onTerminal.stderr).toContain('40%')
    expect(onTerminal.stderr).toContain('Decoding')
    expect(onTerminal.stderr).not.toContain('\u001b[2J')
    expect(onTerminal.stdout).not.toContain('\u001b')
    await service.close()
    service = await scriptedService({ readings })
    const inPipe = await run(['submit', ...paths, '--wait', ...at(service)], { env })
    expect(inPipe.stderr).not.toContain('%')
  })

  test('jobs --watch shows what is under way, whoever submitted it, until nothing is', async () => {
    const progress = { phase: 'Scaling', totalProgress: 40 }
    service = await scriptedService({
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

describe('the small commands', () => {
  test.each([
    [['jobs'], [{ event: 'queue', queueLength: 0, processing: false, listed: 0 }]],
    [
      ['job', 'job-1'],
      [{ event: 'job', job: { jobId: 'job-1', status: 'completed' }, outcome: { kind: 'done' } }],
    ],
    [['cancel', 'job-1'], [{ event: 'cancelling', jobId: 'job-1', status: 'completed' }]],
    [['clear'], [{ event: 'cleared', cleared: 2 }]],
    [['status'], [{ event: 'status', knownVersion: true, drive: { connected: false } }]],
  ])('%j says %j', async (argv, expected) => {
    service = await scriptedService()
    const { code, events } = await run([...argv, '--json', ...at(service)], { env })
    expect(code).toBe(0)
    expect(events).toMatchObject(expected)
  })

  test('a job that nobody knows ends with 4', async () => {
    service = await scriptedService({ readings: ['gone'] })
    expect(await run(['job', 'job-1', ...at(service)], { env })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('No such job'),
    })
  })
})
