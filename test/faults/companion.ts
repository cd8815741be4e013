/**
 * The durable part of the app: outbox, sender, client and history on real files and a real connection. Its clock and timers run a
 * hundred times faster.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHistory } from '../../src/main/history/index.ts'
import { createSender, openOutbox, planDraft } from '../../src/main/outbox/index.ts'
import type { Outbox, Submission } from '../../src/main/outbox/index.ts'
import { createServiceApi, parseBaseUrl } from '../../src/main/service-api/index.ts'
import { draftOfFiles, newJobId } from '../main/outbox/drafts.ts'
import type { Draft } from '../../src/shared/model/draft.ts'
import { asRecordId, type RecordId } from '../../src/shared/model/ids.ts'
import type { WaitingReason } from '../../src/shared/model/job.ts'
import { aliasesIn } from '../main/aliases/test-aliases.ts'
import { FASTER, fastClock } from './fast-time.ts'
import type { ServiceErrorKind } from '../../src/shared/service-error.ts'

export type Companion = ReturnType<typeof startCompanion>

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

function inputAt(path: string, name: string) {
  writeFileSync(path, `content of ${name}`)
  return { path, name, kind: 'image', size: 20 } as const
}

function firstOf([id]: readonly RecordId[]): RecordId {
  if (id === undefined) throw new Error('nothing was planned')
  return id
}

export function startCompanion(options: CompanionOptions) {
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
      timeouts: { request: 1_000, idle: 1_000 },
    })
    return { api, baseUrl, kind: 'external', seesFiles } as const
  }

  const remember = (submission: Submission): void => history.recordSubmission(submission)
  const rememberById = (id: RecordId): void => {
    const submission = outbox.get(id)
    if (submission !== undefined) remember(submission)
  }
  for (const { id } of outbox.list()) rememberById(id)

  const sender = createSender({
    outbox: stepping(outbox, onStep),
    service: () => service,
    blocked: () => blocked,
    aliases: aliasesIn(folder),
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
      const onDisk = history.recordAcceptedSubmission(submission, acceptance)
      onStep('when the history knows')
      return onDisk
    },
    onTrouble: (error) => troubles.push(error.kind),
    onChange: () => undefined,
    log: () => undefined,
  })
  sender.start()

  /** Everything is on disk when the call returns. */
  function enqueue(
    choice: Pick<Draft, 'source' | 'presets' | 'output'>,
    when: { notBefore?: number } = {},
  ): readonly RecordId[] {
    const draft: Draft = { ...draftOfFiles([]), ...choice }
    const plan = planDraft(draft, { presets: null, drive: null, seesFiles }, newJobId)
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems))
    const before = outbox.list().length
    void outbox.enqueue(plan.submissions, when)
    const added = outbox
      .list()
      .slice(before)
      .map(({ id }) => id)
    onStep('in the outbox')
    for (const id of added) rememberById(id)
    sender.wake()
    return added
  }

  return {
    outbox,
    history,
    sender,
    folder,
    troubles: troubles as readonly ServiceErrorKind[],
    setBaseUrl(baseUrl: string) {
      void service.api.close()
      service = serviceAt(baseUrl)
      sender.connectionChanged()
    },
    setKey(next: string) {
      key = next
      // As in the app, each key has its own client, and responses to the previous client can still arrive late.
      late.push(service.api)
      service = serviceAt(service.baseUrl)
      sender.connectionChanged()
    },
    block(reason: WaitingReason | null) {
      blocked = reason
      sender.wake()
    },
    /** Creates a file and adds a submission of it to the outbox. Names must be unique. */
    submit(name: string, { notBefore }: { notBefore?: number } = {}) {
      const source = { kind: 'files', items: [inputAt(join(folder, name), name)] } as const
      const output = { kind: 'folder', path: join(folder, 'out') } as const
      const when = notBefore === undefined ? {} : { notBefore }
      return firstOf(enqueue({ source, presets: ['Web 2048'], output }, when))
    },
    /**
     * Creates a photo with the same name in each folder, and adds a job that processes each with each preset. The results of all
     * parts are next to the originals, so parts with the same preset differ only in their folders.
     * @returns the job's ID
     */
    submitParts(folders: readonly string[], presets: readonly string[]) {
      const items = folders.map((name) => {
        mkdirSync(join(folder, name), { recursive: true })
        return inputAt(join(folder, name, 'photo.jpg'), 'photo.jpg')
      })
      const output = { kind: 'beside', subfolder: null } as const
      return firstOf(enqueue({ source: { kind: 'files', items }, presets, output }))
    },
    /** Records that the service has finished the part with one result. */
    end(id: RecordId) {
      onStep('before a part has ended')
      history.recordOutcome(id, { kind: 'done', results: 1, uploaded: null }, clock())
      onStep('when a part has ended')
    },
    /** Whether nothing is left to send, and each acceptance is on disk. */
    isIdle: () => !sender.busy() && outbox.accepted().length === 0,
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
