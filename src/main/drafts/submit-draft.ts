/** The draft in the draft store, and the way of any draft into the outbox. */
import { messageOf } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import type { Draft, OutputTarget, StartResult } from '../../shared/model/draft.ts'
import type { KeptForecast } from '../../shared/model/forecast.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Connection } from '../connection/index.ts'
import type { History } from '../history/index.ts'
import {
  planDraft,
  type Outbox,
  type Plan,
  type PlannedSubmission,
  type PlanningFacts,
} from '../outbox/index.ts'
import { createSubmissionRecorder } from './record-submissions.ts'
import { splitByKind, withFittingPreset } from './draft-changes.ts'
import { createDraftStore, emptyDraft, type DraftDefaults, type DraftStore } from './draft-store.ts'
import type { Settings } from '../settings/settings.ts'

/** How a draft is started. */
export type StartOptions = {
  /** Photos and videos each become a submission of their own. */
  readonly split: boolean
  /** ms in which it can still be undone. */
  readonly grace: number
  /** With the key of an earlier call nothing is started. */
  readonly key?: string
  /** The identity of the only service that it may be sent to; absent: whichever is connected. */
  readonly target?: string
  /** Uploads the files and fetches the results, whatever the service is thought to see. */
  readonly upload?: boolean
  /** What is on show of the draft, of those of its files that become one submission. */
  readonly forecastOf?: ((part: Draft) => KeptForecast | undefined) | undefined
}

export type StartingOptions = {
  readonly outbox: Outbox
  readonly history: History
  readonly settings: Settings
  readonly connection: Connection
  /** Where results go while nobody has chosen another place. */
  readonly defaultOutput: string
  readonly timing: Pick<Timing, 'clock' | 'after'>
  readonly onDraft: (draft: Draft) => void
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface Drafts {
  readonly store: DraftStore
  /** Starts the draft of the store, and empties the store. To start it again before it has been is the same start. */
  start(options: StartOptions): Promise<StartResult>
  /** An empty draft as the settings want it. */
  defaultDraft(): Draft
  /** Starts a draft that was never in the store, such as a quick drop. */
  startDraft(draft: Draft, options: StartOptions): Promise<StartResult>
  /** A waiting or refused submission goes back into the store. False where it is being sent already. */
  edit(id: RecordId): boolean
  /** Puts another draft into the store: a record run again. */
  openDraft(draft: Draft): void
  /** What was being edited waits again as it was. */
  stopEditing(): void
  /** Waits for what is being started: a long start takes several turns of the loop. */
  close(): Promise<void>
}

const RECENT_OUTPUTS = 8

export function openDrafts(options: StartingOptions): Drafts {
  const { outbox, history, settings, connection, timing, log } = options
  const store = createDraftStore(defaults, options.onDraft)
  const recorder = createSubmissionRecorder({ history, after: timing.after, log })
  const underWay = new Set<Promise<StartResult>>()
  /** That of the store's own draft. */
  let starting: Promise<StartResult> | undefined

  function defaults(): DraftDefaults {
    const { defaultPreset, defaultOutput, variations, grouping } = settings.view()
    const output: OutputTarget = defaultOutput ?? { kind: 'folder', path: options.defaultOutput }
    return { preset: defaultPreset, output, variations, grouping }
  }

  /**
   * Once the outbox has it, a draft is started: what comes after may fail without making the caller try again, which would
   * make another job (rule 1).
   */
  async function startDraft(draft: Draft, how: StartOptions): Promise<StartResult> {
    const planned = planAll(draft, how, connection.view())
    if (!planned.ok) return planned
    const enqueueing = {
      ...(how.grace > 0 ? { notBefore: timing.clock() + how.grace } : {}),
      ...(how.key === undefined ? {} : { key: how.key }),
    }
    const entered =
      draft.editing === null
        ? await outbox.enqueue(planned.submissions, enqueueing)
        : await outbox.replace(draft.editing, planned.submissions, enqueueing)
    if (entered === undefined) return { ok: false, problems: [{ code: 'sentMeanwhile' }] }
    const { editing } = draft
    afterwards('edited record not forgotten', () => (editing === null ? undefined : history.forget(editing)))
    recorder.record(entered)
    afterwards('output not remembered', () => rememberOutput(draft.output))
    return { ok: true, ids: entered.map(({ id }) => id) }
  }

  async function startStored(how: StartOptions): Promise<StartResult> {
    const draft = store.view()
    const key = store.key()
    const result = await follow(startDraft(draft, { key, ...how }))
    if (result.ok) store.started(key, draft)
    else if (result.problems.some(({ code }) => code === 'sentMeanwhile')) store.replacesNothing()
    return result
  }

  async function follow(start: Promise<StartResult>): Promise<StartResult> {
    underWay.add(start)
    try {
      return await start
    } finally {
      underWay.delete(start)
    }
  }

  function afterwards(failure: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      log(failure, { error: messageOf(error) })
    }
  }

  function rememberOutput(output: OutputTarget): void {
    if (output.kind !== 'folder') return
    const recent = settings.view().recentOutputs.filter((path) => path !== output.path)
    settings.update({ recentOutputs: [output.path, ...recent].slice(0, RECENT_OUTPUTS) })
  }

  /** What was being edited and is not any more waits again. */
  function putBackEdited(next: RecordId | null): void {
    const { editing } = store.view()
    if (editing !== null && editing !== next) outbox.endEdit(editing)
  }

  return {
    store,
    startDraft: (draft, how) => follow(startDraft(draft, how)),
    async start(how) {
      starting ??= startStored(how)
      try {
        return await starting
      } finally {
        starting = undefined
      }
    },
    defaultDraft: () => emptyDraft(defaults()),
    edit(id) {
      const draft = outbox.edit(id)
      if (draft === undefined) return false
      putBackEdited(id)
      store.open(draft)
      return true
    },
    openDraft(draft) {
      putBackEdited(null)
      store.open(draft)
    },
    stopEditing: () => putBackEdited(null),
    async close() {
      await Promise.allSettled(underWay)
      recorder.stop()
    },
  }
}

function planAll(
  draft: Draft,
  { split, target, upload = false, forecastOf }: StartOptions,
  { presets, drive, seesFiles }: PlanningFacts,
): Plan {
  const parts = split ? splitByKind(draft).map((part) => withFittingPreset(part, presets)) : [draft]
  const plans = parts.map((part) => planDraft(part, { presets, drive, seesFiles: seesFiles && !upload }))
  const problems = plans.flatMap((one) => (one.ok ? [] : one.problems))
  if (problems.length > 0) return { ok: false, problems }
  const common = { ...(target === undefined ? {} : { target }), ...(upload ? { upload } : {}) }
  const submissions = parts.flatMap((part, index): readonly PlannedSubmission[] => {
    const plan = plans[index]
    if (plan?.ok !== true) return []
    return plan.submissions.map((submission) => {
      const { items, driveInput } = submission
      const forecast =
        driveInput === null ? forecastOf?.({ ...part, source: { kind: 'files', items } }) : undefined
      return { ...submission, ...common, ...(forecast === undefined ? {} : { forecast }) }
    })
  })
  return { ok: true, submissions }
}
