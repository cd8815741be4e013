/** What is on the disk when, in case the power fails: rule 1 holds for it too. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAnswers } from '../../../src/main/outbox/answers.ts'
import { openOutbox, type Outbox } from '../../../src/main/outbox/index.ts'
import { createSubmissionSending } from '../../../src/main/outbox/send-submission.ts'
import type { SendingService } from '../../../src/main/outbox/sending-service.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { succeeded } from '../../../src/shared/service-error.ts'
import { countWaits } from '../database/count-waits.ts'
import { planOfFiles } from './drafts.ts'

const id = asRecordId('r1')
const plans = [planOfFiles(['/in/a.jpg'])]

let folder: string
let outbox: Outbox
let posted: number
/** The waits for the disk that are under way. */
let waiting: PromiseWithResolvers<void>[]
/** What the history is asked to keep, and the waits for its disk. */
let told: PromiseWithResolvers<void>[]
let holds: boolean
let counter: ReturnType<typeof countWaits>

const settled = () => new Promise((resolve) => setImmediate(resolve))
const endWaits = async () => {
  for (const { resolve } of waiting.splice(0)) resolve()
  await settled()
}

const answersOf = () =>
  createAnswers({
    outbox,
    clock: () => 1_000,
    onAccepted() {
      const onDisk = Promise.withResolvers<void>()
      told.push(onDisk)
      return onDisk.promise
    },
    log: () => undefined,
  })

const service: SendingService = {
  api: {
    jobs: async () => succeeded({ jobs: [], queueLength: 0, processing: false }),
    async createJob() {
      posted += 1
      const job = { jobId: 'j1', inputFiles: 1, batchCount: 1, totalOperations: 1, position: 1 }
      return succeeded({ ...job, status: 'queued' as const, skipped: [], drive: null })
    },
    upload: () => Promise.reject(new Error('nothing is uploaded')),
  },
  kind: 'external',
  baseUrl: 'http://s',
  seesFiles: true,
}

function send(answers = answersOf()) {
  const submission = outbox.whole(id)
  if (submission === undefined) throw new Error('it is in the outbox')
  return createSubmissionSending({
    outbox,
    answers,
    clock: () => 1_000,
    sizeOf: async () => 4,
    maySendTo: () => true,
    onUnknown: () => undefined,
    stopping: new AbortController().signal,
    onChange: () => undefined,
    log: () => undefined,
  }).send(submission, service)
}

beforeEach(() => {
  counter = countWaits()
  folder = mkdtempSync(join(tmpdir(), 'mediatray-on-disk-'))
  posted = 0
  waiting = []
  told = []
  holds = true
  outbox = openOutbox({
    file: join(folder, 'outbox.db'),
    clock: () => 1_000,
    ids: () => id,
    openWal: () => ({
      sync() {
        if (!holds) return Promise.resolve()
        const wait = Promise.withResolvers<void>()
        waiting.push(wait)
        return wait.promise
      },
      close: () => undefined,
    }),
  })
  outbox.claim()
})
afterEach(() => {
  outbox.close()
  counter.release()
  rmSync(folder, { recursive: true })
})

it('what was started is shown at once, and has started when it is on the disk', async () => {
  let isStarted = false
  void outbox.enqueue(plans).then(() => (isStarted = true))
  expect(outbox.list()).toHaveLength(1)
  await settled()
  expect(isStarted).toBe(false)
  await endWaits()
  expect(isStarted).toBe(true)
})

it('a start says what the disk has refused, and is not made twice by being made again', async () => {
  const started = outbox.enqueue(plans, { key: 'k' })
  await settled()
  waiting[0]?.reject(new Error('EIO'))
  await expect(started).rejects.toThrow('EIO')
  holds = false
  expect(await outbox.enqueue(plans, { key: 'k' })).toEqual([])
  expect(outbox.list()).toHaveLength(1)
})

describe('one that is sent', () => {
  beforeEach(() => void outbox.enqueue(plans))

  it('leaves when its mark is on the disk, and not before', async () => {
    await settled()
    await endWaits()
    const sent = send()
    await settled()
    expect(outbox.get(id)?.state.kind).toBe('sending')
    expect(posted).toBe(0)
    await endWaits()
    expect(await sent).toEqual({ kind: 'accepted' })
    expect(posted).toBe(1)
  })

  it('does not leave where the disk refuses its mark, and waits as before', async () => {
    await settled()
    await endWaits()
    const sent = send()
    await settled()
    waiting[0]?.reject(new Error('EIO'))
    await expect(sent).rejects.toThrow('EIO')
    expect(posted).toBe(0)
    expect(outbox.get(id)?.state.kind).toBe('waiting')
  })

  it('stays until the disk of the history has it, which is told once', async () => {
    holds = false
    const answers = answersOf()
    await Promise.all([endWaits(), send(answers)])
    answers.settle()
    expect(outbox.accepted()).toHaveLength(1)
    expect(told).toHaveLength(1)
    told[0]?.resolve()
    await answers.allForgotten()
    expect(outbox.accepted()).toHaveLength(0)
  })

  it('is told to the history again where its disk has refused', async () => {
    holds = false
    const answers = answersOf()
    await Promise.all([endWaits(), send(answers)])
    told[0]?.reject(new Error('EIO'))
    await answers.allForgotten()
    expect(outbox.accepted()).toHaveLength(1)
    answers.settle()
    expect(told).toHaveLength(2)
  })
})

it('the loop waits for the disk once for each: when its acceptance is written', async () => {
  holds = false
  const before = counter.waits()
  await outbox.enqueue(plans)
  expect(counter.waits() - before).toBe(0)
  const answers = answersOf()
  await send(answers)
  told[0]?.resolve()
  await answers.allForgotten()
  expect(counter.waits() - before).toBe(1)
})
