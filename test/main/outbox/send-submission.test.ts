import { beforeEach, describe, expect, it } from 'vitest'
import { createAnswers } from '../../../src/main/outbox/answers.ts'
import type { Outbox } from '../../../src/main/outbox/index.ts'
import type { PlannedSubmission } from '../../../src/main/outbox/planned-submission.ts'
import type { Sending } from '../../../src/main/outbox/send-submission.ts'
import type { SendingService } from '../../../src/main/outbox/sending-service.ts'
import type { AcceptedJob } from '../../../src/shared/api/resources.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { failure, type Failure, reason } from '../../../src/shared/failure/failure.ts'
import { because, failed, type ServiceError } from '../../../src/shared/service-error.ts'
import { planOfFiles } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'
import { sendOnce } from './send-once.ts'

const id = asRecordId('r1')
const TO = { service: 'http://s', unaddressed: true }
const CREATED = {
  jobId: 'j1',
  status: 'queued',
  inputFiles: 1,
  batchCount: 1,
  totalOperations: 1,
  skipped: [],
  position: 1,
  drive: null,
} satisfies AcceptedJob
const gone: ServiceError = { kind: 'notReachable', reason: 'ECONNREFUSED', message: '' }

let folder: ReturnType<typeof outboxFolder>
let outbox: Outbox
/** Requests to the service. */
let asked: string[]
/** The in-flight submission after each change. */
let shown: Sending[]
let stopping: AbortController
let maySend: boolean

beforeEach(() => {
  folder = outboxFolder()
  outbox = folder.open()
  asked = []
  shown = []
  stopping = new AbortController()
  maySend = true
})

function serviceThat(seesFiles: boolean, upload?: SendingService['api']['upload']): SendingService {
  return {
    api: {
      jobs() {
        asked.push('jobs')
        return Promise.resolve({ ok: true, value: { jobs: [], queueLength: 0, processing: false } })
      },
      createJob() {
        asked.push('createJob')
        return Promise.resolve({ ok: true, value: CREATED })
      },
      upload(file, options) {
        asked.push('upload')
        const value = { filePath: `/up/${file.name}`, originalName: file.name ?? '', size: 4 }
        return upload?.(file, options) ?? Promise.resolve({ ok: true, value })
      },
    },
    kind: 'external',
    baseUrl: 'http://s',
    seesFiles,
  }
}

function send(service: SendingService, plan: Partial<PlannedSubmission> = {}) {
  void outbox.enqueue([planOfFiles(['/in/a.jpg'], plan)])
  const answers = createAnswers(
    { outbox, onAccepted: () => Promise.resolve(), log: () => undefined },
    () => 1_000,
  )
  return sendOnce(outbox, answers, service, {
    maySend: () => maySend,
    stopping: stopping.signal,
    onChange: (now) => shown.push(now),
  })
}

it.each([
  ['nothing, by default, for a service that can read the files', true, false],
  ['every file on request, even if the service can read it', true, true],
  ['every file for a service that can’t read them', false, false],
])('the uploads include %s', async (_, seesFiles, upload) => {
  await send(serviceThat(seesFiles), upload ? { upload } : {})
  const uploads = seesFiles && !upload ? [] : ['jobs', 'upload']
  expect(asked).toEqual([...uploads, 'jobs', 'createJob'])
})

describe('a submission being sent', () => {
  it('shows its preparation, its upload, and the end of the upload', async () => {
    expect(await send(serviceThat(false))).toMatchObject({ kind: 'accepted' })
    const said = shown.map((now) =>
      now.kind === 'preparing' ? (now.upload === null ? 'preparing' : 'uploading') : now.kind,
    )
    expect(said.slice(0, 2)).toEqual(['preparing', 'uploading'])
    expect(said.slice(-3)).toEqual(['uploading', 'preparing', 'idle'])
  })

  it('returns to waiting if its upload ended because the service became unavailable', async () => {
    const service = serviceThat(false, async () => ({ ok: false, error: gone }))
    expect(await send(service)).toEqual({ kind: 'trouble', error: gone })
    expect(outbox.get(id)?.state.kind).toBe('waiting')
    expect(asked).not.toContain('createJob')
  })

  it('doesn’t block the next submission if its upload was aborted', async () => {
    const service = serviceThat(false, async () => {
      stopping.abort()
      return { ok: false, error: gone }
    })
    expect(await send(service)).toEqual({ kind: 'next' })
    expect(outbox.get(id)?.state.kind).toBe('waiting')
  })

  it('is not sent if another service has come into use, and the next submission is tried', async () => {
    maySend = false
    expect(await send(serviceThat(true))).toEqual({ kind: 'next' })
    expect(asked).toEqual(['jobs'])
    expect(outbox.get(id)).toMatchObject({ attempts: 0, state: { kind: 'waiting' } })
  })

  it('is uncertain if the service responds with the id of an earlier job', async () => {
    const service = serviceThat(true)
    const before = {
      jobId: CREATED.jobId,
      status: 'queued',
      type: 'single',
      preset: '',
      progress: {},
      createdAt: 'earlier',
      startedAt: null,
      completedAt: null,
    } as const
    service.api.jobs = () =>
      Promise.resolve({ ok: true, value: { jobs: [before], queueLength: 1, processing: false } })
    expect(await send(service)).toEqual({ kind: 'next' })
    expect(outbox.get(id)?.state).toMatchObject({ kind: 'unknown', uncertainty: { cause: 'badResponse' } })
  })
})

it('a submission whose preset was edited in the meantime waits, and its next attempt uses the new document', async () => {
  const keys: (string | undefined)[] = []
  const edited = failed({
    kind: 'refused',
    status: 400,
    skipped: [],
    ...because(failure('presetChanged', { preset: 'Web' })),
  })
  const { api, ...rest } = serviceThat(true)
  const service: SendingService = {
    ...rest,
    kind: 'builtIn',
    api: {
      ...api,
      async createJob({ presetKey }) {
        keys.push(presetKey)
        return presetKey === 'new' ? { ok: true, value: CREATED } : edited
      },
    },
  }
  await outbox.enqueue([planOfFiles(['/in/a.jpg'], { preset: 'Web' })])
  const answers = createAnswers(
    { outbox, onAccepted: () => Promise.resolve(), log: () => undefined },
    () => 1_000,
  )
  expect(await sendOnce(outbox, answers, service, { keepPreset: async () => 'old' })).toEqual({
    kind: 'next',
  })
  expect(outbox.get(id)?.state.kind).toBe('waiting')
  expect(await sendOnce(outbox, answers, service, { keepPreset: async () => 'new' })).toMatchObject({
    kind: 'accepted',
  })
  expect(keys).toEqual(['old', 'new'])
})

const refusing = (why: Failure): SendingService => {
  const service = serviceThat(true)
  const error: ServiceError = { kind: 'refused', status: 400, skipped: [], ...because(why) }
  return { ...service, api: { ...service.api, createJob: () => Promise.resolve(failed(error)) } }
}

describe('a submission whose results can’t be saved now', () => {
  const trouble = failure('outputUnusable', { reason: reason('full'), folder: '/out' })
  it('waits if it is of a watched folder, and its next owner sends it again at once', async () => {
    expect(await send(refusing(trouble), { watched: 'inbox' })).toEqual({ kind: 'next' })
    const waiting = { kind: 'waiting', isEdited: false, unsaved: trouble }
    const postponed = outbox.get(id)
    // The attempts show whether the submission itself is the problem.
    expect(postponed).toMatchObject({ attempts: 0, state: waiting })
    expect([1_000, 31_000].map((at) => outbox.nextDue(at, TO)?.id)).toEqual([undefined, id])
    outbox.close()
    const next = folder.open()
    expect(next.get(id)?.state).toEqual({ ...waiting, notBefore: null })
    expect(next.nextDue(1_000, TO)?.id).toBe(id)
    next.close()
  })

  it('is refused if the user submitted it', async () => {
    await send(refusing(trouble))
    expect(outbox.get(id)?.state).toMatchObject({ kind: 'refused', refusal: { failure: trouble } })
  })

  it('is refused if only the user can change that', async () => {
    const lasting = failure('outputUnusable', { reason: reason('nameTooLong'), folder: '/out' })
    await send(refusing(lasting), { watched: 'inbox' })
    expect(outbox.get(id)?.state).toMatchObject({ kind: 'refused', refusal: { failure: lasting } })
  })
})
