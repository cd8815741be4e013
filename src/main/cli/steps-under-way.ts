import type { RecordId } from '../../shared/model/ids.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import type { ActiveJob, OutboxEntry } from '../../shared/model/work.ts'
import { workName } from '../../shared/i18n/names.ts'
import { activity, lineOf, jobLine, outboxLine, presetName } from '../../shared/i18n/sentences.ts'
import { runningJobIn, shareOf, timeLeftOf } from '../../shared/model/group-progress.ts'
import {
  foldWork,
  idOf,
  partsOf,
  titleOf,
  type GroupItem,
  type WorkItem,
} from '../../shared/model/work-item.ts'
import type { Step } from './output/event.ts'
import { t } from './output/words.ts'

/**
 * Returns the jobs and submissions in progress, for the progress display.
 * @param shows whether to include a submission or job
 */
export function stepsUnderWay(
  { jobs, outbox, endedParts }: Pick<AppState, 'jobs' | 'outbox' | 'endedParts'>,
  shows: (id: RecordId) => boolean,
): readonly Step[] {
  const items = foldWork({ jobs, outbox, endedParts })
  return items.filter((item) => partsOf(item).some((part) => shows(idOf(part)))).flatMap(stepsOf)
}

function stepsOf(item: WorkItem): readonly Step[] {
  switch (item.kind) {
    case 'job':
      return [jobStep(item.job)]
    case 'outbox':
      return sendingStep(item.entry)
    case 'record':
      return []
    case 'group':
      return groupSteps(item)
  }
}

/** A group is one step, plus one for a part whose files are being uploaded. */
function groupSteps(group: GroupItem): readonly Step[] {
  const sending = group.parts.flatMap((part) => (part.kind === 'outbox' ? sendingStep(part.entry) : []))
  if (!group.parts.some(({ kind }) => kind === 'job')) return sending
  const job = runningJobIn(group.parts)
  return [
    {
      what: { kind: 'group', group: idOf(group) },
      label: workName(titleOf(group), t),
      share: shareOf(group),
      remaining: timeLeftOf(group),
      detail: job === undefined ? lineOf(group, t) : `${presetName(job.preset, t)}: ${runningDetail(job)}`,
    },
    ...sending,
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
