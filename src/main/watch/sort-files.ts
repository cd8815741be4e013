import type { FoundFile } from './fingerprint.ts'
import { isInside } from './ignore-rules.ts'
import type { OwnResults } from './own-results.ts'
import type { ProcessedFiles } from './processed-files.ts'

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
