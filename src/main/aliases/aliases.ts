/**
 * Creates aliases of files whose names the API doesn't accept. The service receives the alias, which exists while the record is open
 * (docs/decisions/aliases.md).
 */
import { comparable } from '../../shared/paths.ts'
import { mkdir, stat } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { messageOf } from '../../node/errors.ts'
import { cutToBytes } from '../../node/file-name.ts'
import { openIdentified } from '../../node/file-identity.ts'
import { whyNotWritable } from '../../node/file-failure.ts'
import type { Log } from '../../node/log.ts'
import { headOf } from '../../node/media-content.ts'
import { createPrivateFolder } from '../../node/private-folder.ts'
import { recognize } from '../../node/recognize-media.ts'
import { createSerialQueue } from '../../node/serial-queue.ts'
import { fileError } from '../../shared/api/reported.ts'
import type { FileError } from '../../shared/api/resources.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { acceptedName, BUILT_IN_FORMATS, isBuiltInFormat, mediaKindOf } from '../../shared/media-types.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { newFolderName, placesFor, removeAliasFolder } from './alias-folder.ts'
import { createAlias, isAliasOf, type Original, ReplacedError, WAYS, type Ways } from './create-alias.ts'
import type { SentName } from './own-names.ts'
import { aliasNotes } from './alias-notes.ts'

export type NamedFiles = {
  /** The files that can be submitted, in order. `as` is the path or the upload's name that the service receives. */
  readonly files: readonly { readonly item: MediaItem; readonly as: string }[]
  /** The files whose names for the service differ from the user's own. */
  readonly names: readonly SentName[]
  readonly unsent: readonly FileError[]
}

export type NamingOptions = {
  readonly isBuiltIn: boolean
  readonly signal: AbortSignal
}

export type Aliases = ReturnType<typeof openAliases>

export type AliasesOptions = {
  /** Absolute; the folder for notes, and for aliases if it is on the file's volume or no folder there can be used. */
  readonly folder: string
  /** Whether a record still exists and hasn't ended. */
  readonly isOpen: (id: RecordId) => boolean
  readonly log: Log
  /** Called before a hard link to a file is created or removed, which changes the file's ctime. Doesn't reject. */
  readonly beforeLinkChange: (path: string, signal?: AbortSignal) => Promise<void>
  readonly ways?: Ways
}

export function openAliases({ folder, isOpen, log, beforeLinkChange, ways = WAYS }: AliasesOptions) {
  const notes = aliasNotes(folder)
  // Run one operation at a time, because a sweep must not remove a folder that is being filled.
  const queue = createSerialQueue((error) => log('aliases not handled', { error: messageOf(error) }))
  let isSweepPending = false

  async function createAll(
    id: RecordId,
    items: readonly MediaItem[],
    { isBuiltIn, signal }: NamingOptions,
  ): Promise<NamedFiles> {
    const aliases = createAliases({ id, folder, notes, ways, beforeLinkChange, signal })
    const named = await each(items, async (item) => {
      signal.throwIfAborted()
      if (!mayNeedAlias(item)) return ownPath(item, { isBuiltIn, signal })
      return withOriginal(item, isBuiltIn, (original, name) =>
        name === undefined ? Promise.resolve(item.path) : aliases.aliasOf(item, original, name),
      )
    })
    try {
      aliases.noteNames()
      return named
    } catch (error) {
      return withoutAliases(named, failure('notStaged', { reason: whyNotWritable(error) }))
    }
  }

  async function sweep(): Promise<void> {
    isSweepPending = false
    notes.removeUnfinished()
    for (const id of notes.ids()) {
      if (isOpen(id)) continue
      const note = notes.read(id)
      const removed = await Promise.all(
        (note?.folders ?? []).map((one) => removeAliasFolder(one, beforeLinkChange)),
      )
      if (removed.every(Boolean)) notes.remove(id)
    }
  }

  return {
    /** Creates the aliases of a submission. Reuses those of an earlier attempt. Rejects only if it is aborted or the app is quitting. */
    async create(id: RecordId, items: readonly MediaItem[], options: NamingOptions): Promise<NamedFiles> {
      // Most submissions don't need aliases, and shouldn't wait for the queue.
      if (!items.some((item) => mayNeedAlias(item))) return each(items, (item) => ownPath(item, options))
      const named = await queue.next(() => createAll(id, items, options))
      if (named === undefined) throw new Error('The app is quitting.')
      return named
    },
    /** Chooses names for uploads, which don't need aliases. */
    nameUploads: (items: readonly MediaItem[], { isBuiltIn, signal }: NamingOptions): Promise<NamedFiles> =>
      each(items, async (item) => {
        signal.throwIfAborted()
        if (!mayNeedAlias(item)) return item.name
        return withOriginal(item, isBuiltIn, (_original, name) => Promise.resolve(name ?? item.name))
      }),
    /** Stores the names under which files were uploaded. */
    noteUploads(id: RecordId, names: readonly SentName[]): void {
      if (names.length > 0) notes.write(id, { folders: notes.read(id)?.folders ?? [], names: [...names] })
    },
    /** Returns the names that the service received for a record's files, where they differ from the user's own. */
    namesOf: (id: RecordId): readonly SentName[] => notes.read(id)?.names ?? [],
    /** Schedules the removal of aliases whose records have ended or were removed, including those of killed processes. */
    sweepSoon(): void {
      if (isSweepPending || !queue.isOpen()) return
      isSweepPending = true
      void queue.next(sweep).catch(() => undefined)
    },
    /** Like `sweepSoon`, but resolves when the sweep has ended. */
    sweep: (): Promise<void> => queue.next(sweep).catch(() => undefined),
    /** Sweeps, and then runs `work` while no alias is created or removed. */
    sweepThen(work: () => Promise<void>): Promise<void> {
      void queue.next(sweep).catch(() => undefined)
      return queue.next(work)
    },
    /** Sweeps once more and stops. */
    async close(): Promise<void> {
      await queue.next(sweep).catch(() => undefined)
      await queue.close()
    },
  }
}

/** Whether a file may need an alias. False if its name alone shows that it can be submitted as it is. */
export const mayNeedAlias = ({ name, kind, format }: MediaItem): boolean =>
  format !== undefined || mediaKindOf(name) !== kind

/** Leaves out all aliases because their names couldn't be stored. After a restart, nothing could recognize them. */
function withoutAliases({ files, unsent }: NamedFiles, why: Failure): NamedFiles {
  const isAlias = ({ item, as }: NamedFiles['files'][number]) => as !== item.path
  return {
    files: files.filter((file) => !isAlias(file)),
    names: [],
    unsent: [...unsent, ...files.filter(isAlias).map(({ item }) => fileError(item.path, why))],
  }
}

/** @param nameOf returns what the service receives; throws FailureError */
async function each(
  items: readonly MediaItem[],
  nameOf: (item: MediaItem) => Promise<string>,
): Promise<NamedFiles> {
  const files: { readonly item: MediaItem; readonly as: string }[] = []
  const unsent: FileError[] = []
  for (const item of items) {
    try {
      files.push({ item, as: await nameOf(item) })
    } catch (error) {
      if (!(error instanceof FailureError)) throw error
      unsent.push(fileError(item.path, error.failure))
    }
  }
  const names = files.flatMap(({ item, as }) =>
    as === item.path || as === item.name ? [] : [{ path: item.path, as }],
  )
  return { files, names, unsent }
}

/**
 * Returns the path of a file that doesn't need another name. The built-in service also receives the file's identity. Another service reads
 * any file at the path. For such a service, checks first that the file is still the same, if its identity is known.
 * @throws FailureError if another file is there now. The service reports a file that can't be read
 */
async function ownPath({ path, identity }: MediaItem, { isBuiltIn, signal }: NamingOptions): Promise<string> {
  signal.throwIfAborted()
  if (isBuiltIn || identity === undefined) return path
  try {
    await using _ = await openIdentified(path, identity)
  } catch (error) {
    if (error instanceof FailureError && error.failure.code === 'fileReplaced') throw error
  }
  return path
}

/**
 * Opens the original of a file that may need another name.
 * @param use gets the accepted name; undefined if the file can be submitted as it is
 * @throws FailureError
 */
async function withOriginal<T>(
  item: MediaItem,
  isBuiltIn: boolean,
  use: (original: Original, name: string | undefined) => Promise<T>,
): Promise<T> {
  await using original = await openIdentified(item.path, item.identity)
  return await use(original, acceptedNameOf(item, await headOf(original.file), isBuiltIn))
}

/**
 * Returns the accepted name for the file's current content, which may have changed since the file was added; undefined if the API accepts
 * the file's own name.
 */
function acceptedNameOf({ name, kind }: MediaItem, head: Uint8Array, isBuiltIn: boolean): string | undefined {
  const now = recognize(name, head)
  if (now.kind !== kind) throw new FailureError(failure('originalChanged'))
  const { format } = now
  if (isBuiltInFormat(format) && !isBuiltIn) {
    throw new FailureError(failure('builtInOnly', { format: BUILT_IN_FORMATS[format].name }))
  }
  // The built-in service decides by content if the API accepts the name.
  if (format === undefined || (isBuiltIn && mediaKindOf(name) === kind)) return undefined
  return withinLimit(acceptedName(name, format))
}

/** Maximum length of a file name on most file systems, in bytes. */
const MAX_NAME_BYTES = 255

/**
 * Shortens a name to the limit, because the accepted extension may be longer than the file's own. Services shorten the names of results at
 * least as much.
 */
function withinLimit(name: string): string {
  if (Buffer.byteLength(name) <= MAX_NAME_BYTES) return name
  const extension = extname(name)
  return cutToBytes(name.slice(0, -extension.length), MAX_NAME_BYTES - extension.length) + extension
}

type AliasOptions = Required<Pick<AliasesOptions, 'folder' | 'ways' | 'beforeLinkChange'>> & {
  readonly id: RecordId
  readonly notes: ReturnType<typeof aliasNotes>
  readonly signal: AbortSignal
}

/** Creates the aliases of one submission. Each volume gets one folder. */
function createAliases({ id, folder, notes, ways, beforeLinkChange, signal }: AliasOptions) {
  const before = notes.read(id)
  const folders = [...(before?.folders ?? [])]
  const names = [...(before?.names ?? [])]
  const known = new Map(names.map(({ path, as }) => [path, as]))
  const taken = new Set(names.map(({ as }) => comparable(as)))
  const perDevice = new Map<number, string>()

  async function aliasOf(item: MediaItem, original: Original, name: string): Promise<string> {
    try {
      const earlier = known.get(item.path)
      if (earlier !== undefined && basename(earlier) === name && (await isAliasOf(original, earlier)))
        return earlier
      const alias = await freePath(await folderFor(original), name)
      await beforeLinkChange(original.realPath, signal)
      await createAlias(original, alias, ways, signal)
      names.push({ path: item.path, as: alias })
      return alias
    } catch (error) {
      signal.throwIfAborted()
      throw new FailureError(whyNot(error, item), { cause: error })
    }
  }

  async function folderFor({ realPath, stats }: Original): Promise<string> {
    const device = Number(stats.dev)
    const made = perDevice.get(device)
    if (made !== undefined) return made
    await mkdir(folder, { recursive: true, mode: 0o700 })
    let failed: unknown
    for (const place of await placesFor(realPath, device, folder)) {
      try {
        const created = await createFolder(place)
        perDevice.set(device, created)
        return created
      } catch (error) {
        failed = error
      }
    }
    throw failed
  }

  async function createFolder(place: string): Promise<string> {
    const path = join(place, place === folder ? newFolderName() : `.${newFolderName()}`)
    const { dev: device } = await stat(place)
    folders.push({ path, device })
    notes.write(id, { folders, names })
    await createPrivateFolder(path)
    return path
  }

  /**
   * Returns an unused path. If several originals get the same name, each further one gets a subfolder, because its result should keep the
   * name.
   */
  async function freePath(inside: string, name: string): Promise<string> {
    for (let number = 1; ; number++) {
      const parent = number === 1 ? inside : join(inside, String(number))
      const path = join(parent, name)
      if (taken.has(comparable(path))) continue
      taken.add(comparable(path))
      if (number > 1) await mkdir(parent, { recursive: true, mode: 0o700 })
      return path
    }
  }

  return {
    aliasOf,
    /** Stores the names. They are needed to understand the service's responses after a restart. */
    noteNames() {
      if (names.length > (before?.names.length ?? 0)) notes.write(id, { folders, names })
    },
  }
}

const whyNot = (error: unknown, { name }: MediaItem): Failure =>
  error instanceof ReplacedError
    ? failure('fileReplaced', { name })
    : failure('notStaged', { reason: whyNotWritable(error) })
