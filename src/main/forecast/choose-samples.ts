/** Which files are tried, and in which order: after each of them the ones so far stand for all as well as so many can. */
import { extensionOf } from '../../shared/media-types.ts'

export type SizedFile = {
  /** Absolute. */
  readonly path: string
  readonly kind: 'image' | 'video'
  /** Bytes. */
  readonly size: number
}

/** Files whose results are likely to be alike. */
export const groupOf = ({ kind, path }: SizedFile): string => {
  const extension = extensionOf(path)
  return `${kind} ${SAME.get(extension) ?? extension}`
}

const SAME: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'jpg'],
  ['m4v', 'mp4'],
])

/**
 * Of each group a share of the samples as large as its share of the files, at least one; within a group files from all over the
 * range of sizes, the middle one first. Photos and videos take turns.
 *
 * @param most of each kind
 */
export function chooseSamples<File extends SizedFile>(files: readonly File[], most: number): readonly File[] {
  const kinds = (['image', 'video'] as const).map((kind) => {
    const groups = groupsOf(files.filter((file) => file.kind === kind))
    return alternately(groups.map(spread), most)
  })
  return Array.from({ length: most }, (_, index) => kinds.flatMap((chosen) => chosen[index] ?? [])).flat()
}

/** The largest group first. */
export function groupsOf<File extends SizedFile>(files: readonly File[]): readonly (readonly File[])[] {
  const groups = Map.groupBy(files, groupOf)
  return [...groups.values()].toSorted((a, b) => b.length - a.length)
}

/** Sorted by size and taken by halving: the middle, the quarters, the eighths … */
function spread<File extends SizedFile>(group: readonly File[]): readonly File[] {
  const sorted = group.toSorted((a, b) => a.size - b.size || (a.path < b.path ? -1 : 1))
  const order = new Set<number>()
  for (let parts = 2; order.size < sorted.length; parts *= 2)
    for (let part = 1; part < parts; part += 1) order.add(Math.floor((sorted.length * part) / parts))
  return [...order].flatMap((index) => sorted[index] ?? [])
}

/** One of each group, then of the group that is furthest behind its share. */
function alternately<File>(groups: readonly (readonly File[])[], most: number): readonly File[] {
  const taken = groups.map(() => 0)
  const chosen: File[] = []
  while (chosen.length < most) {
    const behind = groups.map((group, index) => {
      const count = taken[index] ?? 0
      if (count >= group.length) return -1
      return count === 0 ? Infinity : group.length / (count + 1)
    })
    const next = behind.indexOf(Math.max(...behind))
    const file = groups[next]?.[taken[next] ?? 0]
    if (file === undefined || (behind[next] ?? -1) < 0) return chosen
    taken[next] = (taken[next] ?? 0) + 1
    chosen.push(file)
  }
  return chosen
}
