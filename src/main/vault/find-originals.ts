/** Finds originals by any path that the user may name: theirs, that of the file that replaced them, or that of a folder, also through links. */
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isBelow } from '../../node/contained-path.ts'
import { readVersion } from './file-version.ts'
import type { StoredReplacement } from './replacement.ts'
import type { ReplacementTable } from './replacement-table.ts'
import { statOf } from './vault-parts.ts'

/** Returns what the user may mean, last replaced first. @param path absolute, of a file or folder */
export async function findOriginals(
  table: ReplacementTable,
  path: string,
  kind: 'replaced' | 'restored',
): Promise<readonly StoredReplacement[]> {
  const all = table.becoming(kind)
  const isNamed = await namesPath(path)
  const byPath = await matching(all, async ({ path: own, target }) => (await isNamed(target)) || isNamed(own))
  if (byPath.length > 0) return byPath
  const byPlace = await matching(all, async (one) => {
    const place = placeOf(one)
    return place !== null && isNamed(place)
  })
  return byPlace.length > 0 ? byPlace : byContent(all, path)
}

/** Returns a test for paths that are the named one, or in the named folder. Each folder's links are followed once. */
export async function namesPath(named: string): Promise<(path: string) => Promise<boolean>> {
  const folders = new Map<string, Promise<string>>()
  const realFolder = (folder: string): Promise<string> => {
    const known = folders.get(folder) ?? realOf(folder)
    folders.set(folder, known)
    return known
  }
  const realFile = async (path: string) => join(await realFolder(dirname(path)), basename(path))
  const named2 = [named, await realFile(named), await realFolder(named)]
  const isOneOf = (path: string) => named2.some((one) => path === one || isBelow(path, one, process.platform))
  return async (path) => isOneOf(path) || isOneOf(await realFile(path))
}

/** Follows the links in the part of a path that exists. */
async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const above = dirname(path)
    return above === path ? path : join(await realOf(above), basename(path))
  }
}

/** The file that replaced an original may have been moved. */
async function byContent(
  all: readonly StoredReplacement[],
  path: string,
): Promise<readonly StoredReplacement[]> {
  const found = await statOf(path).catch(() => undefined)
  const sameSize = all.filter(
    ({ state }) => 'result' in state && sizeOf(state.result) === Number(found?.size),
  )
  if (found?.isFile() !== true || sameSize.length === 0) return []
  const version = await readVersion(path).catch(() => undefined)
  return sameSize.filter(({ state }) => state.kind === 'replaced' && state.result.sha256 === version?.sha256)
}

const sizeOf = (result: unknown): number | undefined =>
  typeof result === 'object' && result !== null && 'size' in result ? Number(result.size) : undefined

function placeOf({ state }: StoredReplacement): string | null {
  if (state.kind === 'swapping') return state.goal === 'restore' ? state.place : state.swap.entering.to
  return 'place' in state ? state.place : null
}

async function matching(
  all: readonly StoredReplacement[],
  isMeant: (one: StoredReplacement) => Promise<boolean>,
): Promise<readonly StoredReplacement[]> {
  const found: StoredReplacement[] = []
  for (const one of all) if (await isMeant(one)) found.push(one)
  return found
}
