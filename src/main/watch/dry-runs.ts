/** Runs dry runs of folders' rules: at most one for each folder. */
import type { DryRun } from '../../shared/model/dry-run.ts'
import { trustedNewPath } from '../../node/trusted-path.ts'
import type { FolderSettings } from './folder-settings.ts'
import type { OwnResults } from './own-results.ts'
import { dryRunRules } from './dry-run.ts'

export function createDryRuns(options: {
  readonly folders: Pick<FolderSettings, 'all' | 'rulesOf'>
  readonly own: Pick<OwnResults, 'refresh' | 'isResult'>
  readonly clock: () => number
  readonly onChange: () => void
}) {
  const { folders, own, clock, onChange } = options
  const running = new Map<string, { readonly controller: AbortController; files: number }>()

  return {
    /**
     * Determines which rules the files in a folder match now. Doesn't start any jobs. Stops an earlier dry run of the folder.
     * @returns undefined if there is no such folder, or if its rules can't be read
     * @throws the file system's error if the folder can't be read
     */
    run: async (id: string): Promise<DryRun | undefined> => {
      const folder = folders.all().find((one) => one.id === id)
      const rules = folders.rulesOf(id)
      if (folder === undefined || rules === null) return undefined
      running.get(id)?.controller.abort()
      const run = { controller: new AbortController(), files: 0 }
      running.set(id, run)
      onChange()
      try {
        await own.refresh()
        return await dryRunRules({
          root: await trustedNewPath(folder.path),
          recursive: folder.recursive,
          rules,
          own,
          now: clock(),
          signal: run.controller.signal,
          onProgress(files) {
            run.files = files
            onChange()
          },
        })
      } finally {
        if (running.get(id) === run) running.delete(id)
        onChange()
      }
    },
    /** Ends a dry run early. Its result has the files found so far. */
    stop: (id: string): void => running.get(id)?.controller.abort(),
    /** Returns the number of files that a running dry run has read; null if there is none. */
    progressOf: (id: string): number | null => running.get(id)?.files ?? null,
    stopAll: (): void => {
      for (const { controller } of running.values()) controller.abort()
    },
  }
}
