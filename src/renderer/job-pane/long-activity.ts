import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { phaseWord, withOthers } from '../../shared/i18n/activity.ts'
import { currentFileOf } from '../../shared/model/job-progress.ts'
import type { Job, PartAt } from '../../shared/model/job.ts'

/** "Resizing file 7 of 24", "Encoding file 3 of 16, 2 in parallel; others are waiting for memory" */
export function longActivity(job: Job, running: PartAt<'service'>, t: ViewTranslation): string {
  const phase = phaseWord(running.progress.phase, t)
  const at = currentFileOf(job, running)
  if (at === null) return phase
  return withOthers(t.rows.ofFilesLong({ phase, current: at.file, total: at.files }), running, t)
}
