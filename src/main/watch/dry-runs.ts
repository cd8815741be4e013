/** Runs dry runs of folders' rules: at most one for each folder. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { DryRun, DryRunFile } from '../../shared/model/dry-run.ts'
import { trustedNewPath } from '../../node/trusted-path.ts'
import { forEachLimited } from '../../node/limited.ts'
import { withMedia } from '../../node/media-header/open-media.ts'
import type { FolderRules } from '../../shared/model/folder-rules.ts'
import { createRuleMatcher, type FileMatch, matchFile, type RuleMatcher } from '../rules/index.ts'
import type { FolderSettings } from './folder-settings.ts'
import type { OwnResults } from './own-results.ts'
import { factsOf } from './apply-rules.ts'
import { fingerprintFile, type FoundFile } from './fingerprint.ts'
import { isCandidate, isIgnored } from './ignore-rules.ts'

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

type DryRunOptions = {
  /** The watched folder, without symlinks. */
  readonly root: string
  readonly recursive: boolean
  readonly rules: Pick<FolderRules, 'rules'>
  /** Results are never processed, so they aren't counted. */
  readonly own: Pick<OwnResults, 'isResult'>
  /** In milliseconds since 1970. */
  readonly now: number
  /** Ends the dry run early. The result has the files found so far. */
  readonly signal: AbortSignal
  readonly onProgress: (files: number) => void
}

/** Maximum number of files listed for each rule. */
const MOST_LISTED = 50
/** Maximum number of parallel reads. A file system doesn't get much faster with more. */
const AT_ONCE = 32
/** Number of files between progress reports. */
const REPORT_FILES = 100

/**
 * Determines which rules the files in a folder match now. Doesn't start or change anything.
 * @throws the file system's error if the folder itself can't be read
 */
export async function dryRunRules(options: DryRunOptions): Promise<DryRun> {
  const { rules, root, signal, onProgress } = options
  const match = createRuleMatcher(rules.rules)
  const found = Array.from({ length: rules.rules.length + 1 }, (): DryRunFile[] => [])
  let files = 0
  for await (const paths of foldersOf(root, options)) {
    await forEachLimited(
      paths,
      async (path) => {
        const tried = await matchedIn(path, options, match)
        if (tried === undefined || signal.aborted) return
        found[tried.rule]?.push(tried.file)
        files += 1
        if (files % REPORT_FILES === 0) onProgress(files)
      },
      { atOnce: AT_ONCE, signal },
    )
  }
  return {
    files,
    stopped: signal.aborted,
    rules: found.map((tried) => ({
      files: tried.length,
      listed: tried.toSorted((a, b) => (a.path < b.path ? -1 : 1)).slice(0, MOST_LISTED),
    })),
  }
}

/** Yields the files of one folder at a time. Skips subfolders that can't be read. */
async function* foldersOf(
  root: string,
  { recursive, signal }: Pick<DryRunOptions, 'recursive' | 'signal'>,
): AsyncGenerator<readonly string[]> {
  const left = [root]
  for (let folder = left.pop(); folder !== undefined && !signal.aborted; folder = left.pop()) {
    const reading = readdir(folder, { withFileTypes: true })
    const entries = folder === root ? await reading : await reading.catch(() => [])
    const paths: string[] = []
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (isIgnored(entry.name)) continue
      if (entry.isFile()) paths.push(path)
      else if (entry.isDirectory() && recursive) left.push(path)
    }
    yield paths
  }
}

/** @returns undefined if the file has disappeared, is empty, is a result, or is neither a photo nor a video */
async function matchedIn(
  path: string,
  { root, own, now }: Pick<DryRunOptions, 'root' | 'own' | 'now'>,
  match: RuleMatcher,
): Promise<{ readonly rule: number; readonly file: DryRunFile } | undefined> {
  const found = await fingerprintFile(path)
  if (found === undefined || found.fingerprint.size === 0 || (await own.isResult(found))) return undefined
  if (!isCandidate(path) && (await withMedia(path, (media) => media.kind())) === null) return undefined
  const matched = await matchFile(path, factsOf(found, root), match, now)
  return { rule: matched.rule, file: fileOf(found, matched) }
}

const fileOf = ({ path, fingerprint }: FoundFile, { facts }: FileMatch): DryRunFile => ({
  path,
  name: basename(path),
  size: fingerprint.size,
  modified: fingerprint.mtime,
  header: facts.header ?? null,
})
