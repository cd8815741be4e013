/** Follows an original from one result to the next: a later job may have replaced a result too. */
import { hasContentOf, type FileVersion } from './file-version.ts'
import type { ReplacementState, StoredReplacement } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'

type Table = Pick<ReplacementTable, 'replacedAt'>

/**
 * Whether a result, or a later result that replaced it, is still where it was placed. Another file with this name, such as the next photo
 * that a camera calls IMG_0001, isn't the result.
 */
export async function isReplacementThere(
  table: Table,
  place: string,
  result: FileVersion,
  seen: Set<number> = new Set(),
): Promise<boolean> {
  return (await hasContentOf(place, result)) || isReplacedAt(table, place, result, seen)
}

/**
 * Whether a result has replaced this version of a file, and it, or a later result, is still there.
 * @param seen IDs of the replacements that were followed. Each is followed once, because two files may have replaced each other
 */
async function isReplacedAt(
  table: Table,
  path: string,
  { sha256 }: FileVersion,
  seen: Set<number>,
): Promise<boolean> {
  for (const { id, version, state } of table.replacedAt(path)) {
    const placed = placedBy(state)
    if (placed === undefined || version.sha256 !== sha256 || seen.has(id)) continue
    seen.add(id)
    if (await isReplacementThere(table, placed.place, placed.result, seen)) return true
  }
  return false
}

/** Returns where a result replaced its original; undefined if it didn't, was removed again, or its place or version isn't known. */
function placedBy(
  state: ReplacementState,
): { readonly place: string; readonly result: FileVersion } | undefined {
  if (state.kind === 'replaced') return state
  if (state.kind !== 'expired' || state.was !== 'replaced') return undefined
  const { place, version } = state
  return place === null || version === null ? undefined : { place, result: version }
}

/**
 * Whether other jobs have replaced an original since its job was prepared. If so, its result may have been made from one of theirs. An
 * earlier job doesn't count: this job's original is that job's result, or a file that the user has put there since.
 */
export const isReplacedMeanwhile = async (
  table: Table,
  { id, target, version }: Pick<StoredReplacement, 'id' | 'target' | 'version'>,
): Promise<boolean> =>
  !(await hasContentOf(target, version)) && isReplacedAt(table, target, version, new Set([id]))
