/** Files of a watched folder from the moment that they are seen: they settle, are sorted, and what is new is submitted. */
import type { FoundFile } from './fingerprint.ts'
import type { OwnResults } from './own-results.ts'
import type { ProcessedFiles } from './processed-files.ts'
import { createSettlingFiles, type SettlingFiles, type SettlingFilesOptions } from './settling-files.ts'
import { createSubmitBatch, type SubmitBatchOptions } from './submit-batch.ts'
import { isInside } from './ignore-rules.ts'

export type NewFilesOptions = Omit<SettlingFilesOptions, 'onSettled'> &
  Omit<SubmitBatchOptions, 'store' | 'onChanged' | 'onNotStarted'> & {
    readonly store: ProcessedFiles
    readonly own: OwnResults
    /** Where files lie that may be taken; undefined while there is no such place. */
    readonly root: () => string | undefined
  }

export type NewFiles = Pick<SettlingFiles, 'see' | 'gone' | 'hurry' | 'hasUnreadable' | 'clear' | 'close'>

/** How long files wait that come where our own work is going on, or whose draft can't be started. */
const UNCLEAR_MS = 2_000
const NOT_STARTED_MS = 60_000

export function createNewFiles(options: NewFilesOptions): NewFiles {
  const { store, own, log } = options
  const { id } = options.folder()
  const settling = createSettlingFiles({
    ...options,
    onSettled: (files) => void options.inTurn(() => takeOrKeep(files)),
  })
  const batch = createSubmitBatch({
    ...options,
    onChanged: ({ path, fingerprint }) => settling.see(path, fingerprint),
    onNotStarted: (files) => settling.putOff(files, NOT_STARTED_MS),
  })

  /** A full disk, say, must not make us forget them. */
  async function takeOrKeep(files: readonly FoundFile[]): Promise<void> {
    try {
      await take(files)
    } catch (error) {
      log('watched files not sorted', { error: String(error) })
      settling.putOff(files, NOT_STARTED_MS)
    }
  }

  async function take(files: readonly FoundFile[]): Promise<void> {
    await own.refresh()
    const root = options.root()
    // Files of a folder that has gone are found again when it is back.
    if (root === undefined) return
    const { fresh, left, unclear } = sortFiles(files, { root, knows: (file) => store.knows(id, file), own })
    if (left.length > 0) store.leave(id, left)
    if (unclear.length > 0) settling.putOff(unclear, UNCLEAR_MS)
    if (fresh.length > 0) await batch.add(fresh)
  }

  return {
    ...settling,
    close() {
      batch.close()
      settling.close()
    },
  }
}

/** Files that have settled, each in at most one group; what is in none is known or lies where nothing is taken. */
export type SortedFiles = {
  readonly fresh: readonly FoundFile[]
  /** Results of ours, and files that only got another name: to be noted, and not taken. */
  readonly left: readonly FoundFile[]
  /** Our own work is going on where they lie, and may have made them. */
  readonly unclear: readonly FoundFile[]
}

export type SortFilesOptions = {
  readonly root: string
  readonly knows: (file: FoundFile) => ReturnType<ProcessedFiles['knows']>
  readonly own: Pick<OwnResults, 'isPassedOver' | 'judge'>
}

/** Tells what is new from what we made ourselves and what only got another name. */
export function sortFiles(files: readonly FoundFile[], { root, knows, own }: SortFilesOptions): SortedFiles {
  const judge = own.judge()
  const fresh: FoundFile[] = []
  const left: FoundFile[] = []
  const unclear: FoundFile[] = []
  for (const file of files) {
    if (!isInside(file.path, root) || own.isPassedOver(file.path, root)) continue
    switch (knows(file)) {
      case 'byPath':
        break
      case 'byInode':
        left.push(file)
        break
      case null:
        ;({ foreign: fresh, result: left, unclear })[judge(file)].push(file)
    }
  }
  return { fresh, left, unclear }
}
