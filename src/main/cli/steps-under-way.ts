import type { RecordId } from '../../shared/model/ids.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { Job, PartAt } from '../../shared/model/job.ts'
import { shareOf, timeLeftOf } from '../../shared/model/job-progress.ts'
import { idOf, runningPart, titleOf, unfinishedJobs } from '../../shared/model/job-state.ts'
import { jobName } from '../../shared/i18n/names.ts'
import { activity, withOthers } from '../../shared/i18n/activity.ts'
import { lineOf, outboxLine, presetName } from '../../shared/i18n/sentences.ts'
import type { Step } from './output/events.ts'
import { t } from './output/language.ts'

/**
 * Returns the jobs and submissions in progress, for the progress display.
 * @param shows whether to include a part of a job
 */
export const stepsUnderWay = (
  lists: Pick<AppState, 'jobs' | 'outbox' | 'endedParts'>,
  shows: (id: RecordId) => boolean,
): readonly Step[] =>
  unfinishedJobs(lists)
    .filter(({ parts }) => parts.some(({ id }) => shows(id)))
    .flatMap(stepsOf)

/** Returns a step for the job if it is at the service, and a step for each part that is being sent. */
function stepsOf(job: Job): readonly Step[] {
  const sending = job.parts.flatMap((part) => (part.at === 'outbox' ? sendingStep(part) : []))
  const [first] = job.parts.filter((part) => part.at === 'service')
  if (first === undefined) return sending
  const { parts, presets } = first.place
  const running = runningPart(job)
  const doing = running?.stage.kind === 'processing' ? runningDetail(job, running) : lineOf(job, t())
  return [
    {
      what: parts > 1 ? { kind: 'group', group: idOf(job) } : { kind: 'job', jobId: first.jobId },
      label: jobName(titleOf(job), t()),
      share: shareOf(job),
      remaining: timeLeftOf(job),
      detail:
        running !== undefined && presets > 1 ? t().labeled(presetName(running.preset, t()), doing) : doing,
    },
    ...sending,
  ]
}

function runningDetail(job: Job, part: PartAt<'service'>): string {
  const file = [activity(job, part, t()), part.progress.fileName ?? '']
    .filter((word) => word !== '')
    .join(' ')
  const doing = withOthers(file, part, t())
  const { length: count } = part.problems
  return count === 0 ? doing : t().listed([doing, t().count.problems({ count })])
}

function sendingStep(part: PartAt<'outbox'>): Step[] {
  const { state } = part
  if (state.kind !== 'sending') return []
  const upload = state.upload
  return [
    {
      what: { kind: 'submission', id: part.id },
      label: jobName(part, t()),
      share: upload === null || upload.total === 0 ? null : upload.sent / upload.total,
      remaining: null,
      detail: outboxLine(part, t()),
    },
  ]
}
