import type { BigIntStats } from 'node:fs'
import { lstat, opendir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Draft, IntakeProgress } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem, RejectionReason } from '../../shared/model/media-item.ts'
import { namedKindOf } from '../../shared/media-types.ts'
import { builtInOnly } from '../../shared/model/built-in-only.ts'
import { isAtOrBelow } from '../../node/contained-path.ts'
import { codeOf } from '../../node/errors.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { examineFile } from '../../node/recognize-media.ts'
import { isForeignLink, trustedRealPath } from '../../node/trusted-path.ts'
import { inGroups, mapLimited } from '../../node/limited.ts'

/** Maximum number of files to add without asking the user. */
export const DEFAULT_CAP = 5_000

/** Number of files to check in parallel: enough to keep the disk busy, few enough not to delay other work. */
const BATCH = 64

export type FindAnswer =
  | 'takeAll'
  /** Accepts files up to the cap. */
  | 'takeSome'
  /** Stops the search. Files that were already reported stay in the draft. */
  | 'stop'

export type FindOptions = ExamineLimits & {
  readonly signal?: AbortSignal
  /** Paths that are already in the draft. Their files aren't added again under any other path. */
  readonly already?: readonly string[]
  readonly cap?: number
  /** Called once if more than `cap` files were found; by default all are added. */
  readonly ask?: (question: { readonly found: number; readonly cap: number }) => Promise<FindAnswer>
}

export type FindBatch = {
  readonly items: readonly MediaItem[]
  readonly rejected: readonly RejectedItem[]
  readonly progress: IntakeProgress
}

/**
 * Finds photos and videos among the given files and folders, and reports why other files are rejected.
 *
 * Folders are searched recursively in name order. Hidden and system files and packages, for example photo libraries, are skipped.
 * Each folder is visited only once even if several links point to it. A given link is followed to any target, unless it is another user's. A link inside a folder is followed only within
 * that folder, because a folder from someone else must not add the user's own files from elsewhere. Files that are already present, under
 * any path, are skipped silently. Batches are small, so that the caller can show progress and cancel quickly. If the signal is aborted, the
 * generator ends without an error.
 *
 * @param paths absolute
 */
export async function* findMedia(
  paths: readonly string[],
  options: FindOptions = {},
): AsyncGenerator<FindBatch> {
  const { signal, already = [], cap = DEFAULT_CAP, ask } = options
  const known = await keysOfAll(already)
  const visited = new Set<string>()
  let looked = 0
  let taken = 0
  let limit = ask ? cap : Number.POSITIVE_INFINITY
  const isStopped = () => signal?.aborted === true

  const progress = (question: IntakeProgress['question'] = null): IntakeProgress => ({
    found: taken,
    looked,
    question,
  })

  /** Accepts new files up to the limit. Those after it are returned in `left` and wait for the user's answer. */
  function take(examined: readonly Examined[]): { batch: FindBatch; left: readonly Examined[] } {
    const items: MediaItem[] = []
    const rejected: RejectedItem[] = []
    for (const [index, one] of examined.entries()) {
      if (one.kind === 'rejected') rejected.push(one.item)
      if (one.kind !== 'item' || one.keys.some((key) => known.has(key))) continue
      if (taken >= limit)
        return { batch: { items, rejected, progress: progress() }, left: examined.slice(index) }
      for (const key of one.keys) known.add(key)
      taken++
      items.push(one.item)
    }
    return { batch: { items, rejected, progress: progress() }, left: [] }
  }

  for await (const examined of linksLast(examineAll(paths, visited, options))) {
    if (isStopped()) return
    looked += examined.length
    let { batch, left } = take(examined)
    yield batch
    if (left.length === 0 || ask === undefined) continue

    const question = { found: taken + 1, cap }
    yield { items: [], rejected: [], progress: progress(question) }
    const answer = await ask(question)
    if (answer !== 'takeAll' || isStopped()) return
    limit = Number.POSITIVE_INFINITY
    ;({ batch, left } = take(left))
    yield batch
  }
}

/**
 * Checks a draft's files again, because they may have changed. A file that is no longer usable keeps its earlier data and is reported when
 * it is sent.
 */
export async function acceptAgain(draft: Draft, signal?: AbortSignal): Promise<Draft> {
  const { source } = draft
  if (source.kind !== 'files') return draft
  const examined = await mapLimited(source.items, ({ path }) => examineNamed(path, {}), {
    atOnce: BATCH,
    signal,
  })
  const items = source.items.map((before, index) => {
    const now = examined[index]
    return now?.kind === 'item' && now.item.kind === before.kind ? now.item : before
  })
  return { ...draft, source: { ...source, items } }
}

async function keysOfAll(paths: readonly string[]): Promise<Set<string>> {
  const keys = await mapLimited(paths, (path) => keysOf(path).catch(() => [path]), { atOnce: BATCH })
  return new Set(keys.flatMap((found) => found ?? []))
}

async function keysOf(path: string): Promise<readonly string[]> {
  const real = await realpath(path)
  return keysOfFile(real, await lstat(real, { bigint: true }))
}

/**
 * Returns the keys of a file: its path without links, and a key that is the same through every mount point. A file with several hard links
 * has only the first key, because each of its names counts as a separate file. Some file systems repeat inode numbers, so the second
 * key also contains the size, the modification time and the name.
 */
function keysOfFile(
  realPath: string,
  { dev, ino, size, mtimeNs, nlink }: Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'nlink'>,
): readonly string[] {
  return nlink === 1n ? [realPath, [dev, ino, size, mtimeNs, basename(realPath)].join(' ')] : [realPath]
}

/**
 * Yields links last, so that a file that is also found under its own path is added with that path. A file can't be replaced through a link.
 */
async function* linksLast(found: AsyncGenerator<readonly Examined[]>): AsyncGenerator<readonly Examined[]> {
  const links: Examined[] = []
  const isLink = (one: Examined) => one.kind === 'item' && one.item.isLink === true
  for await (const examined of found) {
    links.push(...examined.filter(isLink))
    yield examined.filter((one) => !isLink(one))
  }
  yield* inGroups(links, BATCH)
}

/** Yields files in the order found, folder by folder, in small groups. */
async function* examineAll(
  paths: readonly string[],
  visited: Set<string>,
  options: FindOptions,
): AsyncGenerator<readonly Examined[]> {
  for (const group of inGroups(paths, BATCH)) {
    const examined = await Promise.all(group.map((path) => examineNamed(path, options)))
    // Keep the order of the list: files before a folder come before its contents.
    let files: Examined[] = []
    for (const [index, one] of examined.entries()) {
      if (options.signal?.aborted === true) return
      if (one.kind !== 'folder') {
        files.push(one)
        continue
      }
      if (files.length > 0) yield files
      files = []
      const root = { path: group[index] ?? one.realPath, realPath: one.realPath }
      yield* examineFolder(root, root, visited, options)
    }
    if (files.length > 0) yield files
  }
}

type Folder = { readonly path: string; readonly realPath: string }

/** @param root the folder in which the search started */
async function* examineFolder(
  { path, realPath }: Folder,
  root: Folder,
  visited: Set<string>,
  options: FindOptions,
): AsyncGenerator<readonly Examined[]> {
  if (visited.has(realPath)) return
  visited.add(realPath)
  const listed = await listFolder(path, options.signal)
  if (!listed.ok) {
    yield [rejectFor(path, listed.error)]
    return
  }
  for (const group of inGroups(listed.entries, BATCH)) {
    if (options.signal?.aborted === true) return
    const examined = await Promise.all(
      group.map(({ name, isLink, isFile }) =>
        isLink
          ? examineLink(join(path, name), root, options)
          : examine(join(path, name), options, { realPath: join(realPath, name), isFile }),
      ),
    )
    const files = examined.filter(({ kind }) => kind !== 'folder')
    if (files.length > 0) yield files
    for (const [index, one] of examined.entries()) {
      const name = group[index]?.name ?? ''
      if (one.kind === 'folder' && !isPackage(name)) {
        yield* examineFolder({ path: join(path, name), realPath: one.realPath }, root, visited, options)
      }
    }
  }
}

type Entry = { readonly name: string; readonly isLink: boolean; readonly isFile: boolean }

/** Returns a folder's entries, sorted by name, without those that `isLeftOut` excludes. Reads the folder in chunks. */
async function listFolder(
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ ok: true; entries: readonly Entry[] } | { ok: false; error: unknown }> {
  const entries: Entry[] = []
  try {
    for await (const entry of await opendir(path, { bufferSize: 256 })) {
      if (signal?.aborted === true) break
      if (!isLeftOut(entry.name))
        entries.push({ name: entry.name, isLink: entry.isSymbolicLink(), isFile: entry.isFile() })
    }
  } catch (error) {
    return { ok: false, error }
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return { ok: true, entries }
}

/** Names of files and folders that systems create. Users can still add one of them explicitly. */
const SYSTEM_NAMES: ReadonlySet<string> = new Set([
  'thumbs.db',
  'desktop.ini',
  'icon\r',
  '__macosx',
  '$recycle.bin',
  'system volume information',
  'lost+found',
  '@eadir',
])

/** Folders that the system shows as a single file and whose contents are private to an app. */
const PACKAGE = /\.(?:app|photoslibrary|photolibrary|lrdata|lrlibrary|bundle)$/i

/** Whether a folder search skips this name, because the file or folder is hidden or belongs to the system. */
const isLeftOut = (name: string): boolean =>
  name.startsWith('.') || name.startsWith('~$') || SYSTEM_NAMES.has(name.toLowerCase())

const isPackage = (folderName: string): boolean => PACKAGE.test(folderName)

type Examined =
  | {
      readonly kind: 'item'
      readonly item: MediaItem
      readonly realPath: string
      readonly keys: readonly string[]
    }
  | { readonly kind: 'rejected'; readonly item: RejectedItem }
  | { readonly kind: 'folder'; readonly realPath: string }

type ExamineLimits = {
  /** In bytes. Inputs that are uploaded can't be larger (section 8). */
  readonly maxBytes?: number | undefined
  /** Whether to accept the formats that only the built-in service processes; true by default. */
  readonly takesBuiltInFormats?: boolean
}

type Known = { readonly realPath?: string; readonly isLink?: boolean; readonly isFile?: boolean }

/** Checks a path that the user named. Rejects the path if it leads through another user's link. */
async function examineNamed(path: string, limits: ExamineLimits): Promise<Examined> {
  const found = await lstat(path).catch(() => undefined)
  const examined = await examine(path, limits, { isLink: found?.isSymbolicLink() === true })
  try {
    const realPath = await trustedRealPath(path)
    if (examined.kind === 'rejected' || examined.realPath === realPath) return examined
    return reject(path, 'foreignLink')
  } catch (error) {
    if (isForeignLink(error)) return reject(path, 'foreignLink')
    return examined.kind === 'rejected' ? examined : rejectFor(path, error)
  }
}

/**
 * Checks a path. Symbolic links are followed; the item keeps the given path.
 * @param known facts that the caller already has, to save system calls
 */
async function examine(
  path: string,
  limits: ExamineLimits,
  { realPath: knownRealPath, isLink = false, isFile = false }: Known = {},
): Promise<Examined> {
  try {
    if (!isFile) {
      const found = await stat(path)
      if (found.isDirectory()) return { kind: 'folder', realPath: await realpath(path) }
      if (!found.isFile()) return reject(path, 'notAFile')
    }
    const { size, stats, recognized, identity, realPath } = await examineFile(path, knownRealPath)
    if (size === 0) return reject(path, namedKindOf(path) === undefined ? 'unsupported' : 'empty', { size })
    if (recognized.kind === 'raw') return reject(path, 'raw', { size })
    if (recognized.kind === 'unknown') return reject(path, 'unsupported', { size })
    if (limits.maxBytes !== undefined && size > limits.maxBytes)
      return reject(path, 'tooLargeToUpload', { size })
    const item: MediaItem = {
      path,
      name: basename(path),
      ...recognized,
      size,
      identity,
      ...(isLink ? { isLink } : {}),
    }
    const refused = limits.takesBuiltInFormats === false ? builtInOnly(item) : undefined
    if (refused !== undefined) return { kind: 'rejected', item: { ...refused, size } }
    return { kind: 'item', item, realPath, keys: keysOfFile(realPath, stats) }
  } catch (error) {
    return rejectFor(path, error)
  }
}

/**
 * Checks a link inside a folder. If the link's own text already points outside the folder, for example to a network share, the
 * target isn't accessed.
 */
async function examineLink(path: string, root: Folder, limits: ExamineLimits): Promise<Examined> {
  try {
    const target = resolve(dirname(path), await readlink(path))
    if (!isAtOrBelow(target, root.path) && !isAtOrBelow(target, root.realPath))
      return reject(path, 'leadsOutside')
    // The target's path may contain further links.
    const realPath = await realpath(path)
    return isAtOrBelow(realPath, root.realPath)
      ? await examine(path, limits, { realPath, isLink: true })
      : reject(path, 'leadsOutside')
  } catch (error) {
    return rejectFor(path, error)
  }
}

/** The character with which Node replaces bytes that aren't UTF-8. The resulting path doesn't lead to the file. */
const NOT_UNICODE = '\uFFFD'

/** Returns the rejection for a path that can't be accessed. */
function rejectFor(path: string, error: unknown): Examined & { readonly kind: 'rejected' } {
  const code = codeOf(error instanceof FailureError ? error.cause : error)
  const missing = code === 'ENOENT' || code === 'ENOTDIR'
  if (missing && path.includes(NOT_UNICODE)) return reject(path, 'nameUnreadable')
  return reject(path, missing ? 'missing' : 'unreadable', code === '' ? {} : { detail: code })
}

function reject(
  path: string,
  reason: RejectionReason,
  more: Pick<RejectedItem, 'detail' | 'size'> = {},
): Examined & { readonly kind: 'rejected' } {
  return { kind: 'rejected', item: { path, name: basename(path), reason, ...more } }
}
