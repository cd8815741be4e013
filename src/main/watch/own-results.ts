/**
 * What keeps results out of the watched folders they are put into. A folder for results that lies inside a watched one is
 * passed over altogether. Where results are put into the watched folder itself, its new files wait while work of ours is
 * going on there: afterwards the service has said which of them it made.
 */
import { basename, dirname, extname } from 'node:path'
import { isInside } from './ignore-rules.ts'
import { realFolder } from './folder-presence.ts'
import type { FoundFile } from './fingerprint.ts'
import type { ProcessedFiles } from './processed-files.ts'

/** Work of ours that may put results into a local folder at any moment, from the time it is planned. */
export type RunningWork = { readonly outputFolder: string }

export type FinishedWork = {
  /** Absolute and local. */
  readonly outputFolder: string
  /** Paths of the inputs. */
  readonly inputs: readonly string[]
  /** Paths of the results, as far as the service has named them. */
  readonly results: readonly string[]
  /** False where it may have made more than that: it failed, was cancelled, or was forgotten. */
  readonly complete: boolean
  /** ms since 1970. */
  readonly since: number
  readonly until: number
}

export type Verdict = 'foreign' | 'result' | 'unclear'

export interface OwnResults {
  /** Where results go by what the person has chosen. */
  choose(folders: readonly string[]): Promise<void>
  /** Reads where results of work go now. */
  refresh(): Promise<void>
  /** Whether a path lies in a folder for results inside the watched folder. */
  isPassedOver(path: string, root: string): boolean
  /** Asked once for each group of files. */
  judge(): (file: FoundFile) => Verdict
  /** Written when it returns: work leaves `running` only with its results known. */
  note(work: FinishedWork): void
}

/** Clocks of network disks are not ours. */
const CLOCK_SLACK_MS = 60_000

export function createOwnResults(store: ProcessedFiles, running: () => readonly RunningWork[]): OwnResults {
  let chosen: readonly string[] = []
  let outputs: ReadonlySet<string> = new Set(store.outputs())
  const real = new Map<string, string>()

  const realNow = (folder: string): string => real.get(folder) ?? folder

  async function learn(folders: readonly string[]): Promise<string[]> {
    const wanted = [...new Set(folders)]
    for (const folder of wanted) real.set(folder, await realFolder(folder))
    return wanted.map(realNow)
  }

  async function refresh(): Promise<void> {
    const found = await learn([...chosen, ...running().map(({ outputFolder }) => outputFolder)])
    outputs = new Set([...store.outputs(), ...found])
  }

  /** By the time at which it got here: a result may bear the date of its original. */
  const isUncertain = ({ path, fingerprint: { changed } }: FoundFile): boolean =>
    foldersAbove(path)
      .flatMap((folder) => store.uncertainIn(folder))
      .some(
        ({ stems, since, until }) =>
          changed >= since - CLOCK_SLACK_MS &&
          changed <= until + CLOCK_SLACK_MS &&
          stems.some((stem) => isNamedAfter(path, stem)),
      )

  return {
    async choose(folders) {
      chosen = folders
      await refresh()
    },
    refresh,

    isPassedOver(path, root) {
      for (let folder = path; folder !== root && isInside(folder, root); folder = dirname(folder)) {
        if (outputs.has(folder)) return true
      }
      return false
    },

    judge() {
      const busy = new Set(running().flatMap(({ outputFolder }) => [outputFolder, realNow(outputFolder)]))
      return (file) => {
        const noted = store.resultNotedAt(file.path)
        // What was written there later is somebody else's, and new.
        if (noted !== undefined && file.fingerprint.mtime <= noted + CLOCK_SLACK_MS) return 'result'
        // A preset may keep the folders of its inputs, so that results come into folders below.
        if (foldersAbove(file.path).some((folder) => busy.has(folder))) return 'unclear'
        return isUncertain(file) ? 'result' : 'foreign'
      }
    },

    note({ outputFolder, inputs, results, complete, since, until }) {
      const folder = realNow(outputFolder)
      store.noteResults([...results, ...results.map((path) => realResult(path, outputFolder, folder))], until)
      store.noteOutput(folder)
      outputs = new Set([...outputs, folder])
      if (complete || inputs.length === 0) return
      const stems = [...new Set(inputs.map(stemOf))]
      store.noteUncertain({ outputFolder: folder, stems, since, until })
    },
  }
}

const realResult = (path: string, named: string, real: string): string =>
  isInside(path, named) ? real + path.slice(named.length) : path

/** The nearest first. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
}

const stemOf = (path: string): string => basename(path, extname(path))

/** `tower.jpg` gives `tower-web-2048.jpg` or `tower_1.jpg`, but not `tower2.jpg` and not `tower.jpg` itself. */
function isNamedAfter(path: string, stem: string): boolean {
  const own = stemOf(path)
  return own.length > stem.length && own.startsWith(stem) && !/[\p{L}\p{N}]/u.test(own.charAt(stem.length))
}
