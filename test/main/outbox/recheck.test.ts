import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openOutbox, type Outbox } from '../../../src/main/outbox/index.ts'
import { createAnswers } from '../../../src/main/outbox/answers.ts'
import { createRechecks, type Rechecks } from '../../../src/main/outbox/recheck.ts'
import type { SendingService } from '../../../src/main/outbox/sending-service.ts'
import type { Uncertainty } from '../../../src/main/outbox/submission-state.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { planOfFiles } from './drafts.ts'

const SENT_AT = 1_000_000
const id = asRecordId('r1')

let folder: string
let outbox: Outbox
let monotonic: number
/** How often the job list was read. */
let reads: number

beforeEach(async () => {
  monotonic = 0
  reads = 0
  folder = mkdtempSync(join(tmpdir(), 'mediatray-recheck-'))
  outbox = openOutbox({ file: join(folder, 'outbox.db'), clock: () => SENT_AT + monotonic, ids: () => id })
  outbox.claim()
  await outbox.enqueue([planOfFiles(['/in/a.jpg'])])
})
afterEach(() => {
  outbox.close()
  rmSync(folder, { recursive: true })
})

const log = () => undefined

/** A service that never has a job. */
const service: SendingService = {
  api: {
    jobs: () => {
      reads += 1
      return Promise.resolve({ ok: true, value: { jobs: [], queueLength: 0, processing: false } })
    },
    createJob: () => Promise.reject(new Error('nothing is sent here')),
    upload: () => Promise.reject(new Error('nothing is uploaded here')),
  },
  kind: 'external',
  baseUrl: 'http://s',
  seesFiles: true,
}

const attempt = {
  at: SENT_AT,
  service: 'http://s',
  baseUrl: 'http://s',
  connection: 'external' as const,
  known: [],
  uploaded: null,
}

function rechecksAfter(cause: Uncertainty['cause'], witness: 'watched' | 'blind' = 'watched') {
  outbox.beginSending(id, attempt)
  outbox.markUnknown(id, attempt, { cause, message: '' })
  const timing = { clock: () => SENT_AT + monotonic, monotonic: () => monotonic }
  const rechecks = createRechecks({
    outbox,
    answers: createAnswers({ outbox, clock: timing.clock, onAccepted: () => Promise.resolve(), log }),
    timing,
    isOwnJob: () => false,
    isInUse: () => true,
    stopping: new AbortController().signal,
    log,
  })
  if (witness === 'watched') rechecks.watch(id)
  return rechecks
}

/** @returns the ms until the next look; undefined where it is decided */
async function look(rechecks: Rechecks): Promise<number | undefined> {
  const submission = rechecks.next(service)
  if (submission === undefined) return undefined
  const result = await rechecks.run(submission, service)
  if (result.kind === 'trouble') throw new Error(result.error.message)
  return result.pause ?? 0
}

/** Looks as often as it is told to, until it is decided. @returns after how many ms that was */
async function decidedAfter(cause: Uncertainty['cause']): Promise<number> {
  const rechecks = rechecksAfter(cause)
  for (;;) {
    const pause = await look(rechecks)
    if (pause === undefined) return monotonic
    monotonic += pause
  }
}

const state = () => outbox.get(id)?.state

describe('a submission that no list shows', () => {
  it('is sent again seven seconds after the wire broke, when two lists were without it', async () => {
    expect(await decidedAfter('broken')).toBe(7_000)
    expect(reads).toBe(2)
    expect(state()?.kind).toBe('waiting')
  })

  it('is looked for over five minutes after a timeout, and then asked about', async () => {
    expect(await decidedAfter('timeout')).toBeGreaterThanOrEqual(5 * 60_000)
    expect(state()).toMatchObject({ kind: 'unknown', leftToUser: true })
  })

  it('is looked for over five minutes after a crash', async () => {
    expect(await decidedAfter('crash')).toBeGreaterThanOrEqual(5 * 60_000)
  })

  it('is looked for after a moment too where nobody has watched since it was sent', async () => {
    const rechecks = rechecksAfter('broken', 'blind')
    expect(await look(rechecks)).toBe(2_000)
    expect(reads).toBe(0)
  })

  it('says when the service has been read, and when it was only waited for', async () => {
    const rechecks = rechecksAfter('timeout')
    const run = () => {
      const submission = rechecks.next(service)
      if (submission === undefined) throw new Error('it is not decided')
      return rechecks.run(submission, service)
    }
    expect(await run()).toEqual({ kind: 'pause', pause: 2_000 })
    monotonic += 2_000
    expect(await run()).toEqual({ kind: 'read', pause: 5_000 })
  })

  it('is looked for less and less often, but every half minute', async () => {
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
