/** What a watched folder can be, and what follows from that alone. */
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { Baseline } from './baseline.ts'
import type { FoundFile } from './fingerprint.ts'
import type { Absence, Place } from './folder-presence.ts'
import type { ProcessedFiles } from './processed-files.ts'

/** A place that is followed. */
export type Tree = Place & { readonly stop: () => Promise<void> }

/** Closing is none of these: from then on nothing begins. */
export type Folder =
  | { readonly kind: 'checking' }
  | { readonly kind: 'absent'; readonly why: Absence; readonly wasMount: boolean }
  | {
      readonly kind: 'scanning'
      readonly tree: Tree
      readonly baseline: Baseline
      /** New, and there before it was watched. Grows with the scan, as does the next. */
      readonly fresh: Set<string>
      /** Processed before, under another name. */
      readonly renamed: FoundFile[]
    }
  | { readonly kind: 'asking'; readonly tree: Tree; readonly files: ReadonlySet<string> }
  | { readonly kind: 'live'; readonly tree: Tree }

export const treeOf = (folder: Folder): Tree | undefined => ('tree' in folder ? folder.tree : undefined)

/** Whether a disk is, or was, mounted there. */
export const isOnMount = (folder: Folder): boolean =>
  folder.kind === 'absent' ? folder.wasMount : treeOf(folder)?.isMount === true

/** @returns whether it is kept: the end of the scan decides about it */
export function keepUntilScanned(
  folder: Folder,
  file: FoundFile,
  known: ReturnType<ProcessedFiles['knows']>,
): boolean {
  if (folder.kind !== 'scanning') return false
  folder.fresh.delete(file.path)
  if (known === 'byInode') {
    folder.renamed.push(file)
    return true
  }
  if (!folder.baseline.has(file)) return false
  folder.fresh.add(file.path)
  return true
}

export const viewOf = (folder: Folder): Pick<WatchFolderView, 'scanning' | 'question'> => ({
  scanning: folder.kind === 'checking' || folder.kind === 'scanning',
  question: folder.kind === 'asking' ? folder.files.size : null,
})

/** A file has changed or gone: nobody is asked about what it was. */
export function withoutFile(folder: Folder, path: string): Folder {
  if (folder.kind === 'scanning') folder.fresh.delete(path)
  if (folder.kind !== 'asking' || !folder.files.has(path)) return folder
  const files = new Set(folder.files)
  files.delete(path)
  return files.size > 0 ? { ...folder, files } : { kind: 'live', tree: folder.tree }
}

export type FolderState = {
  now(): Folder
  /** Told where it is something else. */
  become(next: Folder): void
  /** Something else about it may have changed than what it is. */
  tell(): void
  trouble(): WatchFolderView['trouble']
}

export type FolderStateOptions = {
  readonly hasUnreadable: () => boolean
  /** Once when it begins, however often it is seen. */
  readonly onTrouble: (kind: Absence) => void
  readonly onChange: () => void
}

export function createFolderState({ hasUnreadable, onTrouble, onChange }: FolderStateOptions): FolderState {
  let folder: Folder = { kind: 'checking' }
  let told: WatchFolderView['trouble'] = null

  const trouble = () => (folder.kind === 'absent' ? folder.why : hasUnreadable() ? 'unreadable' : null)

  function tell(): void {
    const now = trouble()
    if (now !== told && now !== null) onTrouble(now)
    told = now
    onChange()
  }

  return {
    now: () => folder,
    become(next) {
      if (next === folder) return
      folder = next
      tell()
    },
    tell,
    trouble,
  }
}
