/**
 * Finds originals by any path that the user may name: the original's path, the path of the file that replaced it, or the path of a folder,
 * even through links.
 */
import { basename, dirname, join } from 'node:path'
import { onceFor } from '../../shared/once.ts'
import { isAtOrBelow } from '../../node/contained-path.ts'
import { partlyRealPath } from '../../node/trusted-path.ts'
import { filterAsync } from '../../node/limited.ts'
import { hasContentOf } from './file-version.ts'
import { endingsOf } from './locate-vaults.ts'
import type { StoredReplacement } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'
import { isThere, statOf } from './vault-parts.ts'

/** Returns the originals that the user may mean, most recently replaced first. @param path absolute, of a file or folder */
export async function findOriginals(
  table: ReplacementTable,
  path: string,
  kind: 'replaced' | 'restored',
): Promise<readonly StoredReplacement[]> {
  const all = table.becoming(kind)
  const isNamed = await namesPath(path)
  // A link in the user's own path may lead to another folder now.
  const isMeant = async (own: string, target: string) =>
    (await isNamed(target)) || isAtOrBelow(own, path) || (!(await isThere(dirname(target))) && isNamed(own))
  const byPath = await filterAsync(all, ({ path: own, target }) => isMeant(own, target))
  if (byPath.length > 0) return byPath
  const byPlace = await filterAsync(all, async (one) => {
    const place = placeOf(one)
    return place !== null && isNamed(place)
  })
  return byPlace.length > 0 ? byPlace : movedTo(path, all)
}

/** Returns the paths of originals that the user may mean, but whose file in the vault is no longer kept. */
export async function findExpired(
  table: ReplacementTable,
  path: string,
  was: 'replaced' | 'restored',
): Promise<readonly string[]> {
  const isNamed = await namesPath(path)
  const meant = await filterAsync(
    table.expired(was),
    async ({ path: own, target }) => isAtOrBelow(own, path) || isNamed(target),
  )
  return meant.map((one) => one.path)
}

/** Creates a function that checks whether a path is the named one or is in the named folder. Each folder's links are followed once. */
export async function namesPath(named: string): Promise<(path: string) => Promise<boolean>> {
  const realFolder = onceFor(partlyRealPath)
  const realFile = async (path: string) => join(await realFolder(dirname(path)), basename(path))
  const named2 = [named, await realFile(named), await realFolder(named)]
  const isOneOf = (path: string) => named2.some((one) => isAtOrBelow(path, one))
  return async (path) => isOneOf(path) || isOneOf(await realFile(path))
}

type Replaced = StoredReplacement & { readonly state: { readonly kind: 'replaced' } }

/** Returns the originals whose results were moved: to the named file, or into the named folder. Each file counts for one original. */
async function movedTo(
  path: string,
  all: readonly StoredReplacement[],
): Promise<readonly StoredReplacement[]> {
  const named = await statOf(path).catch(() => undefined)
  if (named === undefined) return []
  const byFile = new Map<string, Replaced[]>()
  for (const one of all.filter(isReplaced)) {
    const { place } = one.state
    const files = named.isFile() ? [path] : endingsOf(place).map((ending) => join(path, ending))
    const file = await movedFile(one.state, files)
    if (file !== undefined) byFile.set(file, [...(byFile.get(file) ?? []), one])
  }
  const found = new Set<StoredReplacement | undefined>()
  for (const [file, ones] of byFile) found.add(await ownOf(file, ones))
  return all.filter((one) => found.has(one))
}

const isReplaced = (one: StoredReplacement): one is Replaced => one.state.kind === 'replaced'

/**
 * Returns the first file with the result's content; undefined if there is none. Also undefined if the result is still where it was saved,
 * because the file is then only a copy.
 */
async function movedFile(
  { place, result }: Replaced['state'],
  files: readonly string[],
): Promise<string | undefined> {
  for (const file of files)
    if ((await hasContentOf(file, result)) && !(await hasContentOf(place, result))) return file
  return undefined
}

/** Returns the original that a moved file replaced; undefined if several originals with the same result are possible. */
async function ownOf(file: string, ones: readonly Replaced[]): Promise<Replaced | undefined> {
  const inode = (await statOf(file))?.ino
  const likely = [
    ones.filter(({ state }) => state.result.inode === inode),
    ones.filter(({ state }) => basename(state.place) === basename(file)),
    ones,
  ]
  return likely.find((some) => new Set(some.map(({ state }) => state.place)).size === 1)?.[0]
}

function placeOf({ state }: StoredReplacement): string | null {
  if (state.kind === 'swapping') return state.goal === 'restore' ? state.place : state.swap.entering.to
  return 'place' in state ? state.place : null
}
