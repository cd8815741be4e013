/** Checks what is on disk at which moment, because submissions must also survive a power failure (rule 1). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createAnswers } from '../../../src/main/outbox/answers.ts'
import type { Outbox } from '../../../src/main/outbox/index.ts'
import type { SendingService } from '../../../src/main/outbox/sending-service.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { succeeded } from '../../../src/shared/service-error.ts'
import { countWaits } from '../database/count-waits.ts'
import { planOfFiles } from './drafts.ts'
import { outboxFolder } from './outbox-folder.ts'
import { sendOnce } from './send-once.ts'

const id = asRecordId('r1')
const plans = [planOfFiles(['/in/a.jpg'])]

let outbox: Outbox
let posted: number
/** Pending waits for the disk. */
let waiting: PromiseWithResolvers<void>[]
/** Pending waits for the history to be on disk. */
let told: PromiseWithResolvers<void>[]
let holds: boolean
let counter: ReturnType<typeof countWaits>

const settled = () => new Promise((resolve) => setImmediate(resolve))
/** The preset's document is stored first, which takes some turns. */
const startsWaiting = async () => {
  while (waiting.length === 0) await settled()
}
const endWaits = async () => {
  for (const { resolve } of waiting.splice(0)) resolve()
  await settled()
}

const answersOf = () =>
  createAnswers(
    {
      outbox,
      onAccepted() {
        const onDisk = Promise.withResolvers<void>()
        told.push(onDisk)
        return onDisk.promise
      },
      log: () => undefined,
    },
    () => 1_000,
  )

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

const send = (answers = answersOf()) => sendOnce(outbox, answers, service)

beforeEach(() => {
  counter = countWaits()
  posted = 0
  waiting = []
  told = []
  holds = true
  const openWal = () => ({
    sync() {
      if (!holds) return Promise.resolve()
      const wait = Promise.withResolvers<void>()
      waiting.push(wait)
      return wait.promise
    },
    close: () => undefined,
  })
  outbox = outboxFolder({ openWal }).open()
})
afterEach(() => counter.release())

it('a submission is visible immediately, but reported as stored only when it is on disk', async () => {
  let isStarted = false
  void outbox.enqueue(plans).then(() => (isStarted = true))
  expect(outbox.list()).toHaveLength(1)
  await settled()
  expect(isStarted).toBe(false)
  await endWaits()
  expect(isStarted).toBe(true)
})

it('a disk error is reported, and a retry does not duplicate the submission', async () => {
  const started = outbox.enqueue(plans, { key: 'k' })
  await settled()
  waiting[0]?.reject(new Error('EIO'))
  await expect(started).rejects.toThrow('EIO')
  holds = false
  expect(await outbox.enqueue(plans, { key: 'k' })).toEqual([])
  expect(outbox.list()).toHaveLength(1)
})

describe('a submission being sent', () => {
  beforeEach(() => void outbox.enqueue(plans))

  it('is sent only after its state “sending” is on disk', async () => {
    await settled()
    await endWaits()
    const sent = send()
    await startsWaiting()
    expect(outbox.get(id)?.state.kind).toBe('sending')
    expect(posted).toBe(0)
    await endWaits()
    expect(await sent).toMatchObject({ kind: 'accepted' })
    expect(posted).toBe(1)
  })

  it('is not sent if its state “sending” can’t be written, and waits as before', async () => {
    await settled()
    await endWaits()
    const sent = send()
    await startsWaiting()
    waiting[0]?.reject(new Error('EIO'))
    await expect(sent).rejects.toThrow('EIO')
    expect(posted).toBe(0)
    expect(outbox.get(id)?.state.kind).toBe('waiting')
  })

  it('is kept until the history has it on disk, and reported to the history once', async () => {
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

  it('is reported to the history again if the history’s disk has failed', async () => {
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

it('waits for the disk synchronously only once: when the acceptance is written', async () => {
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
