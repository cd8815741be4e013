/** What becomes of a file that is found in a watched folder: it is taken, waits for the end of the scan, or is asked about. */
import { fingerprintFiles, type FoundFile } from './fingerprint.ts'
import { type FolderState, keepUntilScanned, type Tree, withoutFile } from './folder-state.ts'
import type { NewFiles } from './new-files.ts'
import type { ProcessedFiles } from './processed-files.ts'
import type { Sample } from './settling-files.ts'

export type FoundFilesOptions = {
  readonly folderId: string
  readonly store: Pick<ProcessedFiles, 'knows' | 'leave' | 'isNew' | 'markScanned'>
  readonly files: Pick<NewFiles, 'see' | 'gone'>
  readonly state: Pick<FolderState, 'now' | 'become'>
  /** More files than this that came unwatched are taken only after a question. */
  readonly many: number
  readonly onQuestion: (files: number) => void
}

export type FoundFiles = {
  /** It is there, or has changed. */
  readonly see: (file: FoundFile) => void
  readonly gone: (path: string) => void
  /** All that was there at the start has been seen. */
  readonly endScan: (tree: Tree) => void
  /** @param take whether the files that came while nobody watched are taken */
  readonly answer: (take: boolean) => Promise<void>
}

/** Like no sample of a file: it counts as changed when it is checked. */
const NO_SAMPLE: Sample = { size: -1, mtime: -1 }

export function createFoundFiles(options: FoundFilesOptions): FoundFiles {
  const { folderId, store, files, state } = options

  return {
    see(file) {
      const known = store.knows(folderId, file)
      if (known === 'byPath' || keepUntilScanned(state.now(), file, known)) return
      state.become(withoutFile(state.now(), file.path))
      files.see(file.path, file.fingerprint)
    },

    gone(path) {
      files.gone(path)
      state.become(withoutFile(state.now(), path))
    },

    endScan(tree) {
      const folder = state.now()
      if (folder.kind !== 'scanning' || folder.tree !== tree) return
      const { fresh, renamed } = folder
      if (renamed.length > 0) store.leave(folderId, renamed)
      const isNew = store.isNew(folderId)
      if (fresh.size > options.many || (isNew && fresh.size > 0)) {
        state.become({ kind: 'asking', tree, files: fresh })
        options.onQuestion(fresh.size)
        return
      }
      if (isNew) store.markScanned(folderId)
      state.become({ kind: 'live', tree })
      for (const path of fresh) files.see(path, NO_SAMPLE)
    },

    async answer(take) {
      const folder = state.now()
      if (folder.kind !== 'asking') return
      if (take) for (const path of folder.files) files.see(path, NO_SAMPLE)
      else store.leave(folderId, await fingerprintFiles([...folder.files]))
      store.markScanned(folderId)
      state.become({ kind: 'live', tree: folder.tree })
    },
  }
}
