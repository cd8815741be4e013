/** Replaces the originals of ended jobs, and finishes replacements that a crash interrupted. */
import { dirname } from 'node:path'
import type { ResultCheck } from '../../media/protocol.ts'
import { messageOf } from '../../node/errors.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ReplacedAnyway } from '../../shared/model/replacement.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import { removesOnlyMetadata } from '../../shared/preset/only-metadata.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { fullDiskOf, type Vault } from '../vault/index.ts'
import type { Modules } from './modules.ts'
import { isKeptForQuality, lossesOf, recordPlaces, resultsOf, vaultOutputOf } from './placed-results.ts'
import { restOf } from './completed-parts.ts'
import { restoringIn } from './restore-originals.ts'

export type ReplacingDeps = Pick<Modules, 'events' | 'history' | 'outbox' | 'aliases' | 'log'> & {
  readonly after: Modules['timing']['after']
  readonly vault: Vault
  /** The folder with the vault's journal. */
  readonly dataDir: string
  /** Decodes a result and compares it with what its recipe promises. */
  readonly isGood: (check: ResultCheck) => Promise<boolean>
  /** Ends the process that decodes results. That process would keep this one from exiting. */
  readonly endChecks: () => void
  /** Returns the preset's document; null if the job has none, for example at another service; undefined if it is lost. */
  readonly presetOf: (record: PartDetails) => Promise<Preset | null | undefined>
  /** Called once per record, after the history knows where its results are. */
  readonly onReplaced: (record: PartDetails) => void
}

export type Replacing = ReturnType<typeof replaceOriginals>

const TIDY_MS = 60 * 60 * 1000
/** How long to wait before retrying after an error, such as a full disk, in ms. */
const RETRY_MS = 30_000

export function replaceOriginals(deps: ReplacingDeps) {
  const { events, history, vault, log } = deps
  const restoring = restoringIn(deps)
  const queue = createSerialQueue((error) => log('originals not replaced', { error: messageOf(error) }))
  let fullDisk: string | null = null
  /** The folder whose originals were replaced last. */
  let folder: string | null = null
  let cancelTimer: (() => void) | undefined
  /** Number of queued and running operations. */
  let running = 0
  let isFailing = false

  async function replace(record: PartDetails): Promise<void> {
    const output = vaultOutputOf(record)
    if (output === undefined) return
    if (record.replaced === null) {
      // Remove aliases first. An alias may be a hard link, which looks as if the user had given the original a second name.
      await deps.aliases.sweep()
      const preset = await deps.presetOf(record)
      folder = dirname(record.inputs[0]?.path ?? output)
      const check = checkOf(record, preset, deps)
      await vault.replaceAll(output, resultsOf(record), check, stopOf(record, deps), isRepeated(record))
    }
    recordPlaces(history, vault, output)
    const now = history.details(record.id)
    if (record.replaced === null && now !== undefined && !isPending(now)) deps.onReplaced(now)
  }

  const tidy = () => tidyOriginals(deps, replace)

  /** Runs work and schedules the next attempt, sooner if the work fails or originals still wait. */
  async function run(work: () => Promise<void>): Promise<void> {
    try {
      isFailing = false
      await work()
      setFullDisk(null)
      // Originals may be waiting for their volume.
      const isLeft = pendingIn(deps).length > 0
      isFailing = isLeft && running === 1
      schedule(isLeft ? RETRY_MS : TIDY_MS)
    } catch (error) {
      log('originals not replaced', { error: messageOf(error) })
      const full = fullDiskOf(error)
      isFailing = full === undefined
      if (!isFailing) setFullDisk(full === 'journal' ? deps.dataDir : folder)
      schedule(RETRY_MS)
    }
  }

  async function counted(work: () => Promise<void>): Promise<void> {
    running++
    try {
      await queue.next(work)
    } finally {
      running--
    }
  }

  const inTurn = (work: () => Promise<void>) => counted(() => run(work))

  function setFullDisk(folder: string | null): void {
    if (folder === fullDisk) return
    fullDisk = folder
    events.tell('originalsChanged')()
  }

  function schedule(ms: number): void {
    cancelTimer?.()
    if (queue.isOpen()) cancelTimer = deps.after(ms, tidySoon)
  }

  function tidySoon(): void {
    if (vault.isUsed()) void inTurn(tidy)
    else schedule(TIDY_MS)
  }

  function ended(record: PartDetails): void {
    if (isPending(record)) void inTurn(() => replace(record))
  }

  const stops = [
    events.on('partFinished', ended),
    events.on('diskChanged', () => (fullDisk === null ? undefined : tidySoon())),
    events.on('dataDiskChanged', () => (fullDisk === null ? undefined : tidySoon())),
  ]
  return {
    /**
     * Finishes interrupted replacements, deletes expired originals, and replaces the originals of ended jobs. Repeats this from time to
     * time.
     */
    start: tidySoon,
    /** Returns the folder whose full disk prevents replacing; null if there is none. */
    fullDisk: () => fullDisk,
    isPending,
    /**
     * Whether originals of ended jobs are being replaced or are waiting. Waiting originals don't count while replacing fails, unless the
     * reason is a full disk.
     */
    busy: () => running > 0 || (!isFailing && pendingIn(deps).length > 0),
    /** Whether the last attempt left originals unreplaced, for a reason other than a full disk. Retries from time to time. */
    isFailing: () => isFailing,
    pending: () => pendingIn(deps),
    /** Cancels the replacement of an ended job's remaining originals. If a disk is full, this happens later. */
    keepRest(record: PartDetails): Promise<void> {
      deps.outbox.cancelRequests.add(record.id)
      return inTurn(() => replace(record))
    },
    ...restoring,
    /**
     * Replaces one original that was kept because something would be lost. Call this only after the user has confirmed that.
     * @returns undefined if the job doesn't replace this original, is still replacing originals, or the vault is closed
     */
    async replaceAnyway(job: PartDetails, path: string): Promise<ReplacedAnyway | undefined> {
      let ended: ReplacedAnyway | undefined
      await counted(async () => void (ended = await replaceAnyway(deps, restoring, job, path)))
      return ended
    },
    /**
     * Deletes everything in the vaults permanently, with the exceptions of `Vault.empty`, and updates the history.
     * @param unrestored whether to delete even originals whose undo failed; false by default
     */
    async empty(unrestored?: boolean): Promise<void> {
      await vault.empty(unrestored)
      await inTurn(tidy)
    },
    /** Stops after the file in progress, and resolves when that file is finished. */
    async close(): Promise<void> {
      for (const stop of stops) stop()
      cancelTimer?.()
      vault.stop()
      await queue.close()
      deps.endChecks()
    },
  }
}

/** Replaces one original that was kept because something would be lost. */
async function replaceAnyway(
  deps: Pick<ReplacingDeps, 'aliases' | 'history' | 'vault' | 'presetOf' | 'isGood'>,
  restoring: Pick<ReturnType<typeof restoringIn>, 'recordIfSpace'>,
  job: PartDetails,
  path: string,
): Promise<ReplacedAnyway | undefined> {
  const parts = job.parts.flatMap(({ id }) => deps.history.details(id) ?? [])
  const record = [job, ...parts].find(({ inputs }) => inputs.some((input) => input.path === path))
  const output = record && vaultOutputOf(record)
  if (record === undefined || output === undefined || isPending(record)) return undefined
  await deps.aliases.sweep()
  const preset = await deps.presetOf(record)
  if (preset === undefined) return { path, kind: 'kept', why: 'unchecked' }
  // Results that aren't smaller were deleted when the job ended.
  const ended = await deps.vault.replaceAnyway(
    output,
    path,
    async (original, result) =>
      (await deps.isGood(checkFor(original, result, record, preset))) || 'badResult',
  )
  restoring.recordIfSpace(output)
  return ended
}

const stopOf =
  ({ id }: PartDetails, deps: Pick<Modules, 'outbox' | 'history'>) =>
  (): boolean =>
    isCancelled(id, deps)

/** Whether the originals are in a watched folder, which processes changed originals again. */
const isRepeated = ({ watched = null }: PartDetails): boolean => watched !== null

/**
 * Whether the user has canceled a job after its end, or has removed the remaining files of an interrupted job. Such a job counts as
 * canceled and keeps its remaining originals. *Retry* processes them.
 */
function isCancelled(id: RecordId, { outbox, history }: Pick<Modules, 'outbox' | 'history'>): boolean {
  if (outbox.cancelRequests.has(id)) return true
  const rest = restOf(id, history.wholeJob(id))
  if (rest === undefined || outbox.get(rest) !== undefined) return false
  const record = history.details(rest)
  return record?.outcome?.kind === 'cancelled' || (record?.outcome === null && record.facts.jobId === null)
}

/** Returns a function that decides whether a result may replace its original, or the reason why all originals are kept. */
function checkOf(
  record: PartDetails,
  preset: Awaited<ReturnType<ReplacingDeps['presetOf']>>,
  { isGood }: Pick<ReplacingDeps, 'isGood'>,
): Parameters<Vault['replaceAll']>[2] {
  // After a cancel, the user expects the originals to stay, even if some results were ready.
  if (record.outcome?.kind === 'cancelled') return 'cancelled'
  if (preset === undefined) return 'unchecked'
  return async (original, result, isSmaller) => {
    if (isKeptForQuality(record, original)) return 'lowQuality'
    const check = checkFor(original, result, record, preset)
    if (!isSmaller && !removesOnlyWhatIsUnwanted(check.recipe)) return 'notSmaller'
    if (lossesOf(record, original).length > 0) return 'lost'
    return (await isGood(check)) || 'badResult'
  }
}

/** Whether the recipe only removes metadata, such as the location. Such results needn't be smaller. */
function removesOnlyWhatIsUnwanted(recipe: ResultCheck['recipe']): boolean {
  if (recipe === null) return false
  if (recipe.kind === 'image') return recipe.image.size === undefined && removesOnlyMetadata(recipe.image)
  return recipe.video.codec === 'copy' && recipe.video.metadata !== 'keep'
}

/** Finishes replacements that a crash interrupted, deletes expired originals, and replaces the originals of ended jobs. */
async function tidyOriginals(
  deps: Pick<ReplacingDeps, 'vault' | 'history' | 'outbox'>,
  replace: (record: PartDetails) => Promise<void>,
): Promise<void> {
  const { vault, history } = deps
  const open = openOutputs(deps)
  // The code below replaces the originals of ended jobs. Until then, they count as waiting.
  const waitingIn = (output: string) => [
    ...(open.get(output) ?? []),
    ...history
      .endedInto(output, 0)
      .filter(isPending)
      .flatMap(({ inputs }) => inputs.map(({ path }) => path)),
  ]
  await vault.tidy((output) => open.has(output) || history.endedInto(output, 0).length > 0, waitingIn)
  // A crash may have happened after a job ended but before its originals were replaced, or before the history recorded the replacement.
  for (const output of vault.unrecorded()) {
    // A resumed job has a separate record of the originals that were processed before the crash. These needn't wait for the rest.
    const records = history.endedInto(output, 0)
    // The record was deleted. Its originals can still be restored by folder.
    if (records.length === 0 && !open.has(output)) vault.markRecorded(output)
    for (const record of records) await replace(record)
  }
}

/** Returns the records of ended jobs whose originals still have to be replaced. */
const pendingIn = ({ vault, history }: Pick<ReplacingDeps, 'vault' | 'history'>): readonly PartDetails[] =>
  vault.isUsed() ? vault.unrecorded().flatMap((output) => history.endedInto(output, 0).filter(isPending)) : []

/** Returns the originals of jobs that haven't ended, by the jobs' output folders. */
function openOutputs(stores: Pick<Modules, 'outbox' | 'history'>): ReadonlyMap<string, readonly string[]> {
  const { outbox, history } = stores
  const open = new Map<string, readonly string[]>()
  const add = (output: string | undefined, paths: readonly string[]): void => {
    if (output !== undefined) open.set(output, [...(open.get(output) ?? []), ...paths])
  }
  for (const page of outbox.pages())
    for (const { plan } of page)
      add(
        vaultOutputOf(plan),
        plan.items.map(({ path }) => path),
      )
  for (const { title, inputs } of history.unfinished()) add(vaultOutputOf(title), inputs)
  return open
}

/** Whether the originals of a job still have to be replaced. */
export const isPending = (record: Pick<PartDetails, 'output' | 'replaced'>): boolean =>
  record.replaced === null && vaultOutputOf(record) !== undefined

function checkFor(
  original: string,
  result: string,
  { inputs }: PartDetails,
  preset: Preset | null,
): ResultCheck {
  const kind = inputs.find(({ path }) => path === original)?.kind ?? 'image'
  const recipe =
    kind === 'image'
      ? preset?.image && ({ kind, image: preset.image } as const)
      : preset?.video && ({ kind, video: preset.video } as const)
  return { original, result, kind, recipe: recipe ?? null }
}
