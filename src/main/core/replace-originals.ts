/**
 * Replaces the originals of ended jobs, and finishes what a crash left. Only the process that holds the right to send replaces, so that
 * none waits for the aliases of another one.
 */
import { dirname } from 'node:path'
import type { ResultCheck } from '../../media/protocol.ts'
import { messageOf } from '../../node/errors.ts'
import { fileFailureOf } from '../../node/file-failure.ts'
import { lastSegment } from '../../node/file-name.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'
import { replacedCounts, type Replacement, type Restored } from '../../shared/model/replacement.ts'
import type { RecordDetails, ResultFile, WorkTitle } from '../../shared/model/work.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { isVaultOutput, type Vault } from '../vault/index.ts'
import type { Modules } from './modules.ts'

export type ReplacingDeps = Pick<Modules, 'events' | 'history' | 'outbox' | 'staging' | 'log'> & {
  readonly after: Modules['timing']['after']
  /** Runs the work if no other process has the right to send. */
  readonly ifSender: (work: () => Promise<void>) => Promise<void>
  readonly vault: Vault
  /** Decodes a result and compares it with what its recipe promises. */
  readonly isGood: (check: ResultCheck) => Promise<boolean>
  /** Ends the process that decodes results. Otherwise it would keep a command from exiting. */
  readonly endChecks: () => void
  /** Returns the preset's document; undefined if it is unknown, such as another service's. */
  readonly presetOf: (record: RecordDetails) => Promise<Preset | undefined>
  /** Called once per record, after the history knows where its results are. */
  readonly onReplaced: (record: RecordDetails) => void
}

export type Replacing = {
  /** Finishes interrupted replacements, replaces the originals of jobs that have ended since, and deletes expired originals. */
  tidy(): Promise<void>
  /** Tidies now and from time to time. */
  start(): void
  /** Returns the folder whose full disk stops replacing; null if there is none. */
  fullDisk(): string | null
  /** Whether the originals of an ended job still have to be replaced. */
  isPending(record: Pick<RecordDetails, 'output' | 'replaced'>): boolean
  /** Restores originals of a job and of the other parts of its group, all by default. */
  undo(record: RecordDetails, paths?: readonly string[]): Promise<readonly Restored[]>
  /** Replaces restored originals again. */
  redo(record: RecordDetails, paths?: readonly string[]): Promise<readonly Restored[]>
  /** Deletes everything in the vaults permanently, except on volumes that aren't connected, and updates the history. */
  empty(): Promise<void>
  /** Returns what happened to the originals of a job and of the other parts of its group. */
  of(record: Pick<RecordDetails, 'output' | 'parts'>): readonly Replacement[]
  /** Stops after the file in progress, and resolves when that file is finished. */
  close(): Promise<void>
}

const TIDY_MS = 60 * 60 * 1000
/** How soon to try again after an error, such as a full disk. */
const RETRY_MS = 30_000

export function replaceOriginals(deps: ReplacingDeps): Replacing {
  const { events, history, vault, log } = deps
  const queue = createSerialQueue((error) => log('originals not replaced', { error: messageOf(error) }))
  let fullDisk: string | null = null
  /** The folder whose originals were replaced last. */
  let folder: string | null = null
  let cancelTimer: (() => void) | undefined

  async function replace(record: RecordDetails): Promise<void> {
    const output = vaultOutputOf(record)
    if (output === undefined) return
    if (record.replaced === null) {
      // An alias may be a hard link to the original, which then looks as if the user had given it a second name.
      await deps.staging.sweep()
      const preset = await deps.presetOf(record)
      folder = dirname(record.inputs[0]?.path ?? output)
      await vault.replaceAll(output, resultsOf(record), (original, result) =>
        deps.isGood(checkFor(original, result, record, preset)),
      )
    }
    recordPlaces(history, vault, output)
    const now = history.details(record.id)
    if (record.replaced === null && now !== undefined && !isPending(now)) deps.onReplaced(now)
  }

  async function change(
    record: RecordDetails,
    work: (output: string) => Promise<readonly Restored[]>,
  ): Promise<readonly Restored[]> {
    const changed: Restored[] = []
    for (const output of outputsOf(record)) {
      changed.push(...(await work(output)))
      recordPlaces(history, vault, output)
    }
    return changed
  }

  async function tidy(): Promise<void> {
    const isOpen = openOutputs(deps)
    // The originals of a job that has ended wait until they are replaced below.
    await vault.tidy((output) => isOpen(output) || history.endedInto(output, 0).length > 0)
    // A crash may have come between the end of a job and the replacement of its originals, or before the history knew of it.
    for (const output of vault.unrecorded()) {
      if (isOpen(output)) continue
      const records = history.endedInto(output, 0)
      // The record was deleted. Its originals can be restored only by the user's own means.
      if (records.length === 0) vault.markRecorded(output)
      for (const record of records) await replace(record)
    }
  }

  /** Runs work in turn, and again later if it fails. */
  async function run(work: () => Promise<void>): Promise<void> {
    try {
      await deps.ifSender(work)
      setFullDisk(null)
      schedule(TIDY_MS)
    } catch (error) {
      log('originals not replaced', { error: messageOf(error) })
      if (fileFailureOf(error) === 'full') setFullDisk(folder)
      schedule(RETRY_MS)
    }
  }

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
    if (vault.isUsed()) void queue.next(() => run(tidy))
    else schedule(TIDY_MS)
  }

  function ended(record: RecordDetails): void {
    if (isPending(record)) void queue.next(() => run(() => replace(record)))
  }

  const stops = [
    events.on('workFinished', ended),
    events.on('diskChanged', () => (fullDisk === null ? undefined : tidySoon())),
    events.on('dataDiskChanged', () => (fullDisk === null ? undefined : tidySoon())),
    // Another process may have recorded the end of a job, or may have left its originals to this one.
    events.on('otherProcessWrote', () =>
      vault.isUsed() && vault.unrecorded().length > 0 ? tidySoon() : undefined,
    ),
  ]
  return {
    tidy: () => queue.next(tidy),
    start: tidySoon,
    fullDisk: () => fullDisk,
    isPending,
    undo: (record, paths) => change(record, (output) => vault.undo(output, paths)),
    redo: (record, paths) => change(record, (output) => vault.redo(output, paths)),
    async empty() {
      await vault.empty()
      await queue.next(() => run(tidy))
    },
    of: (record) => outputsOf(record).flatMap((output) => vault.of(output)),
    async close() {
      for (const stop of stops) stop()
      cancelTimer?.()
      vault.stop()
      await queue.close()
      deps.endChecks()
    },
  }
}

const outputsOf = ({ output, parts }: Pick<RecordDetails, 'output' | 'parts'>): readonly string[] => [
  ...new Set([{ output }, ...parts].flatMap((part) => vaultOutputOf(part) ?? [])),
]

/** Returns whether the job with an output folder may still end. */
function openOutputs({ outbox, history }: Pick<Modules, 'outbox' | 'history'>): (output: string) => boolean {
  const open = new Set<string>()
  for (const page of outbox.pages())
    for (const { plan } of page) if (plan.output.kind === 'folder') open.add(plan.output.path)
  for (const { title } of history.unfinished()) {
    const output = vaultOutputOf(title)
    if (output !== undefined) open.add(output)
  }
  return (output) => open.has(output)
}

/** Records where the results are now. */
function recordPlaces(history: Modules['history'], vault: Vault, output: string): void {
  const replacements = vault.of(output)
  for (const record of history.endedInto(output, 0)) {
    const paths = new Set(record.inputs.map(({ path }) => path))
    const counts = replacedCounts(replacements.filter(({ path }) => paths.has(path)))
    history.recordReplaced(record.id, { results: placedResults(record, replacements), counts })
  }
  vault.markRecorded(output)
}

/** Whether the originals of a job still have to be replaced. */
export const isPending = (record: Pick<RecordDetails, 'output' | 'replaced'>): boolean =>
  record.replaced === null && vaultOutputOf(record) !== undefined

function vaultOutputOf({ output }: Pick<WorkTitle, 'output'>): string | undefined {
  return output?.kind === 'folder' && isVaultOutput(output.path) ? output.path : undefined
}

/**
 * Returns the path of each original's result. All originals of a record are in one folder, so their names are unique. A service may
 * report names or whole paths.
 */
function resultsOf({ inputs, results }: RecordDetails): ReadonlyMap<string, string | undefined> {
  const byName = new Map(results.map(({ file, outputPath }) => [lastSegment(file), outputPath]))
  const [only, ...others] = results
  const isSingle = inputs.length === 1 && only !== undefined && others.length === 0
  return new Map(inputs.map(({ path, name }) => [path, isSingle ? only.outputPath : byName.get(name)]))
}

function checkFor(
  original: string,
  result: string,
  { inputs }: RecordDetails,
  preset: Preset | undefined,
): ResultCheck {
  const kind = inputs.find(({ path }) => path === original)?.kind ?? 'image'
  const recipe =
    kind === 'image'
      ? preset?.image && ({ kind, image: preset.image } as const)
      : preset?.video && ({ kind, video: preset.video } as const)
  return { original, result, kind, recipe: recipe ?? null }
}

/** Returns the results of a record's originals: those that exist outside the vault, and those whose originals wait. */
function placedResults(record: RecordDetails, replacements: readonly Replacement[]): readonly ResultFile[] {
  const states = new Map(replacements.map(({ path, state }) => [path, state]))
  const reported = resultsOf(record)
  return record.inputs.flatMap(({ path, name }, index) => {
    const state = states.get(path)
    const outputPath =
      state === undefined || state.kind === 'waiting' ? (reported.get(path) ?? null) : placeIn(state)
    return outputPath === null ? [] : [{ file: name, outputPath, index }]
  })
}

function placeIn(state: Replacement['state']): string | null {
  switch (state.kind) {
    case 'replaced':
      return state.place
    case 'kept':
      return state.result
    case 'expired':
      return state.was === 'replaced' ? state.place : null
    case 'waiting':
    case 'restored':
      return null
  }
}
