/** The sections in which a group's parts are shown. Pure. */
import type { RecordId } from './ids.ts'
import { groupOutcome } from './group-outcome.ts'
import type { Outcome } from './outcome.ts'
import {
  hasEnded,
  idOf,
  needsUser,
  outcomeOfRecord,
  plannedResults,
  titleOf,
  type GroupItem,
  type PartItem,
} from './work-item.ts'

/** The parts with the same preset; with a single preset, those with the same folder; otherwise one part of a long list. */
export type GroupSection = {
  readonly by: 'preset' | 'folder' | 'part'
  /** Constant while the parts move from the outbox to the history. */
  readonly key: string
  readonly parts: readonly [PartItem, ...PartItem[]]
}

const byOf = ({ presets, folders }: GroupItem['place']): GroupSection['by'] => {
  if (presets > 1) return 'preset'
  return folders > 1 ? 'folder' : 'part'
}

function keyOf(part: PartItem, by: GroupSection['by']): string {
  const { preset, output, id } = titleOf(part)
  if (by === 'preset') return preset ?? ''
  return by === 'folder' && output?.kind === 'folder' ? output.path : id
}

/** Returns the sections in the order that the user chose. */
export function sectionsOf({ parts, place }: GroupItem): readonly GroupSection[] {
  const by = byOf(place)
  return [...Map.groupBy(parts, (part) => keyOf(part, by))].flatMap(([key, [first, ...others]]) =>
    first === undefined ? [] : [{ by, key, parts: [first, ...others] }],
  )
}

type Parts = { readonly parts: readonly PartItem[] }

/** Returns the parts that are waiting, queued or running. */
export const openPartsIn = ({ parts }: Parts): readonly PartItem[] =>
  parts.filter((part) => !hasEnded(part) && !(part.kind === 'outbox' && needsUser(part.entry)))

/** Returns what an action on all parts of a section concerns. */
export const scopesOf = ({
  by,
  parts,
}: GroupSection): readonly { readonly id: RecordId; readonly scope: 'preset' | 'part' }[] =>
  by === 'preset'
    ? [{ id: idOf(parts[0]), scope: 'preset' }]
    : parts.map((part) => ({ id: idOf(part), scope: 'part' }))

/** Returns the number of results that the parts create if nothing goes wrong; null until their files have been counted. */
export function expectedResults({ parts }: Parts): number | null {
  const counts = parts.map((part) => plannedResults(titleOf(part)))
  return counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
}

/** Returns the outcome of all parts together; null while any of them is unfinished. */
export function outcomeOfParts({ parts }: Parts): Outcome | null {
  const ended = parts.flatMap((part) => {
    const outcome = part.kind === 'record' ? outcomeOfRecord(part.record) : null
    return outcome === null ? [] : [{ outcome, files: titleOf(part).files }]
  })
  const [first, ...others] = ended
  return first === undefined || ended.length < parts.length ? null : groupOutcome([first, ...others])
}
