import { readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_WAITING_JOBS } from '../../src/shared/api/limits.ts'
import { CancelledJob, ClearedJobs, Health, type ServiceJob } from '../../src/shared/api/resources.ts'
import { errorOf, type RunningService, startService } from './running-service.ts'
import { brokenImageBytes, writeImage } from './sample-files.ts'

let service: RunningService
let photo: string
let second: string
let broken: string
let out: string
beforeAll(async () => {
  service = await startService()
  out = join(service.folder, 'out')
  photo = await writeImage(join(service.folder, 'in', 'Grüße 🌸.jpg'))
  second = await writeImage(join(service.folder, 'in', 'second.png'))
  broken = join(service.folder, 'in', 'broken.jpg')
  await writeFile(broken, brokenImageBytes())
})
afterAll(() => service.stop())

/** Submits a job with enough variations that it is still running when the test checks it. The test must cancel it. */
const endless = () =>
  service.accept({ filePath: second, outputFolder: join(service.folder, 'endless'), batchCount: 50_000 })

async function processing(jobId: string): Promise<ServiceJob> {
  for (;;) {
    const job = await service.job(jobId)
    if ((job.results?.length ?? 0) > 0) return job
    await sleep(10)
  }
}

describe('section 2: Job', () => {
  it('a batch lists successful files in results and failed files in errors', async () => {
    const { jobId } = await service.accept({
      files: [photo, broken, second],
      outputFolder: out,
      preset: 'Grayscale',
    })
    const job = await service.finished(jobId)
    expect(job).toMatchObject({ status: 'completed', type: 'batch', preset: 'Grayscale', totalFiles: 3 })
    expect(job.results?.map(({ file }) => file)).toEqual([photo, second])
    expect(job.errors?.map(({ file }) => file)).toEqual([broken])
    expect(job.progress).toMatchObject({ totalProgress: 100, completedFiles: 3, totalFiles: 3 })
  })
})

describe('section 3: cancellation', () => {
  it('a processing job becomes cancelled, its later files are never started, and finished results remain', async () => {
    const { jobId } = await endless()
    await processing(jobId)
    const response = await service.cancel(jobId)
    expect(response.status).toBe(200)
    expect(CancelledJob.parse(await response.json())).toEqual({ jobId, status: 'cancelled' })
    await service.idle()
    const job = await service.job(jobId)
    expect(job.status).toBe('cancelled')
    expect(job.completedAt).not.toBeNull()
    expect(job.progress.totalProgress).toBeLessThan(100)
    const files = await readdir(join(service.folder, 'endless'))
    expect(files.toSorted()).toEqual(job.results?.map(({ outputPath }) => basename(outputPath)).toSorted())
    await rm(join(service.folder, 'endless'), { recursive: true })
  })

  it('an ID in another format gives 404', async () => {
    expect(await errorOf(await service.cancel('not%20an%20id'))).toMatchObject({ status: 404 })
  })

  it('a content type without a body is accepted, because some clients send one', async () => {
    const response = await service.call('/jobs/unknown', {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(404)
  })
})

describe('section 8: the queue', () => {
  it('processes one job at a time, queues ten more, rejects an eleventh with 429, and runs all in order', async () => {
    const running = await endless()
    const waiting: string[] = []
    for (let place = 1; place <= MAX_WAITING_JOBS; place++) {
      const accepted = await service.accept({ filePath: photo, outputFolder: out })
      expect(accepted.position).toBe(place)
      waiting.push(accepted.jobId)
    }
    const refused = await service.submit({ filePath: photo, outputFolder: out })
    expect(await errorOf(refused)).toMatchObject({ status: 429 })

    const full = await service.list()
    expect(full).toMatchObject({ queueLength: MAX_WAITING_JOBS, processing: true })
    expect(full.jobs.filter((job) => job.status === 'processing').map((job) => job.jobId)).toEqual([
      running.jobId,
    ])
    const health = Health.parse(await (await service.call('/health')).json())
    expect(health.activeJobs).toBe(MAX_WAITING_JOBS + 1)

    await service.cancel(running.jobId)
    await service.idle()
    const jobs = await Promise.all(waiting.map((jobId) => service.job(jobId)))
    expect(jobs.every((job) => job.status === 'completed')).toBe(true)
    for (const [index, job] of jobs.entries()) {
      const before = jobs[index - 1]?.completedAt ?? ''
      expect((job.startedAt ?? '') >= before).toBe(true)
    }
  })
})

describe('section 4: DELETE /jobs', () => {
  it('clears finished jobs and returns their number, keeps jobs in progress, and doesn’t touch any files', async () => {
    const done = await service.accept({ filePath: photo, outputFolder: out })
    const { result } = await service.finished(done.jobId)
    const running = await endless()
    const { jobs } = await service.list()
    const response = await service.call('/jobs', { method: 'DELETE' })
    const { cleared } = ClearedJobs.parse(await response.json())
    expect(cleared).toBeGreaterThanOrEqual(jobs.length - 1)
    expect((await service.list()).jobs.map((job) => job.jobId)).toEqual([running.jobId])
    expect(await errorOf(await service.call(`/jobs/${done.jobId}`))).toMatchObject({ status: 404 })
    await expect(sharp(result?.outputPath).metadata()).resolves.toMatchObject({ width: 32 })
    await service.cancel(running.jobId)
    await service.idle()
  })
})

describe('section 4: GET /download', () => {
  it('returns the bytes, the content type for the extension, and the file name, in any script', async () => {
    const { jobId } = await service.accept({ filePath: photo, outputFolder: out })
    const { result } = await service.finished(jobId)
    const response = await service.download(jobId)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/jpeg')
    const name = basename(result?.outputPath ?? '')
    expect(response.headers.get('content-disposition')).toContain(
      `filename*=UTF-8''${encodeURIComponent(name)}`,
    )
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.length).toBe(Number(response.headers.get('content-length')))
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 32, height: 24 })
  })
})
