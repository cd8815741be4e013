/** Holds the current draft and submits drafts to the outbox. */
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isBelow } from '../../node/contained-path.ts'
import type { Log } from '../../node/log.ts'
import { messageOf } from '../../node/errors.ts'
import { whyNotWritable } from '../../node/file-failure.ts'
import { forEachLimited } from '../../node/limited.ts'
import type { Timing } from '../../node/timing.ts'
import {
  type Draft,
  type DraftFacts,
  type DraftProblem,
  type DraftOutput,
  type OpenDraftStart,
  presetsOf,
  type StartResult,
} from '../../shared/model/draft.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { newJobChoices, variationsOf } from '../../shared/model/settings.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import type { Presets } from '../../shared/api/resources.ts'
import type { DoneCheck } from '../ledger/index.ts'
import type { History } from '../history/index.ts'
import {
  planDraft,
  type Outbox,
  type Plan,
  type PlannedSubmission,
  type PlanningFacts,
  type PresetTraits,
  type Submission,
} from '../outbox/index.ts'
import { doneIn, recognizable, skippedIn } from './recognize-done.ts'
import { createSubmissionRecorder } from './record-submissions.ts'
import { parentFolders, unwritableFolders } from './original-folders.ts'
import { startAtService, type DraftServices, type StartOptions } from './start-at-service.ts'
import { createDraftFacts } from './draft-facts.ts'
import { itemsOf, splitByKind, withFittingPreset } from './draft-changes.ts'
import { firstPresets, rememberChoice } from './first-presets.ts'
import { createDraftStore, emptyDraft, type DraftDefaults } from './draft-store.ts'
import type { Settings } from '../settings/settings.ts'
import type { Mounts } from '../mounts/mounts.ts'
import type { Vault } from '../vault/index.ts'

export type StartingOptions = DraftServices & {
  readonly done: DoneCheck
  readonly outbox: Outbox
  readonly history: History
  readonly settings: Settings
  /** Output folder to use until the user chooses one. */
  readonly defaultOutput: string
  readonly timing: Pick<Timing, 'clock' | 'after'>
  readonly onDraft: (draft: Draft) => void
  readonly onFacts: (facts: DraftFacts) => void
  readonly ids: () => RecordId
  readonly presetTraits: (presets: readonly string[]) => Promise<PresetTraits>
  /** Keeps the documents of the submissions' presets, which may be edited before the jobs end. Never fails. */
  readonly keepPresets: (submissions: readonly PlannedSubmission[]) => Promise<void>
  readonly vault: Pick<Vault, 'prepare'>
  readonly mounts: Pick<Mounts, 'of'>
  readonly log: Log
}

export type Drafts = ReturnType<typeof openDrafts>

type Check = () => Promise<void> | void

const RECENT_OUTPUTS = 8

export function openDrafts(options: StartingOptions) {
  const { outbox, history, settings, timing, log } = options
  const facts = createDraftFacts(options)
  const store = createDraftStore(
    defaults,
    (draft) => {
      options.onDraft(draft)
      facts.draftChanged(draft)
    },
    (draft) => options.serviceOf(draft).kind !== 'external',
  )
  const startThere = startAtService(options, startDraft)
  const recorder = createSubmissionRecorder({ history, after: timing.after, log })
  const pendingStarts = new Set<Promise<StartResult>>()
  /** The pending `start` call for the store's draft. */
  let starting: Promise<OpenDraftStart> | undefined

  function defaults(): DraftDefaults {
    const chosen = settings.view()
    const { defaultOriginals, defaultOutput, grouping, doneFiles: done } = chosen
    const folder: DraftOutput = defaultOutput ?? { kind: 'folder', path: options.defaultOutput }
    const service = options.newJobService()
    const presets = firstPresets(chosen, options.serviceOf({ service }))
    const variations = variationsOf(chosen, presets)
    const choices = newJobChoices(chosen)
    return { presets, choices, output: defaultOriginals ?? folder, variations, grouping, done, service }
  }

  /**
   * Starts a draft. It counts as started once it is in the outbox. A later failure must not make the caller retry, because that would
   * create a second job (rule 1).
   */
  async function startDraft(draft: Draft, how: StartOptions): Promise<StartResult> {
    const planned = await planStart(draft, how, options)
    if (!planned.ok) return planned
    const submissions = await recognizable(await withDisks(planned.submissions, options.mounts), options.done)
    await options.keepPresets(submissions)
    const enqueueing = {
      ...(how.grace > 0 ? { notBefore: timing.clock() + how.grace } : {}),
      ...(how.key === undefined ? {} : { key: how.key }),
    }
    const entered =
      draft.editing === null
        ? await outbox.enqueue(submissions, enqueueing)
        : await outbox.replace(draft.editing, submissions, enqueueing)
    if (entered === undefined) return { ok: false, problems: [{ code: 'sentMeanwhile' }] }
    const { editing } = draft
    bestEffort('edited record not forgotten', () => (editing === null ? undefined : history.forget(editing)))
    recorder.record(entered)
    bestEffort('output not remembered', () => rememberOutput(draft.output))
    return {
      ...startedAs(entered, planned.leftOut, skippedIn(draft, submissions, planned.leftOut)),
      ...elsewhereOf(planned.folders),
    }
  }

  async function startStored(how: StartOptions, check: Check): Promise<OpenDraftStart> {
    const [draft, key] = [store.view(), store.key()]
    await check()
    const result = await follow(startThere(await stillWatched(draft, settings.view()), { key, ...how }))
    if (!result.ok) {
      if (result.problems.some(({ code }) => code === 'sentMeanwhile')) store.replacesNothing()
      return { ...result, draft }
    }
    bestEffort('choice not remembered', () => rememberChoice(draft, options.serviceOf(draft), settings))
    store.started(key, draft)
    return result
  }

  async function follow(start: Promise<StartResult>): Promise<StartResult> {
    pendingStarts.add(start)
    try {
      return await start
    } finally {
      pendingStarts.delete(start)
    }
  }

  function bestEffort(failure: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      log(failure, { error: messageOf(error) })
    }
  }

  function rememberOutput(output: DraftOutput): void {
    if (output.kind !== 'folder') return
    const recent = settings.view().recentOutputs.filter((path) => path !== output.path)
    settings.update({ recentOutputs: [output.path, ...recent].slice(0, RECENT_OUTPUTS) })
  }

  /** Releases the edited submission unless the next draft also edits it. */
  function releaseEdited(next: RecordId | null): void {
    const { editing } = store.view()
    if (editing !== null && editing !== next) outbox.endEdit(editing)
  }

  return {
    store,
    /** Starts a draft that isn't in the store, such as a quick drop. */
    startDraft: (draft: Draft, how: StartOptions): Promise<StartResult> => follow(startThere(draft, how)),
    /**
     * Starts the store's draft and, on success, removes it from the store. A call while the draft is being started joins the first call.
     * @param check throws if the draft can't be started
     */
    async start(how: StartOptions, check: Check = () => {}): Promise<OpenDraftStart> {
      starting ??= startStored(how, check)
      try {
        return await starting
      } finally {
        starting = undefined
      }
    },
    defaultDraft: (): Draft => emptyDraft(defaults()),
    /** Opens a waiting or refused submission for editing and keeps it from being sent. Returns false if it can no longer be edited. */
    edit(id: RecordId): boolean {
      const draft = outbox.edit(id)
      if (draft === undefined) return false
      releaseEdited(draft.editing)
      store.open(draft)
      return true
    },
    /** Puts another draft into the store, such as a draft from a record to run again. */
    openDraft(draft: Draft): void {
      releaseEdited(null)
      store.open(draft)
    },
    /** Stops editing a submission, which then waits again, unchanged. Leaves the draft in the store. */
    stopEditing: (): void => releaseEdited(null),
    /** Waits for drafts that are being started, which takes several event-loop ticks for a large one, and then stops recording. */
    async close(): Promise<void> {
      facts.close()
      await Promise.allSettled(pendingStarts)
      recorder.stop()
    },
  }
}

type StartPlan =
  | (Extract<Plan, { ok: true }> & { readonly folders: Partial<PlanningFacts> })
  | Extract<Plan, { ok: false }>

/** Plans a draft with what is known about its folders and about earlier results. */
async function planStart(
  draft: Draft,
  how: StartOptions,
  options: Pick<
    StartingOptions,
    'connection' | 'done' | 'ids' | 'settings' | 'presetTraits' | 'defaultOutput' | 'vault'
  >,
): Promise<StartPlan> {
  const isDone = await doneIn(draft, options.done, how)
  const manyFolders = how.confirmed?.includes('manyFolders')
  const { oneOffs, ...traits }: Partial<PresetTraits> = needsTraits(draft, options.connection.view().presets)
    ? await options.presetTraits(draft.presets)
    : {}
  const factsNow = () => {
    const view = options.connection.view()
    return { ...view, presets: withOneOffs(view.presets, oneOffs), ...traits, manyFolders, isDone }
  }
  const checked = planAll(draft, how, factsNow(), options.ids)
  if (!checked.ok) return checked
  // Without the files that are already done, whose folders don't matter.
  const items = checked.submissions.flatMap((submission) => submission.items)
  if (draft.output.kind === 'replace' && items.some(({ path }) => isInVault(path)))
    return { ok: false, problems: [{ code: 'originalsInVault' }] }
  const folders = await foldersFor(draft, items, options)
  if (!folders.ok) return folders
  const planned = planAll(draft, how, { ...factsNow(), ...folders.facts }, options.ids)
  if (!planned.ok) return planned
  if (planned.submissions.length > 0) return { ...planned, folders: folders.facts }
  return { ok: false, problems: [{ code: 'nothingToProcess', count: itemsOf(draft).length }] }
}

/** Returns the draft, without its watched folder if that folder is gone or the draft has files from other folders. */
async function stillWatched(draft: Draft, { watchFolders }: ReturnType<Settings['view']>): Promise<Draft> {
  if (draft.watched === undefined) return draft
  const place = watchFolders.find(({ id }) => id === draft.watched)?.path
  const folder = place && (await realpath(place).catch(() => undefined))
  const isInside = folder && itemsOf(draft).every(({ path }) => isBelow(path, folder, process.platform))
  return isInside ? draft : { ...draft, watched: undefined }
}

/** Whether results may collide or replace originals, or the service doesn't list one of the draft's presets. */
const needsTraits = ({ presets, presetFolders, output }: Draft, listed: Presets | null): boolean =>
  output.kind === 'replace' ||
  (presets.length > 1 && !presetFolders) ||
  (listed !== null && presets.some((name) => ![...listed.image, ...listed.video].includes(name)))

const withOneOffs = (listed: Presets | null, oneOffs: Presets | undefined): Presets | null =>
  listed === null || oneOffs === undefined
    ? listed
    : { image: [...listed.image, ...oneOffs.image], video: [...listed.video, ...oneOffs.video] }

function startedAs(
  entered: readonly Submission[],
  leftOut: readonly RejectedItem[],
  skipped: number,
): StartResult {
  return {
    ok: true,
    ids: entered.map(({ id }) => id),
    jobs: entered.filter(({ plan }) => (plan.place?.part ?? 0) === 0).map(({ id }) => id),
    ...(leftOut.length === 0 ? {} : { leftOut }),
    ...(skipped === 0 ? {} : { skipped }),
  }
}

function elsewhereOf({
  unwritable = new Set(),
  otherwise: to = '',
}: Partial<PlanningFacts>): Pick<Extract<StartResult, { ok: true }>, 'elsewhere'> {
  return unwritable.size === 0 ? {} : { elsewhere: [...unwritable].map((folder) => ({ folder, to })) }
}

/** Collects what planning needs to know from the disk. */
async function foldersFor(
  draft: Draft,
  items: readonly MediaItem[],
  { settings, defaultOutput, vault }: Pick<StartingOptions, 'settings' | 'defaultOutput' | 'vault'>,
): Promise<Folders> {
  const { output, watched } = draft
  if (output.kind === 'replace') return prepareReplacing(items, vault)
  // A watched folder's files wait until their results can be saved where the user has chosen.
  if (output.kind !== 'beside' || watched !== undefined) return { ok: true, facts: {} }
  const chosen = settings.view().defaultOutput
  const otherwise = chosen?.kind === 'folder' ? chosen.path : defaultOutput
  const unwritable = await unwritableFolders(items, output.subfolder)
  return { ok: true, facts: { otherwise, unwritable } }
}

type Folders =
  | { readonly ok: true; readonly facts: Partial<PlanningFacts> }
  | { readonly ok: false; readonly problems: readonly DraftProblem[] }

function planAll(
  draft: Draft,
  { split, target, by, upload = false, estimateOf }: StartOptions,
  facts: PlanningFacts,
  ids: () => RecordId,
): Plan {
  const { presets, seesFiles } = facts
  const parts = split ? splitByKind(draft).map((part) => withFittingPreset(part, presets)) : [draft]
  const plans = parts.map((part) => planDraft(part, { ...facts, seesFiles: seesFiles && !upload }, ids))
  const problems = plans.flatMap((one) => (one.ok ? [] : one.problems))
  if (problems.length > 0) return { ok: false, problems }
  const common = {
    ...(target === undefined ? {} : { target }),
    ...(draft.watched === undefined ? {} : { watched: draft.watched }),
    ...(by === undefined ? {} : { by }),
    ...(upload ? { upload } : {}),
  }
  const submissions = parts.flatMap((part, index): readonly PlannedSubmission[] => {
    const plan = plans[index]
    if (plan?.ok !== true) return []
    return plan.submissions.map((submission) => {
      const { items, driveInput, preset } = submission
      const estimate =
        driveInput === null
          ? estimateOf?.({ ...part, presets: presetsOf(preset), source: { kind: 'files', items } })
          : undefined
      return { ...submission, ...common, ...(estimate === undefined ? {} : { forecast: estimate }) }
    })
  })
  return { ok: true, submissions, leftOut: plans.flatMap((plan) => (plan.ok ? plan.leftOut : [])) }
}

/**
 * Prepares the vault for each folder of originals. If nothing can be replaced in one of them, the draft can't be started: the user
 * didn't choose to save results elsewhere.
 */
async function prepareReplacing(
  items: readonly MediaItem[],
  vault: Pick<Vault, 'prepare'>,
): Promise<Folders> {
  const replacing = new Map<string, string>()
  const problems: DraftProblem[] = []
  const identities = new Map(items.map(({ path, identity }) => [path, identity]))
  for (const folder of parentFolders(items)) {
    const paths = items.map(({ path }) => path).filter((path) => dirname(path) === folder)
    try {
      replacing.set(folder, await vault.prepare(paths, identities))
    } catch (error) {
      problems.push({ code: 'replaceImpossible', folder, reason: whyNotWritable(error) })
    }
  }
  return problems.length === 0 ? { ok: true, facts: { replacing } } : { ok: false, problems }
}

/** Adds where the output folders' disks are mounted, so that a submission isn't sent while its disk is disconnected. */
async function withDisks(
  submissions: readonly PlannedSubmission[],
  mounts: Pick<Mounts, 'of'>,
): Promise<readonly PlannedSubmission[]> {
  const folders = new Set(
    submissions.flatMap(({ output }) => (output.kind === 'folder' ? [output.path] : [])),
  )
  const found = new Map<string, string>()
  await forEachLimited([...folders], async (folder) => {
    const mount = await mounts.of(folder)
    if (mount !== undefined) found.set(folder, mount)
  })
  return submissions.map((one) => {
    const mount = one.output.kind === 'folder' ? found.get(one.output.path) : undefined
    return mount === undefined ? one : { ...one, mount }
  })
}
