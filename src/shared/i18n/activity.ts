/** Describes what the service is currently doing. */
import { firstCharacters } from '../characters.ts'
import type { Job, PartAt } from '../model/job.ts'
import { currentFileOf } from '../model/job-progress.ts'
import type { ProcessingPhase } from '../processing-phases.ts'
import type { CommonTranslation } from './i18n.ts'

const PHASE_LENGTH = 40

type KeyOf<Words extends string> = Words extends `${infer First} ${infer Rest}`
  ? `${First}${Capitalize<KeyOf<Rest>>}`
  : Words
type TranslatedPhases = Readonly<Record<KeyOf<Uncapitalize<ProcessingPhase>>, string>>

/**
 * Looks up a phase of the built-in service or the app: `Waiting for memory` has the key `waitingForMemory`, and `Waiting for disk space` has
 * `waitingForDiskSpace`.
 */
function knownPhase(phase: string, t: CommonTranslation): string | undefined {
  const name = phase.toLowerCase().replaceAll(/ (\w)/g, (_space, letter: string) => letter.toUpperCase())
  const phases: Readonly<Record<string, string>> = t.phase satisfies TranslatedPhases
  return Object.hasOwn(phases, name) ? phases[name] : undefined
}

/**
 * Returns a known phase in the user's language. Shortens and capitalizes any other phase that the service sends. Returns "Working" if there
 * is no phase.
 */
export function phaseWord(phase: string | null, t: CommonTranslation): string {
  const word = (phase ?? '').trim()
  if (word === '') return t.stage.working
  const known = knownPhase(word, t)
  if (known !== undefined) return known
  const cut = firstCharacters(word, PHASE_LENGTH)
  return cut.charAt(0).toLocaleUpperCase(t.locale) + cut.slice(1)
}

/** "Resizing 7 of 24", "Encoding" */
export function activity(job: Job, running: PartAt<'service'>, t: CommonTranslation): string {
  const phase = phaseWord(running.progress.phase, t)
  const at = currentFileOf(job, running)
  return at === null ? phase : t.stage.fileOf({ phase, ...at })
}

/** "Encoding 3 of 16, 2 in parallel; others are waiting for memory" */
export function withOthers(
  doing: string,
  { progress, videos }: PartAt<'service'>,
  t: CommonTranslation,
): string {
  const { filesInProgress, waitsForMemory, waitsForDiskSpace } = progress
  // Photos are processed too quickly for the user to read this number.
  const all =
    filesInProgress === undefined || videos === 0
      ? doing
      : t.stage.inParallel({ doing, running: filesInProgress })
  if (waitsForMemory === true) return t.stage.othersWait({ doing: all })
  return waitsForDiskSpace === true ? t.stage.othersWaitForDisk({ doing: all }) : all
}
