/** The verbs against a scripted service: what they send, what they say, and the code they end with. */
import { afterEach, describe, expect, test } from 'vitest'
import { run } from './command.ts'
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

  test.each(['wrong', '', 'with space'])('that is %j ends every verb with 6', async (key) => {
    service = await scriptedService()
    for (const verb of [
      ['jobs'],
      ['job', 'job-1'],
      ['cancel', 'job-1'],
      ['presets'],
      ['status'],
      ['clear'],
      ['submit', 'a.jpg'],
    ]) {
      const { code, stderr } = await run([...verb, ...at(service)], { env: { MEDIATRAY_API_KEY: key } })
      expect(code).toBe(6)
      expect(stderr).toContain('key')
    }
  })
})

test('a service that is not there ends every verb with 5', async () => {
  for (const verb of [['jobs'], ['status'], ['submit', 'a.jpg'], ['download', 'job-1']]) {
    const { code, stderr } = await run([...verb, '--base-url', 'http://127.0.0.1:1/api'], { env })
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

describe('submit', () => {
  test('sends absolute paths, the preset and the count as one job, and does not wait unless asked', async () => {
    service = await scriptedService()
    const argv = [
      'submit',
      'a.jpg',
      '/b/c.mp4',
      '--preset',
      'Web',
      '--count',
      '3',
      '--output',
      'out',
      '--json',
    ]
    const { code, events } = await run([...argv, ...at(service)], { env, cwd: '/here' })
    expect(code).toBe(0)
    expect(service.created).toEqual([
      { files: ['/here/a.jpg', '/b/c.mp4'], outputFolder: '/here/out', preset: 'Web', batchCount: 3 },
    ])
    expect(events).toMatchObject([{ event: 'accepted', job: { jobId: 'job-1' } }])
    expect(service.asked).toEqual(['POST /api/jobs'])
  })

  test('puts results into a folder of its own below the current one unless told otherwise', async () => {
    service = await scriptedService()
    await run(['submit', 'a.jpg', ...at(service)], { env, cwd: '/here' })
    expect(service.created).toEqual([{ filePath: '/here/a.jpg', outputFolder: '/here/mediatray-output' }])
  })

  test('makes one job of each file with --separate, and one of a Drive folder', async () => {
    service = await scriptedService()
    await run(['submit', '/a.jpg', '/b.jpg', '--separate', '--drive-output', 'D', ...at(service)], { env })
    await run(['submit', '--drive-input', 'I', '--output', '/o', ...at(service)], { env })
    expect(service.created).toEqual([
      { filePath: '/a.jpg', driveOutputFolder: 'D' },
      { filePath: '/b.jpg', driveOutputFolder: 'D' },
      { driveInputFolder: 'I', outputFolder: '/o' },
    ])
  })

  test('splits what would not fit into 64 KiB, and loses no file', async () => {
    service = await scriptedService()
    const files = Array.from({ length: 900 }, (_, index) => `/photos/${'ü'.repeat(60)}-${index}.jpg`)
    await run(['submit', ...files, '--output', '/o', ...at(service)], { env })
    expect(service.created.length).toBeGreaterThan(1)
    expect(service.created.flatMap((body) => body['files'])).toEqual(files)
    for (const body of service.created)
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(65_536)
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
      readings: [{ status: 'queued' }, { status: 'processing' }, ...readings] as never,
    })
    const { code, events, sleeps } = await run(['submit', '/a.jpg', '--wait', '--json', ...at(service)], {
      env,
    })
    expect(events.at(-1)).toMatchObject({ event: 'finished', jobId: 'job-1', outcome: { kind } })
    expect(code).toBe(expected)
    expect(new Set(sleeps)).toEqual(new Set([2000]))
  })

  test('--wait goes on until an upload to the drive has ended', async () => {
    const drive = { outputFolderId: 'D' }
    service = await scriptedService({
      readings: [
        { status: 'completed', drive },
        { status: 'completed', drive },
        { status: 'completed', drive: { ...drive, uploadResult: { uploaded: 1, errors: [] } } },
      ],
    })
    const { code, sleeps } = await run(
      ['submit', '/a.jpg', '--drive-output', 'D', '--wait', ...at(service)],
      { env },
    )
    expect(code).toBe(0)
    expect(sleeps).toHaveLength(2)
  })

  test('a file that the service skipped makes it done with problems, waiting or not', async () => {
    service = await scriptedService({ skipped: [{ file: '/b.txt', error: 'not a photo' }] })
    for (const wait of [[], ['--wait']]) {
      const { code, stderr } = await run(['submit', '/a.jpg', '/b.txt', ...wait, ...at(service)], { env })
      expect(code).toBe(3)
      expect(stderr).toContain('not a photo')
    }
  })

  test('with --wait a full queue is asked again until there is room; without, the rest is told as not submitted', async () => {
    service = await serviceThatIsFull()
    expect(
      await run(['submit', '/a.jpg', '/b.jpg', '--separate', '--wait', ...at(service)], { env }),
    ).toMatchObject({ code: 0 })
    expect(service.created).toHaveLength(2)
    await service.close()
    service = await serviceThatIsFull()
    const { code, stderr } = await run(['submit', '/a.jpg', '/b.jpg', '--separate', ...at(service)], { env })
    expect(code).toBe(4)
    expect(stderr).toContain('1 further job was not submitted')
    expect(service.created).toHaveLength(0)
  })

  test('a lost answer is not sent again, and ends with 5', async () => {
    service = await scriptedService({
      instead(request, response) {
        if (request.method === 'POST') response.destroy()
        return request.method === 'POST'
      },
    })
    const { code, stderr } = await run(
      ['submit', '/a.jpg', '/b.jpg', '--separate', '--wait', ...at(service)],
      { env },
    )
    expect(code).toBe(5)
    expect(stderr).toContain('may have received')
    expect(service.asked).toEqual(['POST /api/jobs'])
  })

  test('a service that vanishes while waiting is asked five times, then given up with 5', async () => {
    service = await scriptedService({
      instead(request, response) {
        if (request.method === 'GET') response.destroy()
        return request.method === 'GET'
      },
    })
    const { code } = await run(['submit', '/a.jpg', '--wait', ...at(service)], { env })
    expect(code).toBe(5)
    expect(service.asked.filter((route) => route === 'GET /api/jobs')).toHaveLength(5)
  })

  test('Ctrl-C ends the waiting with 130 and cancels nothing', async () => {
    service = await scriptedService({ readings: [{ status: 'processing' }] })
    const interruption = new AbortController()
    const { code, stderr } = await run(['submit', '/a.jpg', '--wait', ...at(service)], {
      env,
      interrupted: interruption.signal,
      onSleep: () => interruption.abort(),
    })
    expect(code).toBe(130)
    expect(stderr).toContain('the jobs go on')
    expect(service.asked.some((route) => route.startsWith('DELETE'))).toBe(false)
  })
})

describe('the screen', () => {
  test('shows bars on a terminal only, and names of others never move its cursor', async () => {
    const readings = [
      { status: 'processing' as const, progress: { phase: '\u001b[2JDecoding', totalProgress: 40 } },
      { status: 'completed' as const, result: { outputPath: '/o/\u001b[31mred.jpg' } },
    ]
    service = await scriptedService({ readings })
    const onTerminal = await run(['submit', '/a.jpg', '--wait', ...at(service)], { env, columns: 100 })
    expect(onTerminal.stderr).toContain('40%')
    expect(onTerminal.stderr).toContain('Decoding')
    expect(onTerminal.stderr).not.toContain('\u001b[2J')
    expect(onTerminal.stdout).not.toContain('\u001b')
    await service.close()
    service = await scriptedService({ readings })
    const inPipe = await run(['submit', '/a.jpg', '--wait', ...at(service)], { env })
    expect(inPipe.stderr).not.toContain('%')
  })
})

describe('the small verbs', () => {
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
      stderr: 'No such job\n',
    })
  })
})
