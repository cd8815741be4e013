/** What may be opened, shown, dragged out, pictured and measured: known files that are photos or videos, by name and content. */
import { realpath, stat } from 'node:fs/promises'
import { isBelow } from '../../node/contained-path.ts'
import { mediaContentOf } from '../../node/media-content.ts'
import { resultKindOf } from '../../shared/media-types.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { RecordDetails, WorkTitle } from '../../shared/model/work.ts'

/**
 * The files and folders that the page may name: what people brought in, what came of it, and the folders that they chose. A
 * page that names another one, because something was injected into it, gets nothing, and so does a service that calls
 * another file its result.
 */
type KnownPath =
  /** Came from a person: dropped, picked in a dialog, pasted, or found in a watched folder. */
  | { readonly kind: 'input' }
  /** A service says that it made this file; true only below the folder that the job was given. */
  | { readonly kind: 'result'; readonly below: string }
  /** Where results go, or what is watched. It can be shown, and never makes a file known. */
  | { readonly kind: 'folder' }

export interface KnownPaths {
  find(path: string): KnownPath | undefined
  /** A person has chosen it in a dialog, or brought it. */
  learnInput(path: string): void
  learnDetails(record: RecordDetails): void
  learnTitles(titles: readonly WorkTitle[]): void
}

export function createKnownPaths(state: () => AppState): KnownPaths {
  const files = new Map<string, KnownPath>()
  const folders = new Set<string>()

  const learnInput = (path: string | null) => {
    if (path !== null && path !== '') files.set(path, { kind: 'input' })
  }
  function learnTitles(titles: readonly WorkTitle[]): void {
    for (const { firstPath, output } of titles) {
      learnInput(firstPath)
      if (output?.kind === 'folder') folders.add(output.path)
    }
  }
  const isInDraft = (path: string): boolean => {
    const { source } = state().draft
    return source.kind === 'files' && source.items.some((item) => item.path === path)
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
    find(path) {
      if (isInDraft(path)) return { kind: 'input' }
      if (!files.has(path) && !folders.has(path)) learnTitles([...state().jobs, ...state().outbox])
      return files.get(path) ?? (isFolder(path) || isInNotice(path) ? { kind: 'folder' } : undefined)
    },
    learnInput,
    learnTitles,
    learnDetails(record) {
      learnTitles([record])
      for (const { path } of record.inputs) learnInput(path)
      const { output } = record
      if (output?.kind !== 'folder') return
      for (const { outputPath } of record.results)
        if (files.get(outputPath)?.kind !== 'input')
          files.set(outputPath, { kind: 'result', below: output.path })
    },
  }
}

export type Access =
  | { readonly kind: 'allowed'; /** Bytes. */ readonly size: number }
  /** The page was not told of it, or a service names it outside the folder that its job was given. Nothing was touched. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'gone' }
  /** Something else than its name says, or nothing that this app deals with. */
  | { readonly kind: 'notMedia' }

export interface FileAccess {
  /** Of a photo or video. Never throws. */
  toFile(path: string): Promise<Access>
  /** Of a photo or video, or of a folder, to show where it is. Never throws. */
  toPlace(path: string): Promise<Access>
}

export type FileAccessOptions = {
  readonly known: Pick<KnownPaths, 'find'>
  readonly platform: NodeJS.Platform
}

const FOREIGN = { kind: 'foreign' } as const
const GONE = { kind: 'gone' } as const
const NOT_MEDIA = { kind: 'notMedia' } as const

export function createFileAccess({ known, platform }: FileAccessOptions): FileAccess {
  /** First by the words alone; then, as a link may lead anywhere, by where the file really is. */
  async function isWhereItBelongs(path: string, found: KnownPath): Promise<boolean> {
    if (found.kind !== 'result') return true
    const folder = await realpath(found.below).catch(() => found.below)
    if (!isBelow(path, found.below, platform) && !isBelow(path, folder, platform)) return false
    return isBelow(await realpath(path), folder, platform)
  }

  async function toFile(path: string): Promise<Access> {
    const found = known.find(path)
    if (found === undefined || found.kind === 'folder') return FOREIGN
    try {
      if (!(await isWhereItBelongs(path, found))) return FOREIGN
      const file = await stat(path)
      const kind = resultKindOf(path)
      if (!file.isFile() || kind === undefined) return NOT_MEDIA
      const content = await mediaContentOf(path)
      return content?.kind === kind ? { kind: 'allowed', size: file.size } : NOT_MEDIA
    } catch {
      return GONE
    }
  }

  return {
    toFile,
    toPlace: (path) => (known.find(path)?.kind === 'folder' ? toFolder(path) : toFile(path)),
  }
}

async function toFolder(path: string): Promise<Access> {
  const folder = await stat(path).catch(() => undefined)
  if (folder === undefined) return GONE
  return folder.isDirectory() ? { kind: 'allowed', size: 0 } : NOT_MEDIA
}
