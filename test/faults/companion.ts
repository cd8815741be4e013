/**
 * The durable part of the app: outbox, sender, client and history on real files and a real connection. Its clock and timers run a
 * hundred times faster.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHistory, type History } from '../../src/main/history/index.ts'
import {
  createSender,
  openOutbox,
  planDraft,
  type Outbox,
  type Sender,
  type StoredSubmission,
} from '../../src/main/outbox/index.ts'
import { createServiceApi, parseBaseUrl } from '../../src/main/service-api/index.ts'
import { newGroupId } from '../main/outbox/drafts.ts'
import { asRecordId, type RecordId } from '../../src/shared/model/ids.ts'
import type { WaitingReason } from '../../src/shared/model/work.ts'
import { stagingIn } from '../main/staging/test-staging.ts'
import { FASTER, fastClock } from './fast-time.ts'
import type { ServiceErrorKind } from '../../src/shared/service-error.ts'

export type Companion = {
  readonly outbox: Outbox
  readonly history: History
  readonly sender: Sender
  readonly folder: string
  readonly troubles: readonly ServiceErrorKind[]
  setBaseUrl(baseUrl: string): void
  setKey(key: string): void
  block(reason: WaitingReason | null): void
  /** Creates a file and adds a submission of it to the outbox. Names must be unique. */
  submit(name: string, options?: { notBefore?: number }): RecordId
  stop(): Promise<void>
}

export type CompanionOptions = {
  readonly baseUrl: string
  readonly folder: string
  readonly seesFiles?: boolean
  readonly newId: () => string
  /** Called with the name of each step of a submission, so that a test can end the process there. */
  readonly onStep?: (step: string) => void
}

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'mediatray-faults-'))
export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })

export function startCompanion(options: CompanionOptions): Companion {
  const { folder, seesFiles = true, onStep = () => undefined } = options
  const clock = fastClock
  const outbox = openOutbox({
    file: join(folder, 'outbox.db'),
    clock,
    ids: () => asRecordId(options.newId()),
  })
  const history = openHistory({ file: join(folder, 'history.db'), clock, log: () => undefined })
  const troubles: ServiceErrorKind[] = []
  let key = 'secret'
  let blocked: WaitingReason | null = null
  let service = serviceAt(options.baseUrl)
  const late: (typeof service.api)[] = []

  function serviceAt(baseUrl: string) {
    const itsKey = key
    const parsed = parseBaseUrl(baseUrl)
    if (!parsed.ok) throw new Error(`not a base URL: ${baseUrl}`)
    const api = createServiceApi({
      baseUrl: parsed.value,
      key: () => itsKey,
      timeouts: { request: 250, idle: 250 },
    })
    return { api, baseUrl, kind: 'external', seesFiles } as const
  }

  const remember = ({ title, plan }: StoredSubmission): void =>
    history.recordSubmission({
      title,
      inputs: plan.items,
      grouping: plan.grouping,
    })
  const rememberById = (id: RecordId): void => {
    const submission = outbox.get(id)
    if (submission !== undefined) remember(submission)
  }
  for (const { id } of outbox.list()) rememberById(id)

  const sender = createSender({
    outbox: stepping(outbox, onStep),
    service: () => service,
    blocked: () => blocked,
    staging: stagingIn(folder),
    isOwnJob: (job) => history.isOwnJob(job),
    sizeOf: (path) =>
      stat(path).then(
        ({ size }) => size,
        () => null,
      ),
    timing: {
      clock,
      monotonic: () => performance.now() * FASTER,
      after(ms, run) {
        const timer = setTimeout(run, ms / FASTER)
        return () => clearTimeout(timer)
      },
      random: () => 0,
    },
    onAccepted(submission, acceptance) {
      onStep('before the history knows')
      rememberById(submission.id)
      history.recordAccepted(submission.id, acceptance)
      onStep('when the history knows')
      return Promise.resolve()
    },
    onTrouble: (error) => troubles.push(error.kind),
    onChange: () => undefined,
    log: () => undefined,
  })
  sender.start()

  return {
    outbox,
    history,
    sender,
    folder,
    troubles,
    setBaseUrl(baseUrl) {
      void service.api.close()
      service = serviceAt(baseUrl)
      sender.connectionChanged()
    },
    setKey(next) {
      key = next
      // As in the app, each key has its own client, and responses to the previous client can still arrive late.
      late.push(service.api)
      service = serviceAt(service.baseUrl)
      sender.connectionChanged()
    },
    block(reason) {
      blocked = reason
      sender.wake()
    },
    submit(name, { notBefore } = {}) {
      const path = join(folder, name)
      writeFileSync(path, `content of ${name}`)
      const plan = planDraft(
        {
          source: { kind: 'files', items: [{ path, name, kind: 'image', size: 20 }] },
          rejected: [],
          presets: ['Web 2048'],
          presetFolders: true,
          done: 'again',
          output: { kind: 'folder', path: join(folder, 'out') },
          variations: 1,
          grouping: 'together',
          editing: null,
        },
        { presets: null, drive: null, seesFiles },
        newGroupId,
      )
      if (!plan.ok) throw new Error(JSON.stringify(plan.problems))
      // The entry is on disk when the call returns.
      void outbox.enqueue(plan.submissions, notBefore === undefined ? {} : { notBefore })
      const submission = outbox.list().at(-1)
      if (submission === undefined) throw new Error('nothing was planned')
      onStep('in the outbox')
      rememberById(submission.id)
      sender.wake()
      return submission.id
    },
    async stop() {
      await sender.stop(0)
      await Promise.all([service.api, ...late].map((api) => api.close()))
      outbox.close()
      history.close()
    },
  }
}

/** Wraps the outbox so that it reports each write once it has happened, and some writes also beforehand. */
function stepping(outbox: Outbox, onStep: (step: string) => void): Outbox {
  return {
    ...outbox,
    beginSending(id, attempt) {
      onStep('before it is marked as sent')
      const begun = outbox.beginSending(id, attempt)
      onStep('when it is marked as sent')
      return begun
    },
    accept(id, acceptance) {
      onStep('when the answer is there')
      outbox.accept(id, acceptance)
      onStep('when it is accepted')
    },
    backToWaiting(id) {
      outbox.backToWaiting(id)
      onStep('when it waits again')
    },
    markUnknown(id, attempt, uncertainty) {
      outbox.markUnknown(id, attempt, uncertainty)
      onStep('when it is unknown')
    },
    forget(id) {
      outbox.forget(id)
      onStep('when it has left the outbox')
    },
  }
}

/** Polls a condition. Throws an error that contains `what` if the condition isn't met in time. */
export async function until(what: string, condition: () => boolean, timeoutMs = 60_000): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!condition()) {
    if (Date.now() > end) throw new Error(`Condition not met: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
}
