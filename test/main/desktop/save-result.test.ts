import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { workHandlers } from '../../../src/main/desktop/ipc/work-handlers.ts'
import { createTranslation } from '../../../src/shared/i18n/i18n.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { httpServer } from '../service-api/scripted-server.ts'
import { submissionOf } from '../history/sample-records.ts'
import { emptyState } from '../state/empty-state.ts'
import { coreAtHand } from './core-at-hand.ts'

const CREATED = '2026-11-20T10:00:00.000Z'
const id = asRecordId('r1')

/** A finished job of one service, and a window that is connected to the same or another one. */
async function finished({ createdAt = CREATED, elsewhere = false } = {}) {
  const { core, folder } = await coreAtHand()
  const server = await httpServer((request, response) => {
    if (request.url?.startsWith('/api/download') === true) return response.end('a result')
    const job = { jobId: 'job-1', status: 'completed', type: 'single', preset: 'x', progress: {}, createdAt }
    return response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ ...job, startedAt: null, completedAt: null }))
  })
  onTestFinished(() => server.close())
  const { api, seen } = server
  const baseUrl = api.baseUrl.href
  core.history.recordSubmission(submissionOf(id, ['/in/a.jpg']))
  core.history.recordAccepted(id, {
    jobId: 'job-1',
    createdAt: CREATED,
    baseUrl: elsewhere ? 'http://127.0.0.1:1/api' : baseUrl,
    connection: 'external',
    acceptedAt: Date.parse(CREATED),
    skipped: [],
  })
  const file = join(folder, 'saved.txt')
  const { saveResult } = workHandlers({
    history: core.history,
    drafts: core.drafts,
    tracker: core.tracker,
    connection: { api: () => api, view: () => ({ ...emptyState.connection, kind: 'external', baseUrl }) },
    knownPaths: core.knownPaths,
    dialogs: { askToSave: () => Promise.resolve(file) },
    t: () => createTranslation('en-GB', 'UTC'),
  })
  return { save: () => saveResult({ id, index: 0 }), asked: () => seen.requests.map(({ url }) => url) }
}

describe('a result is saved', () => {
  it('from the service that the job belongs to', async () => {
    const { save } = await finished()
    const saved = await save()
    expect(await readFile(saved?.savedAs ?? '', 'utf8')).toBe('a result')
  })

  it('and never from another one, which may have a job of that name too', async () => {
    const { save, asked } = await finished({ elsewhere: true })
    await expect(save()).rejects.toMatchObject({ code: 'otherService' })
    expect(asked()).toEqual([])
  })

  it('nor from a job that got the name after a restart of the service', async () => {
    const { save, asked } = await finished({ createdAt: '2026-11-21T10:00:00.000Z' })
    await expect(save()).rejects.toMatchObject({ code: 'otherService' })
    expect(asked()).toEqual(['/api/jobs/job-1'])
  })
})
