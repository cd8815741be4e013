/**
 * Decides which files may be opened, shown, dragged out, previewed and measured. These are known files whose content is a photo, a video
 * or, for results, audio. The names of results must also match their content.
 */
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isBelow } from '../../node/contained-path.ts'
import { isAudioFile } from '../../node/audio-file.ts'
import { type FileIdentity, openIdentified } from '../../node/file-identity.ts'
import { headOf, readMediaContent } from '../../node/media-content.ts'
import { recognize } from '../../node/recognize-media.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { resultKindOf } from '../../shared/media-types.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { PartDetails, PartTitle } from '../../shared/model/job.ts'

/**
 * A file or folder that the renderer may name: the user's inputs, their results and the selected folders. This limits what a compromised
 * page can access, and prevents a service from declaring an arbitrary file as its result.
 */
type KnownPath =
  /** Provided by the user: dropped, selected in a dialog, pasted, or found in a watched folder. */
  | {
      readonly kind: 'input'
      /** Identity of the file that the user added, if noted. */
      readonly identity?: FileIdentity | undefined
    }
  /** Reported by a service as its output. Only trusted below the job's output folder. */
  | { readonly kind: 'result'; readonly below: string }
  /**
   * An output or watched folder, or one whose disk is full. It can be opened in the file manager, but the files in it aren't known files.
   */
  | { readonly kind: 'folder' }

export type KnownPaths = ReturnType<typeof createKnownPaths>

export function createKnownPaths(state: () => AppState) {
  const files = new Map<string, KnownPath>()
  const folders = new Set<string>()

  const learnInput = (path: string | null) => {
    if (path !== null && path !== '' && files.get(path)?.kind !== 'input') files.set(path, { kind: 'input' })
  }
  function learnTitles(titles: readonly PartTitle[]): void {
    for (const { firstPath, output } of titles) {
      learnInput(firstPath)
      if (output?.kind === 'folder') folders.add(output.path)
    }
  }
  function inDraft(path: string): KnownPath | undefined {
    const { source } = state().draft
    const item = source.kind === 'files' ? source.items.find((one) => one.path === path) : undefined
    return item && { kind: 'input', identity: item.identity }
  }
  const isFolder = (path: string): boolean => {
    const { draft, settings } = state()
    return (
      folders.has(path) ||
      (draft.output.kind === 'folder' && draft.output.path === path) ||
      settings.watchFolders.some((watched) => watched.path === path)
    )
  }

  const isInNotice = (path: string): boolean =>
    state().notices.some((notice) => notice.kind === 'diskFull' && notice.folder === path)

  return {
    find(path: string): KnownPath | undefined {
      const drafted = inDraft(path)
      if (drafted !== undefined) return drafted
      if (!files.has(path) && !folders.has(path)) learnTitles([...state().jobs, ...state().outbox])
      return files.get(path) ?? (isFolder(path) || isInNotice(path) ? { kind: 'folder' } : undefined)
    },
    learnInput,
    learnTitles,
    learnDetails(record: PartDetails): void {
      learnTitles([record])
      for (const { path, identity } of record.inputs) files.set(path, { kind: 'input', identity })
      const { output } = record
      if (output?.kind !== 'folder') return
      for (const { outputPath } of record.results)
        if (files.get(outputPath)?.kind !== 'input')
          files.set(outputPath, { kind: 'result', below: folderOf(record, outputPath, output.path) })
    },
  }
}

/**
 * Returns the folder that must contain a result: the job's output folder or, once originals were replaced, the folder to which the vault
 * moved the result.
 */
export const folderOf = (
  { replaced }: Pick<PartDetails, 'replaced'>,
  resultPath: string,
  outputFolder: string,
): string => (replaced === null ? outputFolder : dirname(resultPath))

export type Access =
  | {
      readonly kind: 'allowed'
      /** Bytes. */
      readonly size: number
      /** Identity of the checked file. Prevents reading a different file at this path. Empty for a folder. */
      readonly identity: FileIdentity
    }
  /** The renderer wasn't given this path, or a service reported it as a result outside the job's folder. The file wasn't opened. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'gone' }
  /** The file isn't of a supported type, doesn't match its name or has replaced the input, or the path should be a folder and isn't. */
  | { readonly kind: 'notMedia' }

export type FileAccess = ReturnType<typeof createFileAccess>

const FOREIGN = { kind: 'foreign' } as const
const GONE = { kind: 'gone' } as const
const NOT_MEDIA = { kind: 'notMedia' } as const

export function createFileAccess(
  known: Pick<KnownPaths, 'find'>,
  platform: NodeJS.Platform = process.platform,
) {
  /** Checks the path's text first, then its real location, because a link may point anywhere. */
  async function isWhereItBelongs(path: string, found: KnownPath): Promise<boolean> {
    if (found.kind !== 'result') return true
    const folder = await realpath(found.below).catch(() => found.below)
    if (!isBelow(path, found.below, platform) && !isBelow(path, folder, platform)) return false
    return isBelow(await realpath(path), folder, platform)
  }

  async function read(path: string, found: KnownPath): Promise<Access> {
    try {
      if (!(await isWhereItBelongs(path, found))) return FOREIGN
      await using opened = await openIdentified(path, found.kind === 'input' ? found.identity : undefined)
      const { file, stats, identity } = opened
      const allowed = { kind: 'allowed', size: Number(stats.size), identity } as const
      const head = await headOf(file)
      const kind = found.kind === 'input' ? recognize(path, head).kind : resultKindOf(path)
      if (kind === 'audio') return (await isAudioFile(path)) ? allowed : NOT_MEDIA
      return kind !== undefined && readMediaContent(head)?.kind === kind ? allowed : NOT_MEDIA
    } catch (error) {
      return error instanceof FailureError && error.cause === undefined ? NOT_MEDIA : GONE
    }
  }

  async function toFile(path: string): Promise<Access> {
    const found = known.find(path)
    return found === undefined || found.kind === 'folder' ? FOREIGN : read(path, found)
  }

  return {
    /** Checks access to a known photo, video or audio file. Never throws. */
    toFile,
    /**
     * Checks access to a file that a service reported as a result, even if the renderer doesn't know it. Never throws.
     * @param folder the job's output folder
     */
    toResult: (path: string, folder: string): Promise<Access> =>
      read(path, { kind: 'result', below: folder }),
    /** Checks access to a known file or folder, to show it in the file manager. Never throws. */
    toPlace: (path: string): Promise<Access> =>
      known.find(path)?.kind === 'folder' ? toFolder(path) : toFile(path),
  }
}

async function toFolder(path: string): Promise<Access> {
  const folder = await stat(path).catch(() => undefined)
  if (folder === undefined) return GONE
  return folder.isDirectory() ? { kind: 'allowed', size: 0, identity: '' } : NOT_MEDIA
}
