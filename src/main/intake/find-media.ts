import { access, opendir, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { constants } from 'node:fs'
import type { IntakeProgress } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem, RejectionReason } from '../../shared/model/media-item.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import { codeOf } from '../../node/errors.ts'

/** More files than this are taken only after a question. */
export const DEFAULT_CAP = 5_000

/** Files looked at together: many enough to keep the disk busy, few enough that nothing else has to wait. */
const BATCH = 64

export type FindAnswer =
  | 'takeAll'
  /** Up to the cap. */
  | 'takeSome'
  /** Nothing more; what was taken already is for the caller to drop. */
  | 'stop'

export type FindOptions = ExamineLimits & {
  readonly signal?: AbortSignal
  /** Paths that are in the draft: their files are not taken again, by whatever path they come. */
  readonly already?: readonly string[]
  readonly cap?: number
  /** Asked once, when more than `cap` files were found; by default all are taken. */
  readonly ask?: (question: { readonly found: number; readonly cap: number }) => Promise<FindAnswer>
}

export type FindBatch = {
  readonly items: readonly MediaItem[]
  readonly rejected: readonly RejectedItem[]
  readonly progress: IntakeProgress
}

/**
 * Finds the photos and videos among files and folders that were brought in, and says of everything else why not.
 *
 * Folders are searched to the bottom, in the order of names; hidden and system files are left out, and a folder is
 * visited once, however many links lead to it. A file that is there already, by whatever path, is dropped silently. The
 * batches are small, so that a caller who shows or cancels never waits long; an aborted signal ends them without an error.
 *
 * @param paths absolute
 */
export async function* findMedia(
  paths: readonly string[],
  options: FindOptions = {},
): AsyncGenerator<FindBatch> {
  const { signal, already = [], cap = DEFAULT_CAP, ask } = options
  const known = await realPaths(already)
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

  /** Keeps what is new, up to the limit; what is left over waits for an answer. */
  function take(examined: readonly Examined[]): { batch: FindBatch; left: readonly Examined[] } {
    const items: MediaItem[] = []
    const rejected: RejectedItem[] = []
    for (const [index, one] of examined.entries()) {
      if (one.kind === 'rejected') rejected.push(one.item)
      if (one.kind !== 'item' || known.has(one.realPath)) continue
      if (taken >= limit)
        return { batch: { items, rejected, progress: progress() }, left: examined.slice(index) }
      known.add(one.realPath)
      taken++
      items.push(one.item)
    }
    return { batch: { items, rejected, progress: progress() }, left: [] }
  }

  for await (const examined of examineAll(paths, visited, options)) {
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

async function realPaths(paths: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  for (let start = 0; start < paths.length; start += BATCH) {
    const group = paths.slice(start, start + BATCH)
    const found = await Promise.all(group.map((path) => realpath(path).catch(() => path)))
    for (const path of found) known.add(path)
  }
  return known
}

/** Files as they were found, folder after folder, a small group at a time. */
async function* examineAll(
  paths: readonly string[],
  visited: Set<string>,
  options: FindOptions,
): AsyncGenerator<readonly Examined[]> {
  for (let start = 0; start < paths.length; start += BATCH) {
    const group = paths.slice(start, start + BATCH)
    const examined = await Promise.all(group.map((path) => examine(path, options)))
    // The order of the list is kept: files that stand before a folder come before its content.
    let files: Examined[] = []
    for (const [index, one] of examined.entries()) {
      if (options.signal?.aborted === true) return
      if (one.kind !== 'folder') {
        files.push(one)
        continue
      }
      if (files.length > 0) yield files
      files = []
      yield* examineFolder(group[index] ?? one.realPath, one.realPath, visited, options)
    }
    if (files.length > 0) yield files
  }
}

async function* examineFolder(
  path: string,
  realPath: string,
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
  for (let start = 0; start < listed.entries.length; start += BATCH) {
    if (options.signal?.aborted === true) return
    const group = listed.entries.slice(start, start + BATCH)
    const examined = await Promise.all(
      group.map(({ name, isLink }) =>
        examine(join(path, name), options, isLink ? undefined : join(realPath, name)),
      ),
    )
    const files = examined.filter(({ kind }) => kind !== 'folder')
    if (files.length > 0) yield files
    for (const [index, one] of examined.entries()) {
      const name = group[index]?.name ?? ''
      if (one.kind === 'folder' && !isPackage(name)) {
        yield* examineFolder(join(path, name), one.realPath, visited, options)
      }
    }
  }
}

type Entry = { readonly name: string; readonly isLink: boolean }

/** The names in a folder, sorted, read in portions. */
async function listFolder(
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ ok: true; entries: readonly Entry[] } | { ok: false; error: unknown }> {
  const entries: Entry[] = []
  try {
    for await (const entry of await opendir(path, { bufferSize: 256 })) {
      if (signal?.aborted === true) break
      if (!isLeftOut(entry.name)) entries.push({ name: entry.name, isLink: entry.isSymbolicLink() })
    }
  } catch (error) {
    return { ok: false, error }
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return { ok: true, entries }
}

/** What folders contain for the system's use. A person who wants one of these can still bring it in by itself. */
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

/** Folders that their systems show as one file, and whose inside is nobody's business. */
const PACKAGE = /\.(?:app|photoslibrary|photolibrary|lrdata|lrlibrary|bundle)$/i

/** Hidden and system files and folders are not looked at when a folder is brought in. */
const isLeftOut = (name: string): boolean =>
  name.startsWith('.') || name.startsWith('~$') || SYSTEM_NAMES.has(name.toLowerCase())

const isPackage = (folderName: string): boolean => PACKAGE.test(folderName)

type Examined =
  | { readonly kind: 'item'; readonly item: MediaItem; readonly realPath: string }
  | { readonly kind: 'rejected'; readonly item: RejectedItem }
  | { readonly kind: 'folder'; readonly realPath: string }

type ExamineLimits = {
  /** Bytes; where inputs are uploaded, larger ones can't be used (section 8). */
  readonly maxBytes?: number | undefined
}

/**
 * What stands behind a path. Symbolic links are followed; the item keeps the path by which it was brought in.
 *
 * @param knownRealPath spares a system call where the path is known to contain no link
 */
async function examine(path: string, limits: ExamineLimits, knownRealPath?: string): Promise<Examined> {
  try {
    const found = await stat(path)
    if (found.isDirectory()) return { kind: 'folder', realPath: await realpath(path) }
    const kind = mediaKindOf(path)
    if (!found.isFile()) return reject(path, 'notAFile')
    if (kind === undefined) return reject(path, 'unsupported')
    if (found.size === 0) return reject(path, 'empty')
    if (limits.maxBytes !== undefined && found.size > limits.maxBytes) return reject(path, 'tooLargeToUpload')
    await access(path, constants.R_OK)
    return {
      kind: 'item',
      item: { path, name: basename(path), kind, size: found.size },
      realPath: knownRealPath ?? (await realpath(path)),
    }
  } catch (error) {
    return rejectFor(path, error)
  }
}

/** A path that the system does not let us use. */
function rejectFor(path: string, error: unknown): Examined & { readonly kind: 'rejected' } {
  const code = codeOf(error)
  const missing = code === 'ENOENT' || code === 'ENOTDIR'
  return reject(path, missing ? 'missing' : 'unreadable', code)
}

function reject(
  path: string,
  reason: RejectionReason,
  detail?: string,
): Examined & { readonly kind: 'rejected' } {
  const item = { path, name: basename(path), reason }
  return { kind: 'rejected', item: detail === undefined || detail === '' ? item : { ...item, detail } }
}
