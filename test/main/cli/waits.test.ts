/** A command accounts for every submission that it accepted, and explains any wait longer than five seconds while it lasts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openOutbox } from '../../../src/main/outbox/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { planOfFiles } from '../outbox/drafts.ts'
import { fastTiming, jsonLines, run, temporaryFolder } from './command.ts'
import { KEY, scriptedService } from './scripted-service.ts'

const FASTER = 10
/** In ms of the command's accelerated clock, so several times as long as needed, even for a busy machine. */
const GIVEN_UP_MS = 60_000 * FASTER

function photosIn(folder: string, count: number): readonly string[] {
  mkdirSync(folder, { recursive: true })
  return Array.from({ length: count }, (_, n) => {
    const file = join(folder, `harbor-${n}.jpg`)
    writeFileSync(file, Buffer.from([0xff, 0xd8, 0xff, 0xe0, n % 256]))
    return file
  })
}

/** @returns also its lines, and its duration in ms of the command's clock */
async function watched(argv: readonly string[], data = temporaryFolder()) {
  const timing = fastTiming(FASTER)
  const began = timing.monotonic()
  const said: string[] = []
  const ran = await run(argv, {
    env: { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data },
    timing,
    onWrite: (text) => said.push(text),
  })
  const { code, stderr, stdout } = ran
  return { code, stderr, stdout, said, took: timing.monotonic() - began }
}

const eventsOf = (events: readonly Record<string, unknown>[], kind: string) =>
  events.filter(({ event }) => event === kind)

describe('submissions while the service can’t be reached', () => {
  const nowhere = ['--base-url', 'http://127.0.0.1:9/api']

  test('are each reported with an id in the JSON output, however many there are', async () => {
    const folder = temporaryFolder()
    const photos = photosIn(folder, 150)
    const ran = await watched(['--json', ...nowhere, 'submit', '--separate', ...photos])
    expect(ran.code).toBe(5)
    const kept = eventsOf(jsonLines(ran.stdout), 'kept')
    const files = kept.flatMap(({ inputs }) => (inputs as { files: string[] }).files)
    expect(files.toSorted()).toEqual(photos.toSorted())
    expect(new Set(kept.map(({ id }) => id)).size).toBe(150)
  })

  test('are summarized if there are many', async () => {
    const photos = photosIn(temporaryFolder(), 150)
    const { code, stderr } = await watched([...nowhere, 'submit', '--separate', ...photos])
    expect(code).toBe(5)
    expect(stderr).toContain('150 submissions are kept in the outbox')
    expect(stderr).toContain('outbox send')
    expect(stderr.split('\n').length).toBeLessThan(10)
  })

  test('are listed individually if there are few', async () => {
    const photos = photosIn(temporaryFolder(), 3)
    const { stderr } = await watched([...nowhere, 'submit', '--separate', ...photos])
    for (const n of [0, 1, 2]) expect(stderr).toContain(`kept in the outbox: harbor-${n}.jpg`)
  })
})

const html = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome</body></html>')

/** A service whose job list is an HTML page or an error. The first `from` requests receive a valid list. */
function serviceWithout(list: 'html' | 'error', from = 0) {
  let lists = 0
  return scriptedService({
    readings: [{ status: 'processing' }],
    instead(request, response) {
      if (request.method !== 'GET' || request.url !== '/api/jobs' || lists++ < from) return false
      if (list === 'html') html(response)
      if (list === 'error') response.writeHead(500).end('{"error":"the list is broken"}')
      return true
    },
  })
}

describe('a service whose job list can’t be read', () => {
  test.each(
    firstOf([
      ['html', 0],
      ['error', 3],
      ['error', 0],
      ['html', 3],
    ] as const),
  )('(%s, after %i lists) is explained, and ends the wait', async (how, from) => {
    const service = await serviceWithout(how, from)
    const [photo = ''] = photosIn(temporaryFolder(), 1)
    for (const wait of [[], ['--wait']]) {
      // If the command doesn't wait for the job, the list is only needed while sending.
      if (from > 0 && wait.length === 0) continue
      const ran = await watched(['--json', '--base-url', service.baseUrl, 'submit', photo, ...wait])
      expect(ran.code).toBe(5)
      const explained = ran.said.find((text) => /GET \/jobs|list is broken/.test(text))
      expect(explained).toBeDefined()
      expect(ran.took).toBeLessThan(GIVEN_UP_MS)
      const events = jsonLines(ran.stdout)
      const kept = [...eventsOf(events, 'kept'), ...eventsOf(events, 'accepted')]
      expect(kept).toHaveLength(1)
    }
  })

  itInLongSuite('keeps “outbox send” from sending, and the command explains why and exits', async () => {
    const service = await serviceWithout('html')
    const [photo = ''] = photosIn(temporaryFolder(), 1)
    const data = temporaryFolder()
    await watched(['--base-url', service.baseUrl, 'submit', photo], data)
    const ran = await watched(['--base-url', service.baseUrl, 'outbox', 'send'], data)
    expect(ran.code).toBe(5)
    expect(ran.stderr).toContain('GET /jobs')
    expect(ran.stderr).toContain('kept in the outbox')
    expect(ran.took).toBeLessThan(GIVEN_UP_MS)
  })
})

/** @returns the events of the command, without progress */
async function stoppedWhileSending(responds: boolean) {
  const stopping = new AbortController()
  const service = await scriptedService({
    readings: [{ status: 'processing' }],
    instead({ method }) {
      if (method !== 'POST') return false
      stopping.abort()
      return !responds
    },
  })
  const [photo = ''] = photosIn(temporaryFolder(), 1)
  const ran = await run(['--json', '--base-url', service.baseUrl, 'submit', photo, '--wait'], {
    env: { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: temporaryFolder() },
    interrupted: stopping.signal,
  })
  expect(ran.code).toBe(130)
  return ran.events.filter(({ event }) => event !== 'progress')
}

describe('a command that is stopped while its submission is being sent', () => {
  test('reports that the service accepted it', async () => {
    const events = await stoppedWhileSending(true)
    expect(events.map(({ event }) => event)).toEqual(['accepted', 'notice'])
    expect(events[1]).toHaveProperty('message', expect.stringContaining('continue at the service'))
  })

  itInLongSuite('reports that it may have arrived if the service doesn’t respond', async () => {
    expect((await stoppedWhileSending(false)).map(({ event }) => event)).toEqual(['unknown'])
  })
})

describeInLongSuite('a job that becomes unreadable', () => {
  test('is explained by naming the invalid field, and ends the wait', async () => {
    const broken: object = { status: 'processing', preset: null }
    const service = await scriptedService({ readings: [{ status: 'processing' }, broken] })
    const [photo = ''] = photosIn(temporaryFolder(), 1)
    const ran = await watched(['--json', '--base-url', service.baseUrl, 'submit', photo, '--wait'])
    const waiting = eventsOf(jsonLines(ran.stdout), 'waiting')
    expect(waiting).toContainEqual(
      expect.objectContaining({ reason: 'unreadable', message: expect.stringContaining('preset') }),
    )
    expect(ran.code).toBe(5)
    expect(ran.took).toBeLessThan(GIVEN_UP_MS)
  })
})

/**
 * Leaves a submission as a killed command would: marked as being sent, after reading an empty job list.
 * @param jobId the job that the service created for it, if the response was noted
 */
async function killedSending(jobId?: string) {
  const service = await scriptedService()
  const data = temporaryFolder()
  const [photo = ''] = photosIn(temporaryFolder(), 1)
  const at = ['--base-url', service.baseUrl]
  const outbox = openOutbox({
    file: join(data, 'outbox.db'),
    clock: Date.now,
    ids: () => asRecordId('r-killed'),
  })
  const plan = planOfFiles([photo], { target: service.baseUrl })
  const [stored] = await outbox.enqueue([plan])
  const { baseUrl } = service
  const attempt = { at: Date.now(), service: baseUrl, baseUrl, connection: 'external' as const }
  expect(outbox.beginSending(asRecordId('r-killed'), { ...attempt, known: [], uploaded: null })).toBe(true)
  if (jobId !== undefined) {
    outbox.accept(asRecordId('r-killed'), {
      jobId,
      baseUrl,
      connection: 'external',
      acceptedAt: Date.now(),
      skipped: [],
    })
  }
  outbox.close()
  const env = { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data }
  return { service, env, at, id: stored?.id ?? '' }
}

describe('a submission whose command was killed while sending', () => {
  test('is immediately reported by “outbox send” as being checked, with details and a time limit, and can be resolved meanwhile', async () => {
    const { service, env, at, id } = await killedSending()
    const checked = Promise.withResolvers<void>()
    const lines: string[] = []
    const onWrite = (text: string) => {
      lines.push(text)
      if (text.includes('"checking"')) checked.resolve()
    }
    const sending = run(['--json', ...at, 'outbox', 'send'], { env, timing: fastTiming(FASTER), onWrite })
    await checked.promise
    const [checking] = eventsOf(jsonLines(lines.join('')), 'checking')
    expect(checking).toMatchObject({ id, cause: 'crash' })
    expect(Number(checking?.['remainingMs'])).toBeGreaterThan(4 * 60_000)

    expect((await run([...at, 'outbox', 'resolve', id, 'send'], { env })).code).toBe(0)
    const ran = await sending
    expect(ran.code).toBe(0)
    expect(eventsOf(jsonLines(ran.stdout), 'accepted')).toMatchObject([{ id }])
    expect(service.created).toHaveLength(1)
  })

  test('reaches the history if only its response had been noted', async () => {
    const { service, env, at } = await killedSending('job-7')
    expect((await run([...at, 'outbox', 'send'], { env })).stderr).toContain('There is nothing to send.')
    expect(service.created).toEqual([])
    expect((await run(['--json', ...at, 'history'], { env })).stdout).toContain('"jobId":"job-7"')
  })

  test('is listed with the ways to resolve it if the check is interrupted', async () => {
    const { env, at, id } = await killedSending()
    const interruption = new AbortController()
    const { code, stderr } = await run([...at, 'outbox', 'send'], {
      env,
      interrupted: interruption.signal,
      onWrite: (text) => text.includes('Checking the service’s job list') && interruption.abort(),
    })
    expect(code).toBe(130)
    expect(stderr.trimEnd().split('\n').at(-1)).toContain(`outbox resolve ${id} adopt`)
  })

  test('can be resolved before anything is checked', async () => {
    const { env, at, id } = await killedSending()
    expect((await run([...at, 'outbox', 'resolve', id, 'remove'], { env })).code).toBe(0)
    expect((await run([...at, 'outbox'], { env })).stderr).toContain('empty')
  })
})

describe('a wait', () => {
  itInLongSuite('prints the job’s name if there is no progress bar', async () => {
    let reads = 0
    const service = await scriptedService({
      reading: () =>
        (reads += 1) < 8
          ? { status: 'processing' }
          : { status: 'completed', result: { outputPath: '/o/a.jpg' } },
    })
    const [photo = ''] = photosIn(temporaryFolder(), 1)
    const ran = await watched(['--base-url', service.baseUrl, 'submit', photo, '--wait'])
    const accepted = ran.said.findIndex((text) => text.includes('accepted'))
    expect(ran.said[accepted + 1]).toContain('Waiting for harbor-0.jpg')
  })

  test('for a single response is explained by every command', async () => {
    const service = await scriptedService({
      instead(request, response) {
        const body = JSON.stringify({ image: [], video: [] })
        if (request.url !== '/api/presets') return false
        setTimeout(() => response.writeHead(200).end(body), 900)
        return true
      },
    })
    const ran = await watched(['--json', '--base-url', service.baseUrl, 'presets'])
    expect(jsonLines(ran.stdout).map(({ event }) => event)).toEqual(['waiting', 'presets'])
  })
})
