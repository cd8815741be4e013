import { beforeEach, describe, expect, it } from 'vitest'
import type { Outbox } from '../../../src/main/outbox/index.ts'
import { createAnswers } from '../../../src/main/outbox/answers.ts'
import { createRechecks, type Rechecks } from '../../../src/main/outbox/recheck.ts'
import type { SendingService } from '../../../src/main/outbox/sending-service.ts'
import type { Uncertainty } from '../../../src/main/outbox/submission-state.ts'
import { ServiceJob } from '../../../src/shared/api/resources.ts'
import { failure } from '../../../src/shared/failure/failure.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import { attempt as anAttempt, planOfFiles } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'

const SENT_AT = 1_000_000
const attempt = { ...anAttempt, at: SENT_AT }

let outbox: Outbox
let id: RecordId
let monotonic: number
/** Number of requests for the job list. */
let reads: number

beforeEach(async () => {
  monotonic = 0
  reads = 0
  outbox = outboxFolder({ clock: () => SENT_AT + monotonic }).open()
  await outbox.enqueue([planOfFiles(['/in/a.jpg'])])
  id = asRecordId('r1')
})

/** Sends it three times to a service that fails each time, without creating a job. */
async function failThreeTimes(cause: Uncertainty['cause'] = 'serverError'): Promise<void> {
  for (let n = 0; n < 3; n += 1) await decidedAfter(cause)
}

const log = () => undefined

/** A service that never has a job. */
const service: SendingService = {
  api: {
    jobs: () => {
      reads += 1
      return Promise.resolve({ ok: true, value: { jobs: [], queueLength: 0, processing: false } })
    },
    createJob: () => Promise.reject(new Error('nothing is sent here')),
    upload: () => Promise.reject(new Error('uploading isn’t part of this test')),
  },
  kind: 'external',
  baseUrl: 'http://s',
  seesFiles: true,
}

function rechecksAfter(cause: Uncertainty['cause'], witness: 'watched' | 'blind' = 'watched') {
  outbox.beginSending(id, attempt)
  outbox.markUnknown(id, attempt, { cause, message: 'no space' })
  const timing = { clock: () => SENT_AT + monotonic, monotonic: () => monotonic }
  const rechecks = createRechecks({
    outbox,
    answers: createAnswers({ outbox, onAccepted: () => Promise.resolve(), log }, timing.clock),
    timing,
    isOwnJob: () => false,
    isInUse: () => true,
    stopping: new AbortController().signal,
    onChange: () => undefined,
    log,
  })
  if (witness === 'watched') rechecks.watch(id)
  return rechecks
}

/** @returns ms until the next check; undefined once the outcome is decided */
async function look(rechecks: Rechecks): Promise<number | undefined> {
  const submission = rechecks.next(service)
  if (submission === undefined) return undefined
  const result = await rechecks.run(submission, service)
  if (result.kind === 'trouble') throw new Error(result.error.message)
  return result.pause ?? 0
}

/**
 * Checks at the scheduled times until the submission's outcome is decided.
 * @returns how many ms that took
 */
async function decidedAfter(cause: Uncertainty['cause']): Promise<number> {
  const rechecks = rechecksAfter(cause)
  for (;;) {
    const pause = await look(rechecks)
    if (pause === undefined) return monotonic
    monotonic += pause
  }
}

const state = () => outbox.get(id)?.state

describe('a submission that is missing from every job list', () => {
  it('is sent again seven seconds after a connection loss, once two lists haven’t contained it', async () => {
    expect(await decidedAfter('broken')).toBe(7_000)
    expect(reads).toBe(2)
    expect(state()?.kind).toBe('waiting')
  })

  it('is looked up for at least five minutes after a timeout, and then left to the user', async () => {
    expect(await decidedAfter('timeout')).toBeGreaterThanOrEqual(5 * 60_000)
    expect(state()).toMatchObject({ kind: 'unknown', leftToUser: true })
  })

  it('is looked up for at least five minutes after a crash', async () => {
    expect(await decidedAfter('crash')).toBeGreaterThanOrEqual(5 * 60_000)
  })

  it('is looked up only after a short wait even if the app was closed in between', async () => {
    const rechecks = rechecksAfter('broken', 'blind')
    expect(await look(rechecks)).toBe(2_000)
    expect(reads).toBe(0)
  })

  it('is only considered missing after successful reads, not after mere waiting', async () => {
    const rechecks = rechecksAfter('timeout')
    const run = () => {
      const submission = rechecks.next(service)
      if (submission === undefined) throw new Error('it isn’t decided')
      return rechecks.run(submission, service)
    }
    expect(await run()).toEqual({ kind: 'pause', pause: 2_000 })
    monotonic += 2_000
    expect(await run()).toEqual({ kind: 'read', pause: 5_000 })
  })

  it('is looked up at growing intervals of at most half a minute', async () => {
    const rechecks = rechecksAfter('timeout')
    const pauses: (number | undefined)[] = []
    for (let time = 0; time < 7; time++) {
      const pause = await look(rechecks)
      pauses.push(pause)
      monotonic += pause ?? 0
    }
    expect(pauses).toEqual([2_000, 5_000, 10_000, 20_000, 30_000, 30_000, 30_000])
  })
})

it('never adopts a job that could equally belong to another unknown submission with the same file names', async () => {
  const created = '2026-11-20T10:00:00Z'
  const job = ServiceJob.parse({
    jobId: 'late',
    status: 'queued',
    type: 'single',
    preset: 'Web 2048',
    fileName: 'a.jpg',
    progress: {},
    createdAt: created,
    startedAt: null,
    completedAt: null,
  })
  const [other] = await outbox.enqueue([planOfFiles(['/elsewhere/a.jpg'])])
  const otherId = other?.id ?? id
  outbox.beginSending(otherId, attempt)
  outbox.markUnknown(otherId, attempt, { cause: 'timeout', message: '' })
  outbox.leaveToUser(otherId, [])
  const jobs: SendingService['api']['jobs'] = () =>
    Promise.resolve({ ok: true, value: { jobs: [job], queueLength: 1, processing: false } })
  const withJob: SendingService = { ...service, api: { ...service.api, jobs } }
  const rechecks = rechecksAfter('broken')
  for (let n = 0; n < 10 && rechecks.next(withJob) !== undefined; n += 1) {
    const submission = rechecks.next(withJob)
    if (submission === undefined) break
    const result = await rechecks.run(submission, withJob)
    monotonic += result.kind === 'trouble' ? 0 : (result.pause ?? 0)
  }
  expect(outbox.get(id)?.state).toMatchObject({
    kind: 'unknown',
    leftToUser: true,
    candidates: [{ jobId: 'late' }],
  })
})

describe('a service that fails three times', () => {
  it('refuses what the user submitted', async () => {
    await failThreeTimes()
    expect(state()).toMatchObject({ kind: 'refused', refusal: { why: 'service', message: 'no space' } })
  })

  it.each(['serverError', 'badResponse', 'broken'] as const)(
    'gets the files of a watched folder again later, three times each: %s',
    async (cause) => {
      outbox.remove(id)
      const [watched] = await outbox.enqueue([planOfFiles(['/in/b.jpg'], { watched: 'inbox' })])
      id = watched?.id ?? id
      await failThreeTimes(cause)
      const unsaved = failure('serviceReported', { detail: 'no space' })
      expect(outbox.get(id)).toMatchObject({ attempts: 0, state: { kind: 'waiting', unsaved } })
      expect(outbox.nextDue(SENT_AT + monotonic, { service: 'http://s', unaddressed: true })).toBeUndefined()
      await failThreeTimes(cause)
      expect(outbox.get(id)).toMatchObject({ attempts: 0, state: { kind: 'waiting', unsaved } })
    },
  )

  it('leaves what the user submitted to the user after broken connections', async () => {
    await failThreeTimes('broken')
    expect(state()).toMatchObject({ kind: 'unknown', leftToUser: true })
  })
})
