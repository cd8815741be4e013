/**
 * Chooses which files to sample and in which order. At any point, the samples chosen so far represent all files as well as
 * possible.
 */
import { extensionOf } from '../../shared/media-types.ts'

export type SizedFile = {
  /** Absolute path. */
  readonly path: string
  readonly identity?: string | undefined
  readonly kind: 'image' | 'video'
  /** Bytes. */
  readonly size: number
}

const keys = new WeakMap<SizedFile, string>()

/** Identifies a file and its content. Another file may be added later with the same path. */
export function keyOf(file: SizedFile): string {
  const key = keys.get(file) ?? JSON.stringify([file.path, file.identity, file.size])
  keys.set(file, key)
  return key
}

/** Returns a file's group. Files of the same kind and extension form a group, because their results are likely to be similar. */
export const groupOf = ({ kind, path }: SizedFile): string => {
  const extension = extensionOf(path)
  return `${kind} ${EXTENSION_ALIASES.get(extension) ?? extension}`
}

const EXTENSION_ALIASES: ReadonlyMap<string, string> = new Map([
  ['jpeg', 'jpg'],
  ['m4v', 'mp4'],
])

/**
 * Chooses samples from each group in proportion to its number of files, but at least one. The samples of a group cover its range of
 * sizes, starting with the median. Photos and videos alternate.
 * @param most the maximum number per kind
 */
export function chooseSamples<File extends SizedFile>(files: readonly File[], most: number): readonly File[] {
  const kinds = (['image', 'video'] as const).map((kind) => {
    const groups = groupsOf(files.filter((file) => file.kind === kind))
    return pickInProportion(
      groups.map((group) => bisectSizes(group, most)),
      groups.map(({ length }) => length),
      most,
    )
  })
  return Array.from({ length: most }, (_, index) => kinds.flatMap((chosen) => chosen[index] ?? [])).flat()
}

/** Creates a version of `chooseSamples` that chooses again only if the files have changed. */
export function createChooser(): typeof chooseSamples<SizedFile> {
  let last: { readonly of: readonly unknown[]; readonly chosen: readonly SizedFile[] } | undefined
  return (files, most) => {
    const of = [most, ...files]
    if (last?.of.length !== of.length || !of.every((one, index) => one === last?.of[index]))
      last = { of, chosen: chooseSamples(files, most) }
    return last.chosen
  }
}

/** Returns the groups, largest first. */
export function groupsOf<File extends SizedFile>(files: readonly File[]): readonly (readonly File[])[] {
  const groups = Map.groupBy(files, groupOf)
  return [...groups.values()].toSorted((a, b) => b.length - a.length)
}

/** Orders files by repeatedly bisecting the sorted list: the median size first, then the quartiles, then the octiles, and so on. */
function bisectSizes<File extends SizedFile>(group: readonly File[], most: number): readonly File[] {
  const sorted = group.toSorted((a, b) => a.size - b.size || (a.path < b.path ? -1 : 1))
  const order = new Set<number>()
  for (let parts = 2; order.size < Math.min(most, sorted.length); parts *= 2)
    for (let part = 1; part < parts; part += 1) order.add(Math.floor((sorted.length * part) / parts))
  return [...order].flatMap((index) => sorted[index] ?? [])
}

/** Picks one file from each group, then always one from the group that is furthest below its proportion. */
function pickInProportion<File>(
  groups: readonly (readonly File[])[],
  lengths: readonly number[],
  most: number,
): readonly File[] {
  const taken = groups.map(() => 0)
  const chosen: File[] = []
  while (chosen.length < most) {
    const behind = lengths.map((length, index) => {
      const count = taken[index] ?? 0
      if (count >= length) return -1
      return count === 0 ? Infinity : length / (count + 1)
    })
    const next = behind.indexOf(Math.max(...behind))
    const file = groups[next]?.[taken[next] ?? 0]
    if (file === undefined || (behind[next] ?? -1) < 0) return chosen
    taken[next] = (taken[next] ?? 0) + 1
    chosen.push(file)
  }
  return chosen
}
