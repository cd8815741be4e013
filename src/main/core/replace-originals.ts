/** Replaces the originals of ended jobs, and finishes what a crash left. */
import type { ResultCheck } from '../../media/protocol.ts'
import { messageOf } from '../../node/errors.ts'
import { lastSegment } from '../../node/file-name.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'
import type { Replacement } from '../../shared/model/replacement.ts'
import type { RecordDetails, ResultFile, WorkTitle } from '../../shared/model/work.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { isVaultOutput, type Restored, type Vault } from '../vault/index.ts'
import type { Modules } from './modules.ts'

export type ReplacingDeps = Pick<Modules, 'events' | 'history' | 'outbox' | 'log'> & {
  readonly vault: Vault
  /** Decodes a result and compares it with what its recipe promises. */
  readonly isGood: (check: ResultCheck) => Promise<boolean>
  /** Returns the preset's document; undefined if it is unknown, such as another service's. */
  readonly presetOf: (record: RecordDetails) => Promise<Preset | undefined>
}

export type Replacing = {
  /** Finishes interrupted replacements, replaces the originals of jobs that have ended since, and deletes expired originals. */
  tidy(): Promise<void>
  /** Restores originals of a job, all by default. */
  undo(record: RecordDetails, paths?: readonly string[]): Promise<readonly Restored[]>
  /** Replaces restored originals again. */
  redo(record: RecordDetails, paths?: readonly string[]): Promise<readonly Restored[]>
  /** Resolves when the replacement in progress has ended. */
  close(): Promise<void>
}

export function replaceOriginals(deps: ReplacingDeps): Replacing {
  const { events, history, outbox, vault, log } = deps
  const queue = createSerialQueue((error) => log('originals not replaced', { error: messageOf(error) }))

  async function replace(record: RecordDetails): Promise<void> {
    const output = vaultOutputOf(record)
    if (output === undefined) return
    const preset = await deps.presetOf(record)
    await vault.replaceAll(output, resultsOf(record), (original, result) =>
      deps.isGood(checkFor(original, result, record, preset)),
    )
    recordPlaces(output)
  }

  /** Records where the results are now. */
  function recordPlaces(output: string): void {
    const replacements = vault.of(output)
    for (const record of history.endedInto(output, 0))
      history.recordResults(record.id, placedResults(record, replacements), record.problems)
    vault.told(output)
  }

  async function change(
    record: RecordDetails,
    work: (output: string) => Promise<readonly Restored[]>,
  ): Promise<readonly Restored[]> {
    const output = vaultOutputOf(record)
    if (output === undefined) return []
    const changed = await work(output)
    recordPlaces(output)
    return changed
  }

  /** Whether the job with this output folder may still end. */
  function isOpen(output: string, waiting: ReadonlySet<string>): boolean {
    return waiting.has(output) || history.unfinished().some(({ title }) => vaultOutputOf(title) === output)
  }

  async function tidy(): Promise<void> {
    const waiting = new Set<string>()
    for (const page of outbox.pages())
      for (const { plan } of page) if (plan.output.kind === 'folder') waiting.add(plan.output.path)
    await vault.tidy((output) => isOpen(output, waiting))
    // A crash may have come between the end of a job and the replacement of its originals, or before the history knew of it.
    for (const output of vault.untold()) {
      if (isOpen(output, waiting)) continue
      for (const record of history.endedInto(output, 0)) await replace(record)
    }
  }

  const stop = events.on(
    'workFinished',
    (record) => void queue.next(() => replace(record)).catch(() => undefined),
  )
  return {
    tidy: () => queue.next(tidy),
    undo: (record, paths) => change(record, (output) => vault.undo(output, paths)),
    redo: (record, paths) => change(record, (output) => vault.redo(output, paths)),
    close() {
      stop()
      return queue.close()
    },
  }
}

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

/** Returns the results of a record's originals that exist outside the vault. */
function placedResults(
  { inputs }: RecordDetails,
  replacements: readonly Replacement[],
): readonly ResultFile[] {
  const places = new Map(replacements.map(({ path, state }) => [path, placeIn(state)]))
  return inputs.flatMap(({ path, name }, index) => {
    const outputPath = places.get(path) ?? null
    return outputPath === null ? [] : [{ file: name, outputPath, index }]
  })
}

function placeIn(state: Replacement['state']): string | null {
  if (state.kind === 'replaced') return state.place
  return state.kind === 'kept' ? state.result : null
}
