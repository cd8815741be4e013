/** Defines the states of a watched folder, and functions that read and change them. */
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { Baseline } from './baseline.ts'
import type { FoundFile } from './fingerprint.ts'
import type { Absence, Place } from './folder-presence.ts'
import type { ProcessedFiles } from './processed-files.ts'

/** A folder that is being watched. */
export type Tree = Place & { readonly stop: () => Promise<void> }

/** There is no closed state: after closing, nothing new starts. */
export type Folder =
  | { readonly kind: 'checking' }
  | { readonly kind: 'absent'; readonly why: Absence }
  | {
      readonly kind: 'scanning'
      readonly tree: Tree
      readonly baseline: Baseline
      /** Files that arrived before watching started and haven't been processed. This set and `uncertain` grow during the scan. */
      readonly fresh: Set<string>
      /** Files whose content decides whether they have been processed. */
      readonly uncertain: FoundFile[]
    }
  | { readonly kind: 'asking'; readonly tree: Tree; readonly files: ReadonlySet<string> }
  | { readonly kind: 'live'; readonly tree: Tree }

export const treeOf = (folder: Folder): Tree | undefined => ('tree' in folder ? folder.tree : undefined)

/**
 * Defers a file until the scan has finished if the decision about it depends on the scan.
 * @returns whether the file was deferred
 */
export function deferUntilScanned(
  folder: Folder,
  file: FoundFile,
  known: ReturnType<ProcessedFiles['knows']>,
): boolean {
  if (folder.kind !== 'scanning') return false
  folder.fresh.delete(file.path)
  if (known === 'perhaps') {
    folder.uncertain.push(file)
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

/** Removes a changed or missing file from the files that wait for the end of the scan or for the user's answer. */
export function withoutFile(folder: Folder, path: string): Folder {
  if (folder.kind === 'scanning') folder.fresh.delete(path)
  if (folder.kind !== 'asking' || !folder.files.has(path)) return folder
  const files = new Set(folder.files)
  files.delete(path)
  return files.size > 0 ? { ...folder, files } : { kind: 'live', tree: folder.tree }
}

export type FolderState = ReturnType<typeof createFolderState>

export function createFolderState(options: {
  readonly hasUnreadable: () => boolean
  /** Called once when a problem starts, even if it is detected repeatedly. */
  readonly onTrouble: (kind: Exclude<Absence, 'repeated'>) => void
  readonly onChange: () => void
}) {
  const { hasUnreadable, onTrouble, onChange } = options
  let folder: Folder = { kind: 'checking' }
  let reported: WatchFolderView['trouble'] = null

  const trouble = () => (folder.kind === 'absent' ? folder.why : hasUnreadable() ? 'unreadable' : null)

  /** Reports a change, and a problem if one has started. */
  function notify(): void {
    const now = trouble()
    // A repeated folder isn't a failure: another watched folder processes its files.
    if (now !== reported && now !== null && now !== 'repeated') onTrouble(now)
    reported = now
    onChange()
  }

  return {
    now: (): Folder => folder,
    /** Sets the state and reports it if it changed. */
    set(next: Folder): void {
      if (next === folder) return
      folder = next
      notify()
    },
    notify,
    trouble,
  }
}
