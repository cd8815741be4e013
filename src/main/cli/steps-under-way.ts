import type { RecordId } from '../../shared/model/ids.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { ActiveJob, OutboxEntry } from '../../shared/model/work.ts'
import { workName } from '../../shared/i18n/names.ts'
import { activity, jobLine, outboxLine } from '../../shared/i18n/sentences.ts'
import type { Step } from './output/event.ts'
import { t } from './output/words.ts'

/** What is under way, for the screen. @param shows which of it */
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
    detail: running
      ? [activity(job, t), job.progress.fileName ?? ''].filter((part) => part !== '').join(' ')
      : jobLine(job, t),
  }
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
