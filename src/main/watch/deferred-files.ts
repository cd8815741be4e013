/** Keeps the files of a watched folder that wait because of a rule, for example for a missing preset, or until they are old enough. */
import type { Timing } from '../../node/timing.ts'
import type { FoundFile } from './fingerprint.ts'
import type { ProcessedFiles } from './processed-files.ts'

export type Deferral =
  | { readonly kind: 'preset'; readonly preset: string }
  /** Until this time in ms since 1970, when another rule may match. */
  | { readonly kind: 'age'; readonly until: number }
  /** The rules can't be read. */
  | { readonly kind: 'rules' }

export type DeferredFile = FoundFile & { readonly deferral: Deferral }

export type DeferredFiles = ReturnType<typeof createDeferredFiles>

/** Longest timer in ms. Times are compared at least this often, because the clock may jump and timers stop while the computer sleeps. */
const LONGEST_TIMER_MS = 60 * 60 * 1000

export function createDeferredFiles(options: {
  readonly folderId: string
  readonly store: Pick<
    ProcessedFiles,
    'deferredFor' | 'deferredPaths' | 'defer' | 'release' | 'noteWarned' | 'keepWarned'
  >
  readonly timing: Pick<Timing, 'clock' | 'after'>
  /** Called when `waiting` may have changed. */
  readonly onChange: () => void
  /** Called with files to which the rules must be applied again. They stay deferred until then. */
  readonly onDue: (files: readonly FoundFile[]) => void
  /** Called once for each missing preset, even across restarts, until the preset exists again. */
  readonly onMissingPreset: (preset: string, files: number) => void
}) {
  const { folderId, store, timing } = options
  const deferred = new Map<string, DeferredFile>()
  /** Paths of the files with a stored record. `unseen` has those that the scan hasn't found yet. */
  const recorded = new Set(store.deferredPaths(folderId))
  let unseen = new Set(recorded)
  let stopTimer: (() => void) | undefined

  function schedule(): void {
    stopTimer?.()
    stopTimer = undefined
    let next = Number.POSITIVE_INFINITY
    for (const { deferral } of deferred.values())
      if (deferral.kind === 'age') next = Math.min(next, deferral.until)
    if (next === Number.POSITIVE_INFINITY) return
    const wait = Math.min(Math.max(next - timing.clock(), 0), LONGEST_TIMER_MS)
    stopTimer = timing.after(wait, () => {
      const now = timing.clock()
      decideAgain(({ deferral }) => deferral.kind === 'age' && deferral.until <= now)
      schedule()
    })
  }

  function decideAgain(isDue: (file: DeferredFile) => boolean): void {
    const due = [...deferred.values()].filter(isDue)
    // Until the rules have been applied, only the records of these files remain.
    for (const { path } of due) deferred.delete(path)
    if (due.length > 0) options.onDue(due)
  }

  /** Returns the number of files that wait for each missing preset. */
  function waiting(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { deferral } of deferred.values())
      if (deferral.kind === 'preset') counts.set(deferral.preset, (counts.get(deferral.preset) ?? 0) + 1)
    return counts
  }

  return {
    defer: (files: readonly DeferredFile[]): void => {
      const presets = Map.groupBy(files, ({ deferral }) =>
        deferral.kind === 'preset' ? deferral.preset : null,
      )
      for (const [preset, group] of presets) store.defer(folderId, group, preset)
      for (const file of files) {
        deferred.set(file.path, file)
        recorded.add(file.path)
      }
      for (const preset of presets.keys())
        if (preset !== null && store.noteWarned(folderId, preset))
          options.onMissingPreset(preset, waiting().get(preset) ?? 0)
      schedule()
      options.onChange()
    },
    /** Forgets files that no longer wait or have disappeared. */
    release: (paths: readonly string[]): void => {
      const known = paths.filter((path) => recorded.has(path))
      if (known.length === 0) return
      store.release(folderId, known)
      for (const path of known) {
        deferred.delete(path)
        recorded.delete(path)
      }
      options.onChange()
    },
    /** Returns whether a file of this path, size and date is already deferred, so that the user isn't asked about it. */
    see: (file: FoundFile): boolean => {
      unseen.delete(file.path)
      return recorded.has(file.path) && store.deferredFor(folderId, file) !== undefined
    },
    /** Returns the preset that a file waited for when the rules were last applied; null if there was none. */
    presetOf: (file: FoundFile): string | null => store.deferredFor(folderId, file)?.preset ?? null,
    /** Applies the rules to all files again, because rules or presets have changed. */
    recheck: (): void => decideAgain(() => true),
    /** Forgets files that a finished scan hasn't found. */
    endScan: (): void => {
      const gone = [...unseen]
      if (gone.length === 0) return
      store.release(folderId, gone)
      for (const path of gone) recorded.delete(path)
      unseen.clear()
    },
    /** Forgets the reports of presets that aren't in this list. */
    keepWarned: (missing: readonly string[]): void => store.keepWarned(folderId, missing),
    waiting,
    clear: (): void => {
      stopTimer?.()
      deferred.clear()
      unseen = new Set(recorded)
    },
  }
}
