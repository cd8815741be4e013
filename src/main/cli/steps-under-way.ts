import type { RecordId } from '../../shared/model/ids.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { ActiveJob, OutboxEntry } from '../../shared/model/work.ts'
import { workName } from '../../shared/i18n/names.ts'
import { activity, jobLine, outboxLine } from '../../shared/i18n/sentences.ts'
import type { Step } from './output/event.ts'
import { t } from './output/words.ts'

/**
 * Returns the jobs and submissions in progress, for the progress display.
 * @param shows whether to include a submission or job
 */
export function stepsUnderWay(
  { jobs, outbox }: Pick<AppState, 'jobs' | 'outbox'>,
  shows: (id: RecordId) => boolean,
): readonly Step[] {
  return [
    ...jobs.filter(({ id }) => shows(id)).map(jobStep),
    ...outbox.filter(({ id }) => shows(id)).flatMap(sendingStep),
  ]
}

function jobStep(job: ActiveJob): Step {
  const running = job.stage.kind === 'processing'
  return {
    what: { kind: 'job', jobId: job.jobId },
    label: workName(job, t),
    share: job.progress.share,
    remaining: job.progress.timeLeft,
    detail: running ? runningDetail(job) : jobLine(job, t),
  }
}

function runningDetail(job: ActiveJob): string {
  const doing = [activity(job, t), job.progress.fileName ?? ''].filter((part) => part !== '').join(' ')
  const { length: count } = job.problems
  return count === 0 ? doing : `${doing}, ${t.count.problems({ count })}`
}

function sendingStep(entry: OutboxEntry): Step[] {
  const { state } = entry
  if (state.kind !== 'sending') return []
  const upload = state.upload
  return [
    {
      what: { kind: 'submission', id: entry.id },
      label: workName(entry, t),
      share: upload === null || upload.total === 0 ? null : upload.sent / upload.total,
      remaining: null,
      detail: outboxLine(entry, 1, t),
    },
  ]
}
