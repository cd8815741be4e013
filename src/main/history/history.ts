import { endedJobsIn } from './ended-jobs.ts'
import { allRecords, exportCsv, exportJson } from './export-records.ts'
import { findings } from './find-records.ts'
import { openHistoryFile, type HistoryFileOptions } from './history-file.ts'
import { hooksIn, type HookRules } from './hook-queue.ts'
import { ledgerIn } from './ledger.ts'
import { measurements } from './measured-results.ts'
import { pastJobs } from './past-jobs.ts'
import { ownJobs } from './own-jobs.ts'
import { reads } from './read-records.ts'
import { refusalsIn } from './refusals.ts'
import { purgeRemoved, removals } from './remove-records.ts'
import { renamePreset, type PresetRename } from './renamed-presets.ts'
import { unfinishedRecords } from './unfinished-records.ts'
import { recordings } from './write-records.ts'

export type HistoryOptions = HistoryFileOptions & {
  /** The rules for actions after jobs; absent for no actions. */
  readonly hooks?: HookRules
}

export type History = ReturnType<typeof openHistory>

/**
 * Opens the history: what happened to every submission and job, even after the service has forgotten them (rule 4). Changes are on disk
 * when a method returns unless stated otherwise. Methods do nothing if the record doesn't exist. Moves a damaged file aside and reports it.
 * @throws NewerDatabase; the error from SQLite or the file system if no database can be created there
 */
export function openHistory({ hooks, ...options }: HistoryOptions) {
  const { clock } = options
  const file = openHistoryFile(options)
  const { read, record, version, setAside, tryWriting, isInPlace, close } = file
  const records = reads(file)
  read((tables) => purgeRemoved(tables, clock()))
  return {
    /** Path of the damaged file that was moved aside, or of its copy; null if the file was undamaged. */
    get setAside() {
      return setAside()
    },
    get version() {
      return version()
    },
    tryWriting,
    isInPlace,
    close,

    ...recordings(file, hooks),
    ...records,
    ...unfinishedRecords(file),
    ...ownJobs(file),
    ...findings(file),
    ...measurements(file),
    /** Returns how jobs have ended so far, including jobs that were deleted from the history. */
    endedJobs: () => read(endedJobsIn),
    ...removals(file, clock),
    /** The contents that earlier jobs have processed. */
    ledger: ledgerIn(file),
    /** Actions that run after jobs. */
    hooks: hooksIn(file),
    /** The paths that assistants weren't allowed to access. */
    refusals: refusalsIn(file),
    pastJobs: (of: Parameters<typeof pastJobs>[1]) => read((tables) => pastJobs(tables, of)),
    /** Renames a preset of the built-in service in new drafts from existing records. */
    renamePreset: (rename: PresetRename) => record((tables) => renamePreset(tables, rename)),
    /** Exports the history in chunks, newest record first. */
    exportJson: () => exportJson(allRecords(records)),
    exportCsv: () => exportCsv(allRecords(records)),
  }
}
