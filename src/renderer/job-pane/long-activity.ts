import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { phaseWord } from '../../shared/i18n/sentences.ts'
import { currentFileOf } from '../../shared/model/job-progress.ts'
import type { Job, PartAt } from '../../shared/model/job.ts'

/** "Resizing file 7 of 24", "Encoding file 3 of 16, 2 in parallel" */
export function longActivity(job: Job, running: PartAt<'service'>, t: ViewTranslation): string {
  const { phase: word, filesInProgress } = running.progress
  const phase = phaseWord(word, t)
  const at = currentFileOf(job, running)
  if (at === null) return phase
  const doing = t.rows.ofFilesLong({ phase, current: at.file, total: at.files })
  // Photos are processed too quickly for the user to read this number.
  return filesInProgress === undefined || running.videos === 0
    ? doing
    : t.rows.inParallel({ doing, running: filesInProgress })
}
