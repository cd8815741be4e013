/** Decides for each file in a watched folder whether to process it, defer it until the scan has finished, or ask the user. */
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import { fingerprintFiles, type FoundFile, withContent } from './fingerprint.ts'
import { type Folder, type FolderState, deferUntilScanned, type Tree, withoutFile } from './folder-state.ts'
import type { NewFiles } from './new-files.ts'
import type { ProcessedFiles } from './processed-files.ts'
import type { Sample } from './unstable-files.ts'
import type { UnusableEntries } from './unusable-entries.ts'

export type FoundFiles = ReturnType<typeof createFoundFiles>

type Scanning = Extract<Folder, { readonly kind: 'scanning' }>

/** Differs from every real sample, so the first check treats the file as changed. */
const NO_SAMPLE: Sample = { size: -1, mtime: -1 }

const MOST_SHOWN = 10

const firstOf = (paths: readonly string[]): WatchFolderView['unprocessed'] => ({
  count: paths.length,
  paths: paths.slice(0, MOST_SHOWN),
})

export function createFoundFiles(options: {
  readonly folderId: string
  readonly store: Pick<
    ProcessedFiles,
    'knows' | 'sameAs' | 'leave' | 'isNew' | 'markScanned' | 'count' | 'retries' | 'isRetried'
  >
  readonly files: {
    readonly deferred: Pick<NewFiles['deferred'], 'see' | 'endScan' | 'recheck' | 'waiting'>
  } & Pick<NewFiles, 'see' | 'gone' | 'clear' | 'unreadable' | 'empty' | 'open'> &
    Pick<UnusableEntries, 'special' | 'ignored'>
  readonly state: Pick<FolderState, 'now' | 'set' | 'notify'>
  /** Maximum number of files that are processed without asking the user if they arrived while the folder wasn't watched. */
  readonly many: number
  readonly onQuestion: (files: number) => void
}) {
  const { folderId, store, files, state } = options
  const links = new Set<string>()

  /** Reads the uncertain files and decides by their content. The scan may add further uncertain files meanwhile. */
  async function decideUncertain({ uncertain, fresh, baseline }: Scanning): Promise<void> {
    for (let file = uncertain.shift(); file !== undefined; file = uncertain.shift()) {
      const read = await withContent(file)
      const sameAs = read && store.sameAs(folderId, read)
      if (read !== undefined && sameAs !== undefined) store.leave(folderId, [{ ...read, sameAs }])
      else if (baseline.has(file)) fresh.add(file.path)
      else files.see(file.path, NO_SAMPLE)
    }
  }

  return {
    /** Handles a file that was found or has changed. */
    see: (file: FoundFile): void => {
      const known = store.knows(folderId, file)
      if (known === 'same') return
      // The user isn't asked about files that were waiting before the app was closed.
      const isDeferred = files.deferred.see(file) || store.isRetried(folderId, file.path)
      if (!isDeferred && deferUntilScanned(state.now(), file, known)) return
      state.set(withoutFile(state.now(), file.path))
      files.see(file.path, file.fingerprint)
    },

    /** Counts a symlink that points outside the folder. */
    seeLink: (path: string): void => {
      links.add(path)
      state.notify()
    },

    /** Clears all state after the folder has been replaced or has disappeared. */
    clear: (): void => {
      files.clear()
      links.clear()
    },

    counts: () => ({
      taken: store.count(folderId),
      links: firstOf([...links].toSorted()),
      special: firstOf(files.special()),
      ignored: firstOf(files.ignored()),
      empty: firstOf(files.empty()),
      waiting: [...files.deferred.waiting()].map(([preset, count]) => ({ preset, files: count })),
      unprocessed: firstOf(files.unreadable()),
      retried: firstOf(store.retries(folderId).map(({ path }) => path)),
      open: { ...firstOf(files.open().paths), isLong: files.open().isLong },
    }),

    gone: (path: string): void => {
      if (links.delete(path)) state.notify()
      files.gone(path)
      state.set(withoutFile(state.now(), path))
    },

    /** Call this when all files that existed at the start have been reported. */
    endScan: async (tree: Tree): Promise<void> => {
      const folder = state.now()
      if (folder.kind !== 'scanning' || folder.tree !== tree) return
      await decideUncertain(folder)
      if (state.now() !== folder) return
      const { fresh } = folder
      files.deferred.endScan()
      const isNew = store.isNew(folderId)
      if (fresh.size > options.many || (isNew && fresh.size > 0)) {
        state.set({ kind: 'asking', tree, files: fresh })
        options.onQuestion(fresh.size)
        return
      }
      if (isNew) store.markScanned(folderId)
      state.set({ kind: 'live', tree })
      for (const path of fresh) files.see(path, NO_SAMPLE)
    },

    /** @param take whether to process files that arrived while the folder wasn't watched */
    answer: async (take: boolean): Promise<void> => {
      const folder = state.now()
      if (folder.kind !== 'asking') return
      if (take) for (const path of folder.files) files.see(path, NO_SAMPLE)
      else store.leave(folderId, await fingerprintFiles([...folder.files]))
      store.markScanned(folderId)
      state.set({ kind: 'live', tree: folder.tree })
    },
  }
}
