import type { Readers } from '../../../src/node/file-identity.ts'
import { link, mkdir, readdir, readFile, rm, writeFile, rename, stat, symlink } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  createDownloads,
  createOrders,
  type Downloads,
  type Fetched,
} from '../../../src/main/downloads/index.ts'
import { openState } from '../../../src/main/core/open-state.ts'
import { runDoomed } from '../../doomed.ts'
import { smallDisk } from '../../e2e/support/small-disk.ts'
import { placeResult } from '../../../src/main/downloads/place-result.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { contentOf, refuse, resultsService, type ResultsService } from './results-service.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { describeInLongSuite } from '../../faults/long-suite.ts'

const id = asRecordId('r_1')
const FASTER = 100
let folder = ''
let out = ''
let service: ResultsService
let downloads: Downloads | undefined
let fetched: Fetched[] = []
let troubles = 0
/** Duration of each wait, in ms. */
let waits: number[] = []

beforeEach(async () => {
  folder = temporaryFolder()
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
})

function open(): Downloads {
  const { connection } = openState(join(folder, 'state.db'), Date.now)
  downloads = createDownloads({
    orders: createOrders(connection),
    service: () => ({ api: service.api, identity: 'it' }),
    timing: {
      clock: Date.now,
      after(ms, run) {
        waits.push(ms)
        return systemTiming.after(ms / FASTER, run)
      },
    },
    onFetched: (one) => fetched.push(one),
    onTrouble: () => (troubles += 1),
    onChange: () => undefined,
    log: () => undefined,
  })
  downloads.start()
  const opened = downloads
  downloads = { ...opened, close: () => void [opened.close(), connection.close()] }
  return downloads
}

async function reopen(): Promise<Downloads> {
  await downloads?.stop()
  downloads?.close()
  fetched = []
  return open()
}

/** The permissions of the job's originals. */
let readers: Readers | undefined

function begin(...remotePaths: string[]): void {
  beginJob({}, ...remotePaths)
}

function beginJob(job: { readonly jobCreatedAt?: string }, ...remotePaths: string[]): void {
  downloads?.expect(id, out, { readers })
  downloads?.begin({
    id,
    jobCreatedAt: null,
    ...job,
    jobId: 'job-1',
    service: 'it',
    outcome: { kind: 'done', results: remotePaths.length, uploaded: null },
    endedAt: 7,
    results: remotePaths.map((outputPath, index) => ({ index, file: `in-${index}.jpg`, outputPath })),
    problems: [],
  })
}

function diskNoted(): boolean {
  const connection = new DatabaseSync(join(folder, 'state.db'), { readOnly: true })
  try {
    return typeof connection.prepare('SELECT mount FROM expected_results').get()?.['mount'] === 'string'
  } finally {
    connection.close()
  }
}

/** Sends a completed job. */
function answerJob(
  response: ServerResponse,
  more: { readonly createdAt: string; readonly result?: object },
): true {
  const times = { startedAt: null, completedAt: null }
  const job = {
    jobId: 'job-1',
    status: 'completed',
    type: 'single',
    preset: 'x',
    progress: {},
    ...times,
    ...more,
  }
  response.setHeader('content-type', 'application/json').end(JSON.stringify(job))
  return true
}

const told = () => expect.poll(() => fetched.length, { interval: 5 }).toBe(1)
/** Downloads the results of a job, and waits for the report. */
async function fetchAll(...remotePaths: string[]): Promise<void> {
  open()
  begin(...remotePaths)
  await told()
}
const names = async () => (await readdir(out)).toSorted()

const intend = () => expect.unreachable()

it.skipIf(process.platform === 'win32')('a result of a private original is private', async () => {
  readers = { mode: 0o600n, gid: 0n }
  onTestFinished(() => (readers = undefined))
  await fetchAll('/there/a.png')
  expect((await stat(join(out, 'a.png'))).mode & 0o777).toBe(0o600)
})

describe('a folder whose disk is removed', () => {
  it('receives results only once the disk is mounted again', async ({ skip }) => {
    const share = join(folder, 'share')
    const disk = smallDisk(share, '8m')
    if (disk === undefined) return skip()
    out = join(share, 'out')
    open()
    downloads?.expect(id, out)
    await expect.poll(() => diskNoted()).toBe(true)
    disk[Symbol.dispose]()
    begin('/srv/x/a.jpg', '/srv/x/b.jpg')
    await told()
    expect(fetched[0]).toMatchObject({ outcome: { kind: 'failed' } })
    expect(await readdir(share)).toEqual([])
    const back = smallDisk(share, '8m')
    await reopen()
    await told()
    expect(await names()).toEqual(['a.jpg', 'b.jpg'])
    await downloads?.stop()
    back?.[Symbol.dispose]()
  })
})

describe('results on another computer', () => {
  it('are saved with the extension of their content, and inside their folder, regardless of their names', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex')
    service.instead = (index, response) => {
      response.end(index === 0 ? png : 'MZ, a program')
      return true
    }
    await fetchAll('/srv/x/photo.exe', '..\\..\\run.exe')
    expect(await names()).toEqual(['photo.png', 'run.exe.bin'])
    expect(fetched[0]?.results.map(({ outputPath }) => outputPath)).toEqual([
      join(out, 'photo.png'),
      join(out, 'run.exe.bin'),
    ])
  })

  it('are downloaded one after the other, under their own names, without overwriting anything', async () => {
    await mkdir(out)
    await writeFile(join(out, 'a.jpg'), 'mine')
    await fetchAll('/srv/x/a.jpg', 'C:\\out\\b.jpg', '/srv/y/a.jpg')
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

  it('are shown one by one, as they arrive', async () => {
    // The second response is still incomplete when the app exits.
    service.instead = (index) => index === 1
    open()
    begin('/srv/x/a.jpg', '/srv/x/b.jpg')
    await expect.poll(() => service.asked, { interval: 5 }).toEqual([0, 1])
    expect(downloads?.active()).toMatchObject([{ id, jobId: 'job-1', done: ['in-0.jpg'], total: 2 }])
    expect(downloads?.busy()).toBe(true)
  })

  it('of a job that reuses our job’s id after a restart are not mistaken for ours', async () => {
    const CREATED = '2026-11-20T10:00:00.000Z'
    let createdAt = '2026-11-21T10:00:00.000Z'
    const asked: (string | undefined)[] = []
    service.instead = (_, response) => {
      const { url } = response.req
      asked.push(url?.replace(/[?].*$/, ''))
      if (url !== '/api/jobs/job-1') return false
      return answerJob(response, { createdAt })
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

  it('of a job that was created in the same second, with other results, are not mistaken for ours', async () => {
    const CREATED = '2026-11-20T10:00:00Z'
    service.instead = (_, response) => {
      if (response.req.url !== '/api/jobs/job-1') return false
      return answerJob(response, { createdAt: CREATED, result: { outputPath: '/srv/else.jpg' } })
    }
    open()
    beginJob({ jobCreatedAt: CREATED }, '/srv/a.jpg')
    await told()
    expect(fetched[0]).toMatchObject({ results: [], problems: [{ file: 'in-0.jpg' }] })
    expect(await names().catch(() => [])).toEqual([])
  })

  it('are not downloaded while the service can’t confirm that the job is ours', async () => {
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

  it('that the service no longer has are listed as problems, and not requested again', async () => {
    service.instead = (index, response) => index === 1 && refuse(404, response)
    await fetchAll('/srv/a.jpg', '/srv/b.jpg')
    expect(fetched[0]).toMatchObject({
      outcome: { kind: 'problems', results: 1, problems: 1 },
      problems: [{ file: 'in-1.jpg', error: 'not today' }],
    })
    await reopen()
    expect(downloads?.isExpected(id)).toBe(false)
    expect(service.asked).toEqual([0, 1])
  })

  it('wait for an unavailable service, and are reported only once they are downloaded', async () => {
    const broken = [0, 0, 1]
    service.instead = (index, response) => {
      if (index !== broken[0]) return false
      broken.shift()
      response.writeHead(200, { 'content-length': '99999' }).write('half')
      setImmediate(() => response.destroy())
      return true
    }
    await fetchAll('/srv/a.jpg', '/srv/b.jpg')
    expect(troubles).toBe(3)
    expect(waits).toEqual([2_000, 4_000, 2_000])
    expect(service.asked).toEqual([0, 0, 0, 1, 1])
    expect(await names()).toEqual(['a.jpg', 'b.jpg'])
  })

  it('that could not be written are reported as problems, and retried at the next launch', async () => {
    await writeFile(out, 'a file where the folder should be')
    await fetchAll('/srv/a.jpg')
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

  it('are reported with a readable error if their folder is removed during the download', async () => {
    service.instead = (_index, response) => {
      void rename(out, join(folder, 'gone')).then(() =>
        response.writeHead(200, { 'content-type': 'image/jpeg' }).end('content'),
      )
      return true
    }
    await fetchAll('/srv/a.jpg')
    expect(fetched[0]?.problems[0]?.error).toMatch(/^Couldn’t write .*: it doesn’t exist\.$/)
  })

  it('are reported with a readable error if their folder is a loop of links', async () => {
    await symlink(out, out)
    await fetchAll('/srv/a.jpg')
    expect(fetched[0]?.problems[0]?.error).not.toMatch(/ELOOP:/)
  })

  it('that failed aren’t retried once their inputs have been submitted again', async () => {
    await writeFile(out, 'a file where the folder should be')
    await fetchAll('/srv/a.jpg')
    expect(downloads?.busy()).toBe(false)
    downloads?.giveUpFailed(id)
    expect(downloads?.isExpected(id)).toBe(false)
    expect((await reopen()).busy()).toBe(false)
  })

  it('that are being downloaded continue when failed ones are discarded', async () => {
    service.instead = () => true
    open()
    begin('/srv/a.jpg')
    await expect.poll(() => service.asked, { interval: 5 }).toEqual([0])
    downloads?.giveUpFailed(id)
    service.instead = () => false
    await reopen()
    await told()
    expect(await names()).toEqual(['a.jpg'])
  })

  it('of another service wait until that service is in use', async () => {
    open()
    downloads?.expect(id, out)
    downloads?.begin({
      id,
      jobId: 'job-1',
      jobCreatedAt: null,
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

const FETCH = resolve(import.meta.dirname, 'doomed-fetch.ts')

describeInLongSuite('a killed process', () => {
  it('leaves no missing or duplicate file, at any step', async () => {
    await mkdir(out)
    await writeFile(join(out, 'same.jpg'), 'mine')
    let kills = 0
    for (let step = 1; ; step++) {
      if ((await runDoomed(FETCH, service.baseUrl, folder, step)).killed) {
        kills += 1
        const { length } = (await names()).filter((name) => name.startsWith('same'))
        expect(length).toBeLessThanOrEqual(4)
        // Continues from the current state with a process that ends one step later.
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

  it('leaves a file that the next process recognizes, even if it was not yet recorded', async () => {
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
