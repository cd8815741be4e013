import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAnswers } from '../../../src/main/outbox/answers.ts'
import { openOutbox, type Outbox } from '../../../src/main/outbox/index.ts'
import type { PlannedSubmission } from '../../../src/main/outbox/planned-submission.ts'
import { createSubmissionSending, type Sending } from '../../../src/main/outbox/send-submission.ts'
import type { SendingService } from '../../../src/main/outbox/sending-service.ts'
import type { AcceptedJob } from '../../../src/shared/api/resources.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { ServiceError } from '../../../src/shared/service-error.ts'
import { planOfFiles } from './drafts.ts'

const id = asRecordId('r1')
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

let folder: string
let outbox: Outbox
/** What was asked of the service. */
let asked: string[]
/** How what is under way looked at each change. */
let shown: Sending[]
let stopping: AbortController
let maySend: boolean

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mediatray-send-'))
  outbox = openOutbox({ file: join(folder, 'outbox.db'), clock: () => 1_000, ids: () => id })
  outbox.claim()
  asked = []
  shown = []
  stopping = new AbortController()
  maySend = true
})
afterEach(() => {
  outbox.close()
  rmSync(folder, { recursive: true })
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

async function send(service: SendingService, plan: Partial<PlannedSubmission> = {}) {
  void outbox.enqueue([planOfFiles(['/in/a.jpg'], plan)])
  const submission = outbox.whole(id)
  if (submission === undefined) throw new Error('it is in the outbox')
  const sending = createSubmissionSending({
    outbox,
    answers: createAnswers({
      outbox,
      clock: () => 1_000,
      onAccepted: () => Promise.resolve(),
      log: () => undefined,
    }),
    clock: () => 1_000,
    sizeOf: async () => 4,
    maySendTo: () => maySend,
    onUnknown: () => undefined,
    stopping: stopping.signal,
    onChange: () => shown.push(sending.now()),
    log: () => undefined,
  })
  return sending.send(submission, service)
}

describe('what is uploaded', () => {
  it('is nothing for a service that sees the files, unless it was asked for', async () => {
    await send(serviceThat(true))
    expect(asked).toEqual(['jobs', 'createJob'])
  })

  it('is every file that was asked to be uploaded, also where the service sees it', async () => {
    await send(serviceThat(true), { upload: true })
    expect(asked).toEqual(['jobs', 'upload', 'jobs', 'createJob'])
  })

  it('is every file for a service that doesn’t see them', async () => {
    await send(serviceThat(false))
    expect(asked).toEqual(['jobs', 'upload', 'jobs', 'createJob'])
  })
})

describe('one that is sent', () => {
  it('shows the upload, that it is over, and that it is being sent', async () => {
    expect(await send(serviceThat(false))).toEqual({ kind: 'accepted' })
    const said = shown.map((now) =>
      now.kind === 'preparing' ? (now.upload === null ? 'preparing' : 'uploading') : now.kind,
    )
    expect(said.slice(0, 2)).toEqual(['preparing', 'uploading'])
    expect(said.slice(-3)).toEqual(['uploading', 'preparing', 'idle'])
  })

  it('waits where its upload ended because the service went', async () => {
    const service = serviceThat(false, async () => ({ ok: false, error: gone }))
    expect(await send(service)).toEqual({ kind: 'trouble', error: gone })
    expect(outbox.get(id)?.state.kind).toBe('waiting')
    expect(asked).not.toContain('createJob')
  })

  it('makes way for the next where its upload was given up', async () => {
    const service = serviceThat(false, async () => {
      stopping.abort()
      return { ok: false, error: gone }
    })
    expect(await send(service)).toEqual({ kind: 'next' })
    expect(outbox.get(id)?.state.kind).toBe('waiting')
  })

  it('is not sent where another service is used by now, and the next one is looked at', async () => {
    maySend = false
    expect(await send(serviceThat(true))).toEqual({ kind: 'next' })
    expect(asked).toEqual(['jobs'])
    expect(outbox.get(id)).toMatchObject({ attempts: 0, state: { kind: 'waiting' } })
  })
})
