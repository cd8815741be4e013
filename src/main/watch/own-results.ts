/**
 * Prevents results from being processed again in watched folders. An output folder inside a watched folder is excluded entirely,
 * unless it contains originals too. If jobs write results to the watched folder itself or next to originals, new files wait there
 * until those jobs have finished. By then the service has reported which files it created.
 */
import { basename, dirname, extname } from 'node:path'
import { plainName } from '../../shared/paths.ts'
import { isInside } from './ignore-rules.ts'
import { realFolder } from './folder-presence.ts'
import type { FoundFile } from './fingerprint.ts'
import type { ProcessedFiles } from './processed-files.ts'

/** One of our jobs or submissions that may write results to a local folder at any time. Included as soon as it is planned. */
export type RunningWork = {
  readonly outputFolder: string
  /** Whether its originals are in the output folder too. */
  readonly holdsOriginals?: boolean
}

export type FinishedWork = {
  /** Absolute local path. */
  readonly outputFolder: string
  /** Paths of the inputs. */
  readonly inputs: readonly string[]
  /** Paths of the results that the service has reported. */
  readonly results: readonly string[]
  /** Whether the service reported all results of the job. False if the job failed, was canceled or was forgotten. */
  readonly complete: boolean
  /** Milliseconds since 1970. */
  readonly since: number
  readonly until: number
}

export type FileOrigin = 'foreign' | 'result' | 'unclear'

export interface OwnResults {
  /** Sets the output folders that the user's settings name. */
  choose(folders: readonly string[]): Promise<void>
  /** Updates the output folders of current jobs and submissions. */
  refresh(): Promise<void>
  /** Whether a path is in an output folder inside the watched folder. */
  isExcluded(path: string, root: string): boolean
  /** Whether a file is a result that is known by its path. Doesn't look for jobs that this process has missed. */
  isNotedResult(file: FoundFile): boolean
  /** Creates a function that classifies the files of one group. */
  createClassifier(): (file: FoundFile) => FileOrigin
  /**
   * Records a finished job durably before returning. Call it before the job leaves `running`, so that its results are never
   * unknown.
   */
  note(work: FinishedWork): void
}

export type OwnWork = {
  /** Returns our own jobs and submissions that write to a local folder and are waiting, being sent or unfinished. */
  readonly running: () => readonly RunningWork[]
  /**
   * Returns the jobs of any process that wrote to this output folder and have finished since the given time. Includes the jobs that
   * have left `running`.
   * @param since milliseconds since 1970
   */
  readonly endedInto: (outputFolder: string, since: number) => readonly FinishedWork[]
}

/** Tolerance in ms. Network disks have their own clocks. */
const CLOCK_SLACK_MS = 60_000

/** How long before a file's arrival, in ms, a query for finished jobs starts. The same query then also covers older files. */
const LEARNED_MS = 24 * 60 * 60 * 1000
/** Maximum time in ms between the end of a job, by the service's clock, and the time when it is recorded. */
const LATE_MS = 2 * CLOCK_SLACK_MS

export function createOwnResults(store: ProcessedFiles, { running, endedInto }: OwnWork): OwnResults {
  /** For each folder, the period in which all finished jobs are known. */
  const learned = new Map<string, { readonly from: number; readonly to: number }>()
  let chosen: readonly string[] = []
  let outputs: ReadonlySet<string> = new Set(store.outputs())
  const real = new Map<string, string>()

  const realNow = (folder: string): string => real.get(folder) ?? folder

  async function learn(folders: readonly string[]): Promise<void> {
    for (const folder of new Set(folders)) real.set(folder, await realFolder(folder))
  }

  async function refresh(): Promise<void> {
    const works = running()
    await learn([...chosen, ...works.map(({ outputFolder }) => outputFolder)])
    const withoutOriginals = works.filter(({ holdsOriginals }) => holdsOriginals !== true)
    const excluded = [...chosen, ...withoutOriginals.map(({ outputFolder }) => outputFolder)]
    outputs = new Set([...store.outputs(), ...excluded.map(realNow)])
  }

  /**
   * Loads finished jobs that this process has missed: jobs of the command line, and jobs that ended after the app had crashed. Call
   * this after `running`, so that a job that finishes in between isn't missed.
   * @param asked folders already queried for this group, with the start of the queried period
   */
  function learnEnded(file: FoundFile, asked: Map<string, number>): void {
    const since = arrivedAt(file) - CLOCK_SLACK_MS
    for (const folder of foldersAbove(file.path)) {
      const named = [...real].filter(([, now]) => now === folder).map(([name]) => name)
      for (const name of new Set([folder, ...named]))
        if ((asked.get(name) ?? Number.POSITIVE_INFINITY) > since)
          asked.set(name, learnEndedInto(name, since))
    }
  }

  /** @returns the start of the period in which all finished jobs are known */
  function learnEndedInto(folder: string, since: number): number {
    const known = learned.get(folder)
    const covers = known !== undefined && known.from <= since ? known : undefined
    const from = covers?.from ?? since - LEARNED_MS
    const ended = endedInto(folder, covers === undefined ? from : covers.to - LATE_MS)
    noteWork(ended)
    const to = ended.reduce((last, { until }) => Math.max(last, until), known?.to ?? from)
    learned.set(folder, { from, to })
    return from
  }

  function noteWork(works: readonly FinishedWork[]): void {
    const results = works.flatMap(({ outputFolder, results: paths, until }) => {
      const all = [...paths, ...paths.map((path) => realResult(path, outputFolder, realNow(outputFolder)))]
      return all.map((path) => ({ path, at: until }))
    })
    store.noteResults(results)
    for (const { outputFolder, inputs, complete, since, until } of works) {
      if (complete || inputs.length === 0) continue
      const stems = [...new Set(inputs.map(stemOf))]
      store.noteUncertain({ outputFolder: realNow(outputFolder), stems, since, until })
    }
  }

  /** A file that arrived later is new even if its modification time is older, because copying may preserve that time. */
  function isNotedResult(file: FoundFile): boolean {
    const noted = store.resultNotedAt(file.path)
    return noted !== undefined && arrivedAt(file) <= noted + CLOCK_SLACK_MS
  }

  /** Compares arrival times, because a result may have the modification time of its original. */
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

    isExcluded(path, root) {
      for (let folder = path; folder !== root && isInside(folder, root); folder = dirname(folder)) {
        if (outputs.has(folder)) return true
      }
      return false
    },

    isNotedResult,

    createClassifier() {
      const busy = new Set(running().flatMap(({ outputFolder }) => [outputFolder, realNow(outputFolder)]))
      const asked = new Map<string, number>()
      return (file) => {
        learnEnded(file, asked)
        if (isNotedResult(file)) return 'result'
        // A preset may preserve the inputs' folder structure, so results can be in subfolders.
        if (foldersAbove(file.path).some((folder) => busy.has(folder))) return 'unclear'
        return isUncertain(file) ? 'result' : 'foreign'
      }
    },

    note(work) {
      const folder = realNow(work.outputFolder)
      noteWork([work])
      if (work.inputs.some((input) => [folder, work.outputFolder].includes(dirname(input)))) return
      store.noteOutput(folder)
      outputs = new Set([...outputs, folder])
    },
  }
}

/** Uses the later of the two times, because some file systems don't store the change time. */
const arrivedAt = ({ fingerprint: { changed, mtime } }: FoundFile): number => Math.max(changed, mtime)

const realResult = (path: string, named: string, real: string): string =>
  isInside(path, named) ? real + path.slice(named.length) : path

/** Returns all parent folders, nearest first. */
function foldersAbove(path: string): string[] {
  const folder = dirname(path)
  return folder === path ? [] : [folder, ...foldersAbove(folder)]
}

/** Normalizes a name the way the built-in service does for its results. */
const stemOf = (path: string): string => plainName(basename(path, extname(path)))

/**
 * Whether a file is named after an input: `tower.jpg` matches `tower-web-2048.jpg` and `tower_1.jpg`, but not `tower2.jpg` or
 * itself.
 */
function isNamedAfter(path: string, stem: string): boolean {
  const own = stemOf(path)
  return own.length > stem.length && own.startsWith(stem) && !/[\p{L}\p{N}]/u.test(own.charAt(stem.length))
}
