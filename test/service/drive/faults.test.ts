/** The link cut and the drive full, in each phase of a job; and cancellation and the end of the service in each of them. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isInProgress } from '../../../src/shared/api/job-status.ts'
import { outcomeOf } from '../../../src/shared/model/outcome.ts'
import { brokenImageBytes, writeImage } from '../../conformance/sample-files.ts'
import { type DriveService, startDriveService } from './drive-service.ts'

let drive: DriveService
let photo: string
let out: string
let folders = 0

beforeAll(async () => {
  drive = await startDriveService()
  out = join(drive.service.folder, 'out')
  photo = await writeImage(join(drive.service.folder, 'in', 'photo.jpg'))
  await drive.folder('album', ['a.png', 'b.png', 'c.png', 'd.png', 'e.png'])
  await drive.connected(true)
})
afterEach(async () => {
  drive.gate.rule(() => 'pass')
  await drive.connected(true)
})
afterAll(() => drive.stop())

const outbox = () => drive.folder(`out ${++folders}`)
const cancel = (jobId: string) => drive.service.call(`/jobs/${jobId}`, { method: 'DELETE' })
const accept = (body: object) => drive.service.accept({ preset: 'Thumbnail', ...body })
const ended = (jobId: string) => drive.until(jobId, ({ status }) => !isInProgress(status))

describe('the link is cut', () => {
  it('while the folder is listed: the job fails and says so, and the next one finds the drive again', async () => {
    drive.gate.rule((method) => (method === 'PROPFIND' ? 'cut' : 'pass'))
    const { jobId } = await accept({ driveInputFolder: 'album', outputFolder: out })
    const job = await ended(jobId)
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('can’t be reached') })
  })

  it('in the middle of the listing: it is not taken for a short one', async () => {
    drive.gate.rule((method, path) =>
      method === 'PROPFIND' && path.includes('album') ? 'cutMidway' : 'pass',
    )
    const { jobId } = await accept({ driveInputFolder: 'album', outputFolder: out })
    expect(await ended(jobId)).toMatchObject({ status: 'failed', results: [] })
  })

  it.each(['cut', 'cutMidway'] as const)(
    'while a file is fetched (%s): this file is an error, the others are processed, and no part of it stays',
    async (verdict) => {
      drive.gate.rule((method, path) => (method === 'GET' && path.endsWith('/b.png') ? verdict : 'pass'))
      const { jobId } = await accept({ driveInputFolder: 'album', outputFolder: out })
      const job = await ended(jobId)
      expect(job.status).toBe('completed')
      expect(job.results).toHaveLength(4)
      expect(job.errors).toEqual([{ file: 'b.png', error: expect.stringContaining('could not be fetched') }])
      await expect.poll(() => drive.leftovers()).toEqual([])
    },
  )

  it('for good while files are fetched: after three in a row the rest is not tried, and every file is named', async () => {
    const many = Array.from({ length: 12 }, (_, index) => `${index + 10}.png`)
    const driveInputFolder = await drive.folder('many', many)
    drive.gate.rule((_method, path) => (path.endsWith('.png') ? 'cut' : 'pass'))
    const { jobId } = await accept({ driveInputFolder, outputFolder: out })
    const job = await ended(jobId)
    expect(job).toMatchObject({ status: 'completed', results: [] })
    expect(job.errors?.map(({ file }) => file)).toEqual(many)
    // Eight come together, once each, and the first of them that fails ends that; then three are tried alone.
    const tried = drive.gate.seen.flatMap((line) => /^GET (?:.*)\/many\/(\d+)\.png$/.exec(line)?.[1] ?? [])
    expect(tried.length).toBeLessThanOrEqual(8)
    const lookedAt = drive.gate.seen.flatMap((line) => /\/many\/\d+\.png$/.exec(line) ?? [])
    expect(new Set(lookedAt).size).toBeLessThan(many.length)
    expect(outcomeOf(job)?.kind).toBe('failed')
  })

  it('while a file is uploaded: it is tried again when processing has ended, and no half file stays', async () => {
    const driveOutputFolder = await outbox()
    let cuts = 0
    drive.gate.rule((method) => (method === 'PUT' && cuts++ === 0 ? 'cutMidway' : 'pass'))
    const { jobId } = await accept({ driveInputFolder: 'album', driveOutputFolder })
    const job = await drive.delivered(jobId)
    expect(job.drive?.uploadResult).toEqual({ uploaded: 5, errors: [] })
    expect(await drive.names(driveOutputFolder)).toHaveLength(5)
  })

  it('for good while files are uploaded: what is there is counted and every other file is named', async () => {
    const driveOutputFolder = await outbox()
    // The others come only when the first has arrived: whichever fails three times before it would be the end.
    drive.gate.rule((method, path) => (method === 'GET' && /\/[b-e]\.png$/.test(path) ? 'hold' : 'pass'))
    const { jobId } = await accept({ driveInputFolder: 'album', driveOutputFolder })
    await expect.poll(() => drive.names(driveOutputFolder)).toEqual(['a-thumbnail.jpg'])
    drive.gate.rule((method, path) => (method === 'PUT' && !path.includes('/a-') ? 'cut' : 'pass'))
    const job = await drive.delivered(jobId)
    expect(job.status).toBe('completed')
    const { uploaded, errors = [] } = job.drive?.uploadResult ?? {}
    expect(uploaded).toBe(1)
    expect(errors.map(({ name }) => name)).toEqual(
      ['b', 'c', 'd', 'e'].map((name) => `${name}-thumbnail.jpg`),
    )
    expect(new Set(errors.map(({ error }) => error))).toEqual(new Set(['The cloud drive can’t be reached']))
    expect(await drive.names(driveOutputFolder)).toEqual(['a-thumbnail.jpg'])
    expect(outcomeOf(job)).toMatchObject({ kind: 'problems', uploaded: 1 })
    await expect.poll(() => drive.leftovers()).toEqual([])
  })

  it('before anything could be uploaded: uploadError', async () => {
    drive.gate.rule(() => 'cut')
    const { jobId } = await accept({ filePath: photo, driveOutputFolder: await outbox() })
    const job = await drive.delivered(jobId)
    expect(job).toMatchObject({
      status: 'completed',
      drive: { uploadResult: null, uploadError: expect.stringContaining('can’t be reached') },
    })
    await expect.poll(() => drive.leftovers()).toEqual([])
  })
})

describe('the drive refuses', () => {
  it.each([
    [507, 'Insufficient Storage', 'is full'],
    [403, 'Forbidden', 'no permission'],
    [401, 'Unauthorized', 'sign-in'],
    [429, 'Too Many Requests', 'no more requests'],
  ])('an upload with %i: every file is named with the reason', async (status, body, reason) => {
    const driveOutputFolder = await outbox()
    drive.gate.rule((method) => (method === 'PUT' ? { status, body } : 'pass'))
    const { jobId } = await accept({ filePath: photo, batchCount: 2, driveOutputFolder })
    const job = await drive.delivered(jobId)
    expect(job.drive?.uploadResult).toEqual({
      uploaded: 0,
      errors: [1, 2].map((number) => ({
        name: `photo-thumbnail-v${number}.jpg`,
        error: expect.stringContaining(reason),
      })),
    })
    expect(outcomeOf(job)?.kind).toBe('failed')
  })

  it('an unreadable folder: the job fails with the reason', async () => {
    drive.gate.rule((_method, path) => (path.includes('album') ? { status: 403, body: 'Forbidden' } : 'pass'))
    const { jobId } = await accept({ driveInputFolder: 'album', outputFolder: out })
    expect(await ended(jobId)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('permission'),
    })
  })
})

describe('a single job whose file fails', () => {
  it('is failed, with nothing to upload', async () => {
    const broken = join(drive.service.folder, 'in', 'broken.jpg')
    await mkdir(join(drive.service.folder, 'in'), { recursive: true })
    await writeFile(broken, brokenImageBytes())
    const driveOutputFolder = await outbox()
    const { jobId } = await accept({ filePath: broken, driveOutputFolder })
    expect(await ended(jobId)).toMatchObject({ status: 'failed', drive: { uploadResult: null } })
    expect(await drive.names(driveOutputFolder)).toEqual([])
  })
})

describe('cancelled', () => {
  it('while discovering: nothing is fetched', async () => {
    drive.gate.rule((_method, path) => (path.includes('album') ? 'hold' : 'pass'))
    const { jobId } = await accept({ driveInputFolder: 'album', outputFolder: out })
    await drive.gate.held()
    expect((await cancel(jobId)).status).toBe(200)
    await drive.service.idle()
    expect(await drive.service.job(jobId)).toMatchObject({
      status: 'cancelled',
      results: [],
      progress: { phase: 'Cancelled' },
    })
  })

  it('while fetching: the transfer is ended, and no part of it stays', async () => {
    drive.gate.rule((method) => (method === 'GET' ? 'hold' : 'pass'))
    const { jobId } = await accept({ driveInputFolder: 'album', outputFolder: out })
    await drive.gate.held()
    await cancel(jobId)
    await drive.service.idle()
    expect(await drive.service.job(jobId)).toMatchObject({ status: 'cancelled', results: [], errors: [] })
    await expect.poll(() => drive.leftovers()).toEqual([])
  })

  it('while uploading and processing: what has arrived is counted, the rest is named', async () => {
    const driveOutputFolder = await outbox()
    let puts = 0
    drive.gate.rule((method) => (method === 'PUT' && ++puts > 2 ? 'hold' : 'pass'))
    const { jobId } = await accept({ filePath: photo, batchCount: 50_000, driveOutputFolder })
    await drive.gate.held()
    await cancel(jobId)
    const job = await drive.delivered(jobId)
    const { uploaded = -1, errors = [], cancelled } = job.drive?.uploadResult ?? {}
    expect(job.status).toBe('cancelled')
    expect(cancelled).toBe(true)
    expect(uploaded).toBe((await drive.names(driveOutputFolder)).length)
    expect(errors).toHaveLength((job.results?.length ?? 0) - uploaded)
    await expect.poll(() => drive.leftovers()).toEqual([])
  })
})

describe('the service ends', () => {
  it('during an upload: it stops it, ends soon, and leaves no private file', async () => {
    const other = await startDriveService()
    try {
      const driveOutputFolder = await other.folder('outbox')
      other.gate.rule((method) => (method === 'PUT' ? 'hold' : 'pass'))
      const { jobId } = await other.service.accept({ filePath: photo, driveOutputFolder })
      await other.service.finished(jobId)
      await other.gate.held()
      const exited = new Promise((resolve) => other.service.child.once('exit', resolve))
      other.service.child.kill('SIGTERM')
      expect(await exited).toBe(0)
      await expect.poll(() => other.leftovers()).toEqual([])
      expect(await readdir(join(other.service.folder, 'data', 'drive-work'))).toEqual([])
      expect(await other.names('outbox')).toEqual([])
    } finally {
      await other.stop()
    }
  })
})
