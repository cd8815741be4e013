/**
 * Finds vaults that aren't where they were: their volume may be mounted at another path, or a folder above them was renamed. A vault is
 * recognized by its random name. Device numbers and paths prove nothing.
 */
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isAtOrBelow } from '../../node/contained-path.ts'
import { ifResponding, mountPoints } from '../../node/mounted-disk.ts'
import { noteVault, readVaultList, vaultListOf } from './known-vaults.ts'
import type { StoredReplacement } from './replacement.ts'
import type { MovePath, ReplacementTable } from './replacement-table.ts'
import { isOwnVault } from './vault-folder.ts'
import { exists, isThere } from './vault-parts.ts'

/** Records the new paths of vaults that have moved. @param near absolute; the vaults may also be in this folder or in one of its parents */
export async function locateVaults(
  table: ReplacementTable,
  deps: {
    /** Path of the journal's database. */
    readonly file: string
    readonly home: string
  },
  near: string | undefined,
): Promise<void> {
  const { file, home } = deps
  let mounts: readonly string[] | undefined
  for (const { path } of table.vaults()) {
    if (await isOwnVault(path)) {
      const before = await firstVault(formerPaths(table, path))
      if (before !== undefined) await moveTo(path, before)
      continue
    }
    mounts ??= await mountPoints()
    const listed = (await readVaultList(vaultListOf(file))).map((one) => dirname(one))
    const parents = [...listed, home, ...(near === undefined ? [] : parentsOf(near))]
    const found = await firstVault([
      ...parents.map((parent) => join(parent, basename(path))),
      ...mounts.flatMap((mount) => endingsOf(path).map((ending) => join(mount, ending))),
      ...(await nextToRenamed(path)),
    ])
    if (found !== undefined) await moveTo(path, found)
  }

  async function moveTo(path: string, found: string): Promise<void> {
    await relocate(table, path, found)
    await noteVault(vaultListOf(file), found)
  }
}

/**
 * Returns the former paths of a vault, at which its jobs were prepared; none if a job was prepared at its current path. If the vault is at
 * a former path again, the one at the current path is a copy, for example on a backup disk.
 */
function formerPaths(table: ReplacementTable, vault: string): readonly string[] {
  const paths = new Set(table.jobsIn(vault).map((job) => dirname(job)))
  return paths.has(vault) ? [] : [...paths].filter((path) => basename(path) === basename(vault))
}

/** Returns a path and all its parent folders. */
function parentsOf(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [path, ...parentsOf(above)]
}

/** Returns `a/b/c`, `b/c` and `c` for `/a/b/c`. */
export const endingsOf = (path: string): readonly string[] => {
  const names = path.split(/[/\\]/)
  return names.map((_, index) => names.slice(index + 1).join(sep)).filter((ending) => ending !== '')
}

/** Returns where a path may be if one of its folders was renamed; an empty array if its folder exists. */
async function nextToRenamed(path: string): Promise<readonly string[]> {
  const above = dirname(path)
  if (above === path) return []
  if (await exists(above).catch(() => false)) return []
  const names = await readdir(dirname(above)).catch(() => undefined)
  if (names !== undefined) return names.map((name) => join(dirname(above), name, basename(path)))
  return (await nextToRenamed(above)).map((one) => join(one, basename(path)))
}

/** Returns the first path that is a vault; undefined if there is none. Skips paths on disks that don't respond. */
async function firstVault(paths: readonly string[]): Promise<string | undefined> {
  const unique = [...new Set(paths)]
  const are = await Promise.all(unique.map((path) => ifResponding(isOwnVault(path))))
  return unique.find((_, index) => are[index] === true)
}

/** Records the new path of a vault, and the new paths of its originals. */
export async function relocate(table: ReplacementTable, from: string, to: string): Promise<void> {
  const inside: MovePath = (path) => rebased(path, from, to)
  const moved: MovePath = (path) => rebased(inside(path), dirname(from), dirname(to))
  const withVault = new Set<number>()
  for (const one of table.inVault(from)) if (await hasMoved(one, moved)) withVault.add(one.id)
  table.moveVault(from, to, (id) => (withVault.has(id) ? moved : inside))
}

/** Whether the place of an original has moved together with its vault. If not, only the vault was moved. */
async function hasMoved({ target, state }: StoredReplacement, moved: MovePath): Promise<boolean> {
  const place = 'place' in state && state.place !== null ? state.place : target
  if (await isThere(moved(place))) return true
  if (await isThere(place)) return false
  return (await isThere(dirname(moved(target)))) || !(await isThere(dirname(target)))
}

/** Returns a path below one folder as the path below another folder. Other paths stay as they are. */
export const rebased = (path: string, from: string, to: string): string =>
  from !== to && isAtOrBelow(path, from) ? join(to, relative(from, path)) : path
