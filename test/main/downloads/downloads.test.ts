import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { link, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDownloads, type Downloads, type Fetched } from '../../../src/main/downloads/index.ts'
import { placeResult } from '../../../src/main/downloads/place-result.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { contentOf, refuse, resultsService, type ResultsService } from './results-service.ts'

const id = asRecordId('r_1')
const FASTER = 100
let folder = ''
let out = ''
let service: ResultsService
let downloads: Downloads | undefined
let fetched: Fetched[] = []
let troubles = 0
/** How long was waited each time, in ms. */
let waits: number[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mediatray-downloads-'))
  out = join(folder, 'out')
  service = await resultsService()
  fetched = []
  troubles = 0
  waits = []
})
afterEach(async () => {
  await downloads?.stop()
  downloads?.close()
  downloads = undefined
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

function open(): Downloads {
  downloads = createDownloads({
    file: join(folder, 'downloads.db'),
    service: () => ({ api: service.api, identity: 'it' }),
    claim: () => true,
    timing: {
      clock: Date.now,
      after(ms, run) {
        waits.push(ms)
        const timer = setTimeout(run, ms / FASTER)
        return () => clearTimeout(timer)
      },
    },
    onFetched: (one) => fetched.push(one),
    onTrouble: () => (troubles += 1),
    onChange: () => undefined,
    log: () => undefined,
  })
  downloads.start()
  return downloads
}

async function reopen(): Promise<Downloads> {
  await downloads?.stop()
  downloads?.close()
  fetched = []
  return open()
}

function begin(...remotePaths: string[]): void {
  beginJob({}, ...remotePaths)
}

function beginJob(job: { readonly jobCreatedAt?: string }, ...remotePaths: string[]): void {
  downloads?.expect(id, out)
  downloads?.begin({
    id,
    ...job,
    jobId: 'job-1',
    service: 'it',
    outcome: { kind: 'done', results: remotePaths.length, uploaded: null },
    endedAt: 7,
    results: remotePaths.map((outputPath, index) => ({ index, file: `in-${index}.jpg`, outputPath })),
    problems: [],
  })
}

const told = () => expect.poll(() => fetched.length, { interval: 5 }).toBe(1)
const names = async () => (await readdir(out)).toSorted()

const intend = () => expect.unreachable()

describe('results on another computer', () => {
  it('get the ending of what they hold, and stay in their folder, whatever the service calls them', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
    service.instead = (index, response) => {
      response.end(index === 0 ? png : 'MZ, a program')
      return true
    }
    open()
    begin('/srv/x/photo.exe', '..\\..\\run.exe')
    await told()
    expect(await names()).toEqual(['photo.png', 'run.exe.bin'])
    expect(fetched[0]?.results.map(({ outputPath }) => outputPath)).toEqual([
      join(out, 'photo.png'),
      join(out, 'run.exe.bin'),
    ])
  })

  it('come here one after the other, under their names, and over nothing', async () => {
    await mkdir(out)
    await writeFile(join(out, 'a.jpg'), 'mine')
    open()
    begin('/srv/x/a.jpg', 'C:\\out\\b.jpg', '/srv/y/a.jpg')
    await told()
    expect(fetched).toEqual([
      {
        id,
        outcome: { kind: 'done', results: 3, uploaded: null },
        endedAt: 7,
        again: false,
        problems: [],
        results: [
          { index: 0, file: 'in-0.jpg', outputPath: join(out, 'a (2).jpg') },
          { index: 1, file: 'in-1.jpg', outputPath: join(out, 'b.jpg') },
          { index: 2, file: 'in-2.jpg', outputPath: join(out, 'a (3).jpg') },
        ],
      },
    ])
    expect(await readFile(join(out, 'a.jpg'), 'utf8')).toBe('mine')
    expect(await readFile(join(out, 'a (3).jpg'), 'utf8')).toBe(contentOf(2))
    expect(await names()).toEqual(['a (2).jpg', 'a (3).jpg', 'a.jpg', 'b.jpg'])
    expect(service.asked).toEqual([0, 1, 2])
    expect(downloads?.busy()).toBe(false)
  })

  it('are shown one by one, as they come', async () => {
    // The second one does not end before the app does.
    service.instead = (index) => index === 1
    open()
    begin('/srv/x/a.jpg', '/srv/x/b.jpg')
    await expect.poll(() => service.asked, { interval: 5 }).toEqual([0, 1])
    expect(downloads?.active()).toMatchObject([{ id, jobId: 'job-1', done: ['in-0.jpg'], total: 2 }])
    expect(downloads?.busy()).toBe(true)
  })

  it('of a job that got the name of ours after a restart are not taken for ours', async () => {
    const CREATED = '2026-11-20T10:00:00.000Z'
    let createdAt = '2026-11-21T10:00:00.000Z'
    const asked: (string | undefined)[] = []
    service.instead = (_, response) => {
      const { url } = response.req
      asked.push(url?.replace(/[?].*$/, ''))
      if (url !== '/api/jobs/job-1') return false
      const times = { createdAt, startedAt: null, completedAt: null }
      const job = { jobId: 'job-1', status: 'completed', type: 'single', preset: 'x', progress: {}, ...times }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(job))
      return true
    }
    open()
    beginJob({ jobCreatedAt: CREATED }, '/srv/a.jpg')
    await told()
    expect(asked).toEqual(['/api/jobs/job-1'])
    expect(fetched[0]).toMatchObject({ results: [], problems: [{ file: 'in-0.jpg' }] })
    createdAt = CREATED
    await reopen()
    beginJob({ jobCreatedAt: CREATED }, '/srv/a.jpg')
    await told()
    expect(asked.slice(1)).toEqual(['/api/jobs/job-1', '/api/download/job-1'])
    expect(fetched[0]?.results).toHaveLength(1)
  })

  it('are not fetched while the service can’t say whose job it is', async () => {
    const answers: (string | undefined)[] = []
    service.instead = (_, response) => {
      answers.push(response.req.url?.replace(/[?].*$/, ''))
      return response.req.url === '/api/jobs/job-1' && refuse(503, response)
    }
    open()
    beginJob({ jobCreatedAt: '2026-11-20T10:00:00.000Z' }, '/srv/a.jpg')
    await expect.poll(() => waits.length, { interval: 5 }).toBeGreaterThan(0)
    expect(new Set(answers)).toEqual(new Set(['/api/jobs/job-1']))
    expect(fetched).toEqual([])
  })

  it('that the service has forgotten are named as problems, and not asked for again', async () => {
    service.instead = (index, response) => index === 1 && refuse(404, response)
    open()
    begin('/srv/a.jpg', '/srv/b.jpg')
    await told()
    expect(fetched[0]).toMatchObject({
      outcome: { kind: 'problems', results: 1, problems: 1 },
      problems: [{ file: 'in-1.jpg', error: 'not today' }],
    })
    await reopen()
    expect(downloads?.isExpected(id)).toBe(false)
    expect(service.asked).toEqual([0, 1])
  })

  it('wait for a service that is away, and are told of only when they are here', async () => {
    const broken = [0, 0, 1]
    service.instead = (index, response) => {
      if (index !== broken[0]) return false
      broken.shift()
      response.writeHead(200, { 'content-length': '99999' }).write('half')
      setImmediate(() => response.destroy())
      return true
    }
    open()
    begin('/srv/a.jpg', '/srv/b.jpg')
    await told()
    expect(troubles).toBe(3)
    expect(waits).toEqual([2_000, 4_000, 2_000])
    expect(service.asked).toEqual([0, 0, 0, 1, 1])
    expect(await names()).toEqual(['a.jpg', 'b.jpg'])
  })

  it('that could not be written are problems at first, and tried again at the next start', async () => {
    await writeFile(out, 'a file where the folder should be')
    open()
    begin('/srv/a.jpg')
    await told()
    expect(fetched[0]).toMatchObject({ outcome: { kind: 'failed' }, results: [] })
    expect(fetched[0]?.problems).toMatchObject([{ file: 'in-0.jpg' }])
    expect(service.asked).toEqual([])

    await rm(out)
    await reopen()
    await told()
    expect(fetched[0]).toMatchObject({
      again: true,
      outcome: { kind: 'done', results: 1 },
      results: [{ outputPath: join(out, 'a.jpg') }],
    })
    expect(downloads?.isExpected(id)).toBe(false)
  })

  it('of another service wait for that one', async () => {
    open()
    downloads?.expect(id, out)
    downloads?.begin({
      id,
      jobId: 'job-1',
      service: 'another',
      endedAt: 7,
      problems: [],
      outcome: { kind: 'done', results: 1, uploaded: null },
      results: [{ index: 0, file: 'a.jpg', outputPath: '/srv/a.jpg' }],
    })
    expect(downloads?.busy()).toBe(false)
    expect(downloads?.active()).toMatchObject([{ id, total: 1, done: [] }])
    await reopen()
    expect(downloads?.isBegun(id)).toBe(true)
    expect(service.asked).toEqual([])
  })
})

async function fetchUntil(step: number): Promise<string> {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      resolve(import.meta.dirname, 'doomed-fetch.ts'),
      service.baseUrl,
      folder,
      String(step),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  await once(child, 'close')
  return child.signalCode === null ? said : 'killed'
}

describe('a process that is killed', () => {
  it('at whichever step leaves neither a gap nor a second copy', async () => {
    await mkdir(out)
    await writeFile(join(out, 'same.jpg'), 'mine')
    let kills = 0
    for (let step = 1; ; step++) {
      if ((await fetchUntil(step)) === 'killed') {
        kills += 1
        const { length } = (await names()).filter((name) => name.startsWith('same'))
        expect(length).toBeLessThanOrEqual(4)
        // The same again from where it is now, with the next step as the last.
        if (kills < 40) continue
      }
      break
    }
    expect(kills).toBeGreaterThan(5)
    expect(await names()).toEqual(['same (2).jpg', 'same (3).jpg', 'same (4).jpg', 'same.jpg'])
    for (const index of [0, 1, 2]) {
      expect(await readFile(join(out, `same (${index + 2}).jpg`), 'utf8')).toBe(contentOf(index))
    }
  })

  it('between giving a file its place and writing that down finds it there', async () => {
    await mkdir(out)
    const partial = join(out, 'partial')
    const intended = join(out, 'a (2).jpg')
    await writeFile(join(out, 'a.jpg'), 'mine')
    await writeFile(partial, 'result')
    await link(partial, intended)
    expect(await placeResult(partial, out, 'a.jpg', intended, intend)).toBe(intended)
    expect(await placeResult(partial, out, 'a.jpg', intended, intend)).toBe(intended)
    expect(await names()).toEqual(['a (2).jpg', 'a.jpg'])

    await writeFile(partial, 'another result')
    const intentions: string[] = []
    await placeResult(partial, out, 'a.jpg', join(out, 'a.jpg'), (path) => void intentions.push(path))
    expect(intentions).toEqual([join(out, 'a (3).jpg')])
    expect(await readFile(join(out, 'a.jpg'), 'utf8')).toBe('mine')
  })
})
