/** Tests every statement of the specification about cloud drives with real rclone remotes. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ClearedJobs } from '../../src/shared/api/resources.ts'
import { describeInLongSuite, firstOf, itInLongSuite } from '../faults/long-suite.ts'
import { type DriveService, startDriveService } from '../service/drive/drive-service.ts'
import { errorOf } from './running-service.ts'
import { brokenImageBytes, brokenVideoBytes, imageBytes, writeImage } from './sample-files.ts'

let drive: DriveService
let photo: string
let out: string
let names = 0
/** Creates a new empty folder in the drive. */
const outbox = () => drive.folder(`out ${++names}`)

beforeAll(async () => {
  drive = await startDriveService()
  out = join(drive.service.folder, 'out')
  photo = await writeImage(join(drive.service.folder, 'in', 'Grüße 🌸.jpg'))
  await drive.folder('album', ['a.png', 'b.png'])
  await drive.connected(true)
})
afterEach(() => drive.gate.rule(() => 'pass'))
afterAll(() => drive.stop())

const submit = (body: object) => drive.service.submit({ preset: 'Grayscale', ...body })
const accept = (body: object) => drive.service.accept({ preset: 'Grayscale', ...body })

describe('section 2: DriveStatus', () => {
  it('reports that the client is configured and connected, and null if the account provides no email address or scope', async () => {
    expect(await drive.status()).toEqual({
      clientConfigured: true,
      connected: true,
      email: null,
      scope: null,
    })
  })
})

describe('section 2: SpoofJobRequest with Drive folders', () => {
  it.each([
    'https://drive.google.com/drive/folders/1AbCdEf?usp=sharing',
    'drive.google.com/drive/folders/1AbCdEf',
    'HTTP://example.com/x',
    '',
    '  ',
    '../album',
    'album/../..',
    'album\\..\\..',
    'album\n',
    'x'.repeat(1_001),
  ])('a folder ID can’t be a sharing link, empty or lead elsewhere: %j gives 400', async (id) => {
    expect(await errorOf(await submit({ driveInputFolder: id, outputFolder: out }))).toMatchObject({
      status: 400,
    })
    expect(await errorOf(await submit({ filePath: photo, driveOutputFolder: id }))).toMatchObject({
      status: 400,
    })
  })
})

describeInLongSuite('section 2: AcceptedJob', () => {
  it('inputFiles and totalOperations are numbers with local input and drive output, and inputs are checked before acceptance', async () => {
    const driveOutputFolder = await outbox()
    const missing = join(drive.service.folder, 'missing.jpg')
    const accepted = await accept({ files: [photo, missing], driveOutputFolder })
    expect(accepted).toMatchObject({
      inputFiles: 1,
      totalOperations: 1,
      skipped: [{ file: missing }],
      drive: { input: false, output: true },
    })
    await drive.delivered(accepted.jobId)
  })
})

describe('section 1: combinations of local folders and Drive folders', () => {
  itInLongSuite('local to local: the job has no drive', async () => {
    const accepted = await accept({ filePath: photo, outputFolder: out })
    expect(accepted.drive).toBeNull()
    const job = await drive.service.finished(accepted.jobId)
    expect(job.status).toBe('completed')
    expect(job.drive).toBeUndefined()
  })

  it('drive to local: processes each file and leaves the original in its folder', async () => {
    const outputFolder = join(drive.service.folder, 'from the drive')
    const accepted = await accept({ driveInputFolder: 'album', outputFolder })
    expect(accepted).toMatchObject({
      status: 'queued',
      inputFiles: null,
      totalOperations: null,
      skipped: [],
      drive: { input: true, output: false },
    })
    const job = await drive.service.finished(accepted.jobId)
    expect(job).toMatchObject({
      status: 'completed',
      type: 'batch',
      fileType: 'image',
      totalFiles: 2,
      errors: [],
      drive: { inputFolderId: 'album', outputFolderId: null, uploadResult: null, uploadError: null },
      progress: { phase: 'Done', totalProgress: 100, completedFiles: 2, totalFiles: 2 },
    })
    expect(job.results?.map(({ file }) => file)).toEqual(['a.png', 'b.png'])
    for (const { outputPath } of job.results ?? []) {
      await expect(sharp(outputPath).metadata()).resolves.toMatchObject({ width: 32, height: 24 })
    }
    expect(await readdir(outputFolder)).toHaveLength(2)
    expect(await drive.names('album')).toEqual(['a.png', 'b.png'])
    expect(await drive.leftovers()).toEqual([])
  })

  it('local to drive: a single job remains a single job', async () => {
    const driveOutputFolder = await outbox()
    const { jobId } = await accept({ filePath: photo, driveOutputFolder })
    const job = await drive.delivered(jobId)
    expect(job).toMatchObject({
      status: 'completed',
      type: 'single',
      drive: {
        inputFolderId: null,
        outputFolderId: driveOutputFolder,
        uploadResult: { uploaded: 1, errors: [] },
        uploadError: null,
      },
    })
    expect(job.drive?.uploadResult?.cancelled).toBeUndefined()
    expect(await drive.names(driveOutputFolder)).toEqual(['Grüße 🌸-grayscale.jpg'])
  })

  itInLongSuite('drive to drive: creates batchCount variations of each file', async () => {
    const driveOutputFolder = await outbox()
    const { jobId } = await accept({ driveInputFolder: 'album', driveOutputFolder, batchCount: 3 })
    const job = await drive.delivered(jobId)
    expect(job).toMatchObject({ status: 'completed', drive: { uploadResult: { uploaded: 6, errors: [] } } })
    expect(await drive.names(driveOutputFolder)).toEqual(
      ['a', 'b'].flatMap((name) => [1, 2, 3].map((number) => `${name}-grayscale-v${number}.png`)),
    )
    expect(await drive.leftovers()).toEqual([])
  })
})

describe('section 4: cloud drive inputs are discovered after acceptance', () => {
  itInLongSuite(
    'unsupported or broken files are reported as errors by name, folders are ignored, and the other files are processed',
    async () => {
      const driveInputFolder = await drive.folder('mixed', {
        'good.png': await imageBytes('png'),
        'broken.jpg': brokenImageBytes(),
        'broken.mp4': brokenVideoBytes(),
        'photo.mp4': await imageBytes('png'),
        'empty.png': new Uint8Array(),
        'notes.txt': Buffer.from('x'),
      })
      await drive.folder('mixed/inner', ['deep.png'])
      const { jobId } = await drive.service.accept({ driveInputFolder, outputFolder: out })
      const job = await drive.service.finished(jobId)
      expect(job.status).toBe('completed')
      expect(job.results?.map(({ file }) => file)).toEqual(['good.png'])
      expect(job.errors?.map(({ file }) => file).toSorted()).toEqual([
        'broken.jpg',
        'broken.mp4',
        'empty.png',
        'notes.txt',
        'photo.mp4',
      ])
    },
  )

  itInLongSuite(
    'section 2, rule 4: reports each file that the preset doesn’t cover as an error, by name',
    async () => {
      const driveInputFolder = await drive.folder('both kinds', {
        'a.png': await imageBytes('png'),
        'b.mp4': brokenVideoBytes(),
      })
      const { jobId } = await accept({ driveInputFolder, outputFolder: out, preset: 'Web 2048' })
      const job = await drive.service.finished(jobId)
      expect(job.results).toHaveLength(1)
      expect(job.errors).toMatchObject([
        { file: 'b.mp4', error: expect.stringContaining('isn’t for videos') },
      ])
    },
  )

  it.each(
    firstOf([
      ['is not there', 'nowhere', 'there is no folder'],
      ['is a file', 'album/a.png', 'not a folder'],
      ['is empty', 'hollow', 'no files'],
    ]),
  )('a folder that %s makes the job fail, with the reason', async (_what, driveInputFolder, reason) => {
    await drive.folder('hollow')
    const { jobId } = await accept({ driveInputFolder, outputFolder: out })
    const job = await drive.service.finished(jobId)
    expect(job).toMatchObject({
      status: 'failed',
      type: 'batch',
      error: expect.stringContaining(reason),
      errors: [{ file: driveInputFolder, error: expect.stringContaining(reason) }],
      results: [],
    })
    expect(job.completedAt).not.toBeNull()
  })

  itInLongSuite('a missing output folder makes the job fail, with uploadError', async () => {
    const { jobId } = await accept({ filePath: photo, driveOutputFolder: 'nowhere' })
    const job = await drive.delivered(jobId)
    expect(job).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('there is no folder'),
      drive: { uploadResult: null, uploadError: expect.stringContaining('there is no folder') },
    })
    expect(await readdir(drive.remotes.davRoot)).not.toContain('nowhere')
  })

  itInLongSuite(
    'progress distinguishes discovering, fetching and uploading, and has no file count before discovery',
    async () => {
      const driveOutputFolder = await outbox()
      drive.gate.rule((method, path) => (method === 'PROPFIND' && path.includes('album') ? 'hold' : 'pass'))
      const { jobId } = await accept({ driveInputFolder: 'album', driveOutputFolder })
      await drive.gate.held()
      const discovering = await drive.service.job(jobId)
      expect(discovering.progress).toMatchObject({ phase: 'Discovering', totalFiles: null, totalProgress: 0 })
      expect(discovering).toMatchObject({ status: 'processing', results: [], errors: [] })
      expect(discovering.totalFiles).toBeUndefined()

      drive.gate.rule((method) => (method === 'GET' ? 'hold' : 'pass'))
      await drive.gate.held()
      expect((await drive.service.job(jobId)).progress).toMatchObject({ phase: 'Fetching', totalFiles: 2 })

      drive.gate.rule((method) => (method === 'PUT' ? 'hold' : 'pass'))
      await drive.gate.held()
      const { progress } = await drive.until(jobId, ({ status }) => status === 'completed')
      expect(progress).toMatchObject({ phase: 'Uploading', phaseProgress: 0, totalProgress: 99 })

      drive.gate.rule(() => 'pass')
      expect((await drive.delivered(jobId)).progress).toMatchObject({ phase: 'Done', totalProgress: 100 })
    },
  )
})

describe('section 3: a job with cloud drive output', () => {
  it('reaches completed before the upload ends; uploadResult appears later; the next job does not wait', async () => {
    const driveOutputFolder = await outbox()
    drive.gate.rule((method) => (method === 'PUT' ? 'hold' : 'pass'))
    const { jobId } = await accept({ filePath: photo, driveOutputFolder })
    const job = await drive.service.finished(jobId)
    expect(job).toMatchObject({ status: 'completed', drive: { uploadResult: null, uploadError: null } })
    expect(job.completedAt).not.toBeNull()
    const next = await accept({ filePath: photo, outputFolder: out })
    expect((await drive.service.finished(next.jobId)).status).toBe('completed')

    drive.gate.rule(() => 'pass')
    const delivered = await drive.delivered(jobId)
    expect(delivered.drive?.uploadResult).toEqual({ uploaded: 1, errors: [] })
    expect(delivered.completedAt).toBe(job.completedAt)
  })

  itInLongSuite('can’t be canceled or cleared while it is completed and uploading', async () => {
    const driveOutputFolder = await outbox()
    drive.gate.rule((method) => (method === 'PUT' ? 'hold' : 'pass'))
    const { jobId } = await accept({ filePath: photo, driveOutputFolder })
    await drive.service.finished(jobId)
    expect(await errorOf(await drive.service.cancel(jobId))).toMatchObject({ status: 400 })
    const clear = async () =>
      ClearedJobs.parse(await (await drive.service.call('/jobs', { method: 'DELETE' })).json()).cleared
    await clear()
    expect((await drive.service.job(jobId)).jobId).toBe(jobId)

    drive.gate.rule(() => 'pass')
    expect((await drive.delivered(jobId)).drive?.uploadResult?.uploaded).toBe(1)
    expect(await clear()).toBe(1)
    expect(await errorOf(await drive.service.call(`/jobs/${jobId}`))).toMatchObject({ status: 404 })
  })
})

describeInLongSuite('section 4: only local outputs can be downloaded', () => {
  it('a result for the drive gives 404 during and after the upload, and 400 before completion', async () => {
    const driveOutputFolder = await outbox()
    drive.gate.rule((method) => (method === 'PROPFIND' ? 'hold' : 'pass'))
    const { jobId } = await accept({ filePath: photo, driveOutputFolder })
    expect(await errorOf(await drive.service.download(jobId))).toMatchObject({ status: 400 })
    drive.gate.rule((method) => (method === 'PUT' ? 'hold' : 'pass'))
    await drive.service.finished(jobId)
    expect(await errorOf(await drive.service.download(jobId))).toMatchObject({ status: 404 })
    drive.gate.rule(() => 'pass')
    await drive.delivered(jobId)
    expect(await errorOf(await drive.service.download(jobId))).toMatchObject({ status: 404 })
  })

  itInLongSuite(
    'a local result of drive input can be downloaded, by its index among the successful results',
    async () => {
      const { jobId } = await accept({ driveInputFolder: 'album', outputFolder: out })
      await drive.service.finished(jobId)
      expect((await drive.service.download(jobId, '?index=1')).status).toBe(200)
      expect(await errorOf(await drive.service.download(jobId, '?index=2'))).toMatchObject({ status: 404 })
    },
  )
})

describe('section 7: failures before and during the upload', () => {
  itInLongSuite('a completed job names the files that were not uploaded in uploadResult.errors', async () => {
    const driveOutputFolder = await outbox()
    drive.gate.rule((method, path) => (method === 'PUT' && path.includes('/a-') ? { status: 403 } : 'pass'))
    const { jobId } = await accept({ driveInputFolder: 'album', driveOutputFolder })
    const job = await drive.delivered(jobId)
    expect(job.status).toBe('completed')
    expect(job.results).toHaveLength(2)
    expect(job.drive?.uploadResult).toMatchObject({
      uploaded: 1,
      errors: [{ name: 'a-grayscale.png', error: expect.stringContaining('permission') }],
    })
    expect(await drive.names(driveOutputFolder)).toEqual(['b-grayscale.png'])
  })

  it('the upload never overwrites anything in the drive: a file whose name is in use gets a number', async () => {
    const driveOutputFolder = await drive.folder('taken', ['a-grayscale.png', 'B-GRAYSCALE.png'])
    const { jobId } = await accept({ driveInputFolder: 'album', driveOutputFolder })
    const job = await drive.delivered(jobId)
    expect(job.drive?.uploadResult).toEqual({ uploaded: 2, errors: [] })
    expect(job.results?.map(({ outputPath }) => outputPath)).toEqual([
      'a-grayscale-2.png',
      'b-grayscale-2.png',
    ])
    expect(await drive.names(driveOutputFolder)).toEqual([
      'B-GRAYSCALE.png',
      'a-grayscale-2.png',
      'a-grayscale.png',
      'b-grayscale-2.png',
    ])
  })

  itInLongSuite('POST /jobs gives 412 if a drive is configured but not connected', async () => {
    drive.gate.rule(() => 'cut')
    const { jobId } = await accept({ driveInputFolder: 'album', outputFolder: out })
    expect((await drive.service.finished(jobId)).status).toBe('failed')
    await drive.connected(false)
    expect(await drive.status()).toMatchObject({ clientConfigured: true, connected: false })
    const refused = await errorOf(await submit({ driveInputFolder: 'album', outputFolder: out }))
    expect(refused).toMatchObject({ status: 412, error: expect.stringContaining('isn’t connected') })
    drive.gate.rule(() => 'pass')
    await drive.connected(true)
  })
})
