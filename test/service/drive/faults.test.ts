/** Lost connections, a full drive, cancellation and shutdown in each phase of a job. */
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import { inEnglish } from '../../../src/shared/i18n/in-english.ts'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isInProgress } from '../../../src/shared/api/job-status.ts'
import { outcomeOf } from '../../../src/shared/model/outcome.ts'
import { describeInLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { writeImage } from '../../conformance/sample-files.ts'
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
/** Starts a job from the drive's folder of five photos to a local one. */
const albumJob = async () => (await accept({ driveInputFolder: 'album', outputFolder: out })).jobId
const ended = (jobId: string) => drive.until(jobId, ({ status }) => !isInProgress(status))

describe('a connection cut', () => {
  it('during the listing fails the job with the reason, and the next job finds the drive again', async () => {
    drive.gate.rule((method) => (method === 'PROPFIND' ? 'cut' : 'pass'))
    const job = await ended(await albumJob())
    expect(job).toMatchObject({ status: 'failed', error: expect.stringContaining('couldn’t be reached') })
  })

  it('in the middle of the listing is not mistaken for its end', async () => {
    drive.gate.rule((method, path) =>
      method === 'PROPFIND' && path.includes('album') ? 'cutMidway' : 'pass',
    )
    expect(await ended(await albumJob())).toMatchObject({ status: 'failed', results: [] })
  })

  itInLongSuite.each(['cut', 'cutMidway'] as const)(
    'while a file is fetched (%s) makes this file an error, processes the others, and leaves no part of it',
    async (decision) => {
      drive.gate.rule((method, path) => (method === 'GET' && path.endsWith('/b.png') ? decision : 'pass'))
      const job = await ended(await albumJob())
      expect(job.status).toBe('completed')
      expect(job.results).toHaveLength(4)
      expect(job.errors).toMatchObject([
        { file: 'b.png', error: expect.stringContaining('Couldn’t fetch the file') },
      ])
      await expect.poll(() => drive.leftovers()).toEqual([])
    },
  )

  itInLongSuite(
    'that lasts while files are fetched ends fetching after three failures in a row, and names every file',
    async () => {
      const many = Array.from({ length: 12 }, (_, index) => `${index + 10}.png`)
      const driveInputFolder = await drive.folder('many', many)
      drive.gate.rule((_method, path) => (path.endsWith('.png') ? 'cut' : 'pass'))
      const { jobId } = await accept({ driveInputFolder, outputFolder: out })
      const job = await ended(jobId)
      expect(job).toMatchObject({ status: 'completed', results: [] })
      expect(job.errors?.map(({ file }) => file)).toEqual(many)
      // The service fetches eight files together, once each, and stops at the first failure. It then tries three individually.
      const tried = drive.gate.seen.flatMap((line) => /^GET (?:.*)\/many\/(\d+)\.png$/.exec(line)?.[1] ?? [])
      expect(tried.length).toBeLessThanOrEqual(8)
      const lookedAt = drive.gate.seen.flatMap((line) => /\/many\/\d+\.png$/.exec(line) ?? [])
      expect(new Set(lookedAt).size).toBeLessThan(many.length)
      expect(outcomeOf(job)?.kind).toBe('failed')
    },
  )

  itInLongSuite('during an upload causes a retry after processing, and leaves no partial file', async () => {
    const driveOutputFolder = await outbox()
    let cuts = 0
    drive.gate.rule((method) => (method === 'PUT' && cuts++ === 0 ? 'cutMidway' : 'pass'))
    const { jobId } = await accept({ driveInputFolder: 'album', driveOutputFolder })
    const job = await drive.delivered(jobId)
    expect(job.drive?.uploadResult).toMatchObject({ uploaded: 5, errors: [] })
    expect(await drive.names(driveOutputFolder)).toHaveLength(5)
  })

  itInLongSuite(
    'that lasts during uploads results in a count of uploaded files and an error for every other file',
    async () => {
      const driveOutputFolder = await outbox()
      // Holds the other results until the first has arrived, because three failures of any file before that would end the job.
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
      expect(new Set(errors.map(({ error }) => error))).toEqual(
        new Set([inEnglish(failure('notUploaded', { reason: reason('driveNetwork') }))]),
      )
      expect(await drive.names(driveOutputFolder)).toEqual(['a-thumbnail.jpg'])
      expect(outcomeOf(job)).toMatchObject({ kind: 'problems', uploaded: 1 })
      await expect.poll(() => drive.leftovers()).toEqual([])
    },
  )

  it('before any upload sets uploadError', async () => {
    const driveOutputFolder = await outbox()
    // The drive itself stays connected. Otherwise, the service may notice in time and refuse the job.
    drive.gate.rule((_method, path) => (path.includes('/out') ? 'cut' : 'pass'))
    const { jobId } = await accept({ filePath: photo, driveOutputFolder })
    const job = await drive.delivered(jobId)
    expect(job).toMatchObject({
      status: 'completed',
      drive: { uploadResult: null, uploadError: expect.stringContaining('couldn’t be reached') },
    })
    await expect.poll(() => drive.leftovers()).toEqual([])
  })
})

describeInLongSuite('a drive that refuses', () => {
  it.each([
    [507, 'Insufficient Storage', 'used up'],
    [403, 'Forbidden', 'have permission'],
    [401, 'Unauthorized', 'sign-in'],
    [429, 'Too Many Requests', 'limiting requests'],
  ] as const)('an upload with %i has every file named with the reason', async (status, body, reason) => {
    const driveOutputFolder = await outbox()
    drive.gate.rule((method) => (method === 'PUT' ? { status, body } : 'pass'))
    const { jobId } = await accept({ filePath: photo, batchCount: 2, driveOutputFolder })
    const job = await drive.delivered(jobId)
    expect(job.drive?.uploadResult).toMatchObject({
      uploaded: 0,
      errors: [1, 2].map((number) => ({
        name: `photo-thumbnail-v${number}.jpg`,
        error: expect.stringContaining(reason),
      })),
    })
    expect(outcomeOf(job)?.kind).toBe('failed')
  })
})

describe('canceling', () => {
  it('while discovering fetches nothing', async () => {
    drive.gate.rule((_method, path) => (path.includes('album') ? 'hold' : 'pass'))
    const jobId = await albumJob()
    await drive.gate.held()
    expect((await cancel(jobId)).status).toBe(200)
    await drive.service.idle()
    expect(await drive.service.job(jobId)).toMatchObject({
      status: 'cancelled',
      results: [],
      progress: { phase: 'Cancelled' },
    })
  })

  it('while fetching ends the transfer and leaves no partial file', async () => {
    drive.gate.rule((method) => (method === 'GET' ? 'hold' : 'pass'))
    const jobId = await albumJob()
    await drive.gate.held()
    await cancel(jobId)
    await drive.service.idle()
    expect(await drive.service.job(jobId)).toMatchObject({ status: 'cancelled', results: [], errors: [] })
    await expect.poll(() => drive.leftovers()).toEqual([])
  })

  itInLongSuite(
    'while uploading and processing reports how many files were uploaded, and names the rest',
    async () => {
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
    },
  )
})

describeInLongSuite('a service that shuts down', () => {
  it('during an upload stops the upload, exits promptly, and leaves no private file', async () => {
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
