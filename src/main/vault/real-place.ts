/**
 * Determines where originals belong. Links in the user's own path are followed when a job is prepared, because they may lead to another
 * folder later, or nowhere. They are followed again only if the folder has moved. The user still sees their own path while it leads to the
 * same folder.
 *
 * The vault resolves paths in two ways: with `partlyRealPath` to compare them, and with `trustedPathOf` before it changes anything at a
 * path. The real path of an accepted file is part of its identity.
 */
import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { realPathIn, type FileIdentity } from '../../node/file-identity.ts'
import { trustedPathOf } from '../../node/opened-folder.ts'
import { partlyRealPath } from '../../node/trusted-path.ts'
import type { Restored } from '../../shared/model/replacement.ts'
import { hasContentOf, type FileVersion } from './file-version.ts'
import type { StoredReplacement } from './replacement.ts'
import { isThere, type VaultParts } from './vault-parts.ts'

/** Identities of the files that were accepted, by path. */
export type Identities = ReadonlyMap<string, FileIdentity | undefined>

/** Returns the path of an original without links to folders. An original that is a link itself isn't followed, because it is kept. */
export async function realPlaceOf(path: string, identity?: FileIdentity): Promise<string> {
  const found = await lstat(path).catch(() => undefined)
  if (identity !== undefined && found?.isSymbolicLink() !== true) return realPathIn(identity, path)
  return join(await partlyRealPath(dirname(path)), basename(path))
}

type PlacedState = StoredReplacement['state'] & { readonly place: string }
type Placed<S extends PlacedState> = StoredReplacement & { readonly state: S }

/**
 * Returns where a file and its original belong now, and records it. If their folder no longer exists, the user's own path may lead to its
 * new location. That is certain if the file itself is there.
 * @param version of the file at the place
 */
export async function atRealPlace<S extends PlacedState>(
  { table }: VaultParts,
  replacement: Placed<S>,
  version: FileVersion,
): Promise<Placed<S>> {
  const { path, target } = replacement
  if (await isThere(dirname(target))) return replacement
  const folder = await trustedPathOf(dirname(path)).catch(() => undefined)
  if (folder === undefined) return replacement
  const moved = inFolder(replacement, folder)
  if (moved === undefined || !(await hasContentOf(moved.state.place, version))) return replacement
  table().putPlace(moved)
  return moved
}

/**
 * Follows the user's links to a folder that has moved since an original was restored, because the original is about to be replaced there
 * again.
 */
export async function throughLinks<S extends PlacedState>(
  { table }: VaultParts,
  replacement: Placed<S>,
): Promise<Placed<S>> {
  const before = dirname(replacement.target)
  const folder = await trustedPathOf(before).catch(() => undefined)
  const moved = folder === undefined || folder === before ? undefined : inFolder(replacement, folder)
  if (moved === undefined) return replacement
  table().putPlace(moved)
  return moved
}

/** Returns the replacement as if both of its files were in another folder; undefined if they aren't in the same folder. */
function inFolder<S extends PlacedState>(replacement: Placed<S>, folder: string): Placed<S> | undefined {
  const { target, state } = replacement
  if (dirname(state.place) !== dirname(target)) return undefined
  const place = join(folder, basename(state.place))
  return { ...replacement, target: join(folder, basename(target)), state: { ...state, place } }
}

/** Returns the outcome of an undo or redo, with the path that the user knows if that path still leads to the file. */
export async function asUserKnows(
  { table }: VaultParts,
  { id, path }: StoredReplacement,
  ended: Restored,
): Promise<Restored> {
  if (ended.kind === 'failed') return ended
  const target = table().get(id)?.target ?? path
  const isOwn =
    dirname(ended.place) === dirname(target) && (await partlyRealPath(dirname(path))) === dirname(target)
  return isOwn ? { ...ended, place: join(dirname(path), basename(ended.place)) } : ended
}
