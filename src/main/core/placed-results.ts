/** Keeps the paths of results in the history up to date when originals are replaced or restored. */
import { existsSync } from 'node:fs'
import { lastSegment } from '../../node/file-name.ts'
import { replacedCounts, type Replacement } from '../../shared/model/replacement.ts'
import type { PartDetails, PartTitle, ResultFile } from '../../shared/model/job.ts'
import type { Loss } from '../../shared/loss/loss.ts'
import type { History } from '../history/index.ts'
import { isVaultOutput, type Vault } from '../vault/index.ts'

export function recordPlaces(history: History, vault: Vault, output: string): void {
  const replacements = vault.of(output)
  for (const record of history.endedInto(output, 0)) {
    const paths = new Set(record.inputs.map(({ path }) => path))
    const own = replacements.filter(({ path }) => paths.has(path))
    const counts = replacedCounts(own)
    // The user canceled after the job had ended. Record this first. Otherwise, a crash could let the job replace its other originals.
    if (counts !== null && record.outcome?.kind !== 'cancelled' && own.some(isCancelled))
      history.recordOutcome(record.id, { kind: 'cancelled', results: counts.replaced }, record.endedAt ?? 0)
    history.recordReplaced(record.id, { ...placedResults(record, replacements), counts })
  }
  vault.markRecorded(output)
}

const isCancelled = ({ state }: Replacement): boolean => state.kind === 'kept' && state.why === 'cancelled'

/** Returns the output folder of a job that replaces its originals; undefined for other jobs. */
export const vaultOutputOf = ({ output }: Pick<PartTitle, 'output'>): string | undefined =>
  output?.kind === 'folder' && isVaultOutput(output.path) ? output.path : undefined

/**
 * Returns the path of each original's result; undefined if none was reported. The originals of a record have unique names, because they are
 * in one folder. A service may report names or whole paths.
 */
export const resultsOf = (record: PartDetails): ReadonlyMap<string, string | undefined> =>
  new Map([...reportedResults(record)].map(([path, result]) => [path, result?.outputPath]))

function reportedResults({ inputs, results }: PartDetails): ReadonlyMap<string, ResultFile | undefined> {
  const exactly = new Map(results.map((result) => [result.file, result]))
  const own = new Set(inputs.flatMap(({ path, name }) => exactly.get(path) ?? exactly.get(name) ?? []))
  // Compare the last segments, because a service on another system may use a different path separator. On this system, a name may contain
  // that separator.
  const others = results.filter((result) => !own.has(result))
  const byName = new Map(others.map((result) => [lastSegment(result.file), result]))
  const [only, ...more] = results
  const isSingle = inputs.length === 1 && only !== undefined && more.length === 0
  return new Map(
    inputs.map(({ path, name }) => [
      path,
      isSingle ? only : (exactly.get(path) ?? exactly.get(name) ?? byName.get(name)),
    ]),
  )
}

export const lossesOf = (record: PartDetails, path: string): readonly Loss[] =>
  reportedResults(record).get(path)?.losses ?? []

/** Whether the result has the pixels of the original because its quality would have been too low. */
export function isKeptForQuality(record: PartDetails, path: string): boolean {
  const quality = reportedResults(record).get(path)?.quality
  return typeof quality === 'object' && quality.below !== undefined
}

/**
 * Returns the results of a record's originals: those that exist outside the vault, and those whose originals still have to be replaced. Also
 * returns the known losses and quality of results whose originals were restored, because these may be replaced again.
 */
function placedResults(
  record: PartDetails,
  replacements: readonly Replacement[],
): { readonly results: readonly ResultFile[]; readonly inVault: PartDetails['facts']['inVault'] } {
  const states = new Map(replacements.map(({ path, state }) => [path, state]))
  const known = new Map(record.facts.inVault.map(({ index, ...of }) => [index, of]))
  const reported = reportedResults(record)
  const inVault = record.inputs.flatMap(({ path }, index) => {
    const { losses, quality } = reported.get(path) ?? known.get(index) ?? {}
    const isKnown = losses !== undefined || quality !== undefined
    return states.get(path)?.kind === 'restored' && isKnown ? [{ index, losses, quality }] : []
  })
  const results = record.inputs.flatMap(({ path, name }, index) => {
    const state = states.get(path)
    const made = reported.get(path)?.outputPath ?? null
    const outputPath =
      state === undefined ||
      state.kind === 'waiting' ||
      (isForgotten(state) && made !== null && existsSync(made))
        ? made
        : placeIn(state, path)
    const { losses, quality } = reported.get(path) ?? known.get(index) ?? {}
    return outputPath === null ? [] : [{ file: name, outputPath, index, losses, quality }]
  })
  return { results, inVault }
}

/** Whether the journal has lost the original's state. The result may still be waiting in the vault. */
const isForgotten = (state: Replacement['state']): boolean =>
  state.kind === 'kept' && state.why === 'unreadable'

/**
 * Returns the path of a result outside the vault; null if there is none. @param original the original's path. This is also the result's
 * path if the original stays because the quality would have been too low
 */
function placeIn(state: Replacement['state'], original: string): string | null {
  switch (state.kind) {
    case 'replaced':
      return state.place
    case 'kept':
      return state.why === 'lowQuality' ? original : state.result
    case 'expired':
      return state.was === 'replaced' ? state.place : null
    case 'waiting':
    case 'restored':
      return null
  }
}
