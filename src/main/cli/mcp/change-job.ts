/** Cancels and repeats jobs, but only those that assistants submitted. */
import { Refused } from './access.ts'
import type { Data } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'
import { describeJob, jobState, type JobState } from './job-state.ts'
import { visibleJob } from './show-job.ts'
import { startForAssistant } from './submit-files.ts'

/** Cancels what hasn't ended. Finished results stay. */
export function cancelJob(session: AssistantSession, text: string): Data {
  const { core } = session
  const job = assistantsJob(visibleJob(session, text))
  if (job.isOver) return describeJob(job)
  // The process that runs the job cancels it. What hasn't been sent yet is never sent.
  for (const { id } of job.parts) {
    core.outbox.remove(id, 'part')
    core.outbox.cancelRequests.add(id)
  }
  return {
    ...describeJob(jobState(core, text)),
    note: 'Cancellation was requested. A running job ends within a few seconds.',
  }
}

/** Starts a new job with the files that failed. */
export async function retryJob(session: AssistantSession, text: string): Promise<Data> {
  const { core, access } = session
  const job = assistantsJob(visibleJob(session, text))
  if (!job.isOver) throw new Refused('This job hasn’t ended yet. “wait” waits until it ends.')
  const draft = core.history.draftFrom(job.id, 'failed')
  if (draft?.source.kind !== 'files') throw new Refused('This job has no failed files.')
  if (draft.output.kind !== 'folder') throw new Refused('Only the user can retry this job.')
  // The user may have allowed other folders since.
  for (const { path } of draft.source.items) await access.input(path)
  const path = await access.output(draft.output.path)
  for (const { id } of job.parts) core.downloads.giveUpFailed(id)
  const again = await startForAssistant(session, { ...draft, output: { kind: 'folder', path } })
  return { job: again, files: draft.source.items.length, output: path }
}

function assistantsJob(job: JobState): JobState {
  if (job.isAssistants) return job
  throw new Refused('Assistants can cancel and retry only jobs that they submitted. Ask the user.')
}
