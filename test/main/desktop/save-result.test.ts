import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPresetFiles } from '../../../src/main/presets/presets.ts'
import { jobHandlers } from '../../../src/main/desktop/ipc/job-handlers.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { httpServer } from '../service-api/scripted-server.ts'
import { submissionOf } from '../history/sample-records.ts'
import { offlineCore } from './offline-core.ts'

const CREATED = '2026-11-20T10:00:00.000Z'
const id = asRecordId('r1')

/** A finished job of one service, and a window that is connected to the same or another service. */
async function finished({ createdAt = CREATED, elsewhere = false } = {}) {
  const { core, folder } = await offlineCore()
  const server = await httpServer((request, response) => {
    if (request.url?.startsWith('/api/download') === true) return response.end('a result')
    const job = { jobId: 'job-1', status: 'completed', type: 'single', preset: 'x', progress: {}, createdAt }
    return response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...job, startedAt: null, completedAt: null }))
  })
  const { api, seen } = server
  const baseUrl = api.baseUrl.href
  void core.history.recordAcceptedSubmission(submissionOf(id, ['/in/a.jpg']), {
    jobId: 'job-1',
    createdAt: CREATED,
    baseUrl: elsewhere ? 'http://127.0.0.1:1/api' : baseUrl,
    connection: 'external',
    acceptedAt: Date.parse(CREATED),
    skipped: [],
  })
  const file = join(folder, 'saved.txt')
  const noted: string[] = []
  const { saveResult } = jobHandlers({
    ...core,
    presets: createPresetFiles(join(folder, 'presets')),
    lines: {
      to: (one: string) => (one === baseUrl ? { connection: { api: () => api } } : undefined),
    } as never,
    dialogs: { askToSave: () => Promise.resolve(file) } as never,
    watch: { noteResult: async (path: string) => void noted.push(path) } as never,
    t: () => createTranslation('en-GB', 'UTC'),
  })
  return { save: () => saveResult({ id, index: 0 }), asked: () => seen.requests.map(({ url }) => url), noted }
}

describe('a result is saved', () => {
  it('from the service that the job belongs to, and watched folders recognize it under its final name', async () => {
    const { save, noted } = await finished()
    const saved = await save()
    expect(await readFile(saved?.savedAs ?? '', 'utf8')).toBe('a result')
    expect(noted).toEqual([saved?.savedAs])
  })

  it('but never from another service, which may have a job with the same id', async () => {
    const { save, asked } = await finished({ elsewhere: true })
    await expect(save()).rejects.toMatchObject({ code: 'otherService' })
    expect(asked()).toEqual([])
  })

  it('but not from a job that reuses the id after the service has restarted', async () => {
    const { save, asked } = await finished({ createdAt: '2026-11-21T10:00:00.000Z' })
    await expect(save()).rejects.toMatchObject({ code: 'otherService' })
    expect(asked()).toEqual(['/api/jobs/job-1'])
  })
})
