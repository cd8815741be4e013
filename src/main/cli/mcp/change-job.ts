/** Cancels and repeats jobs, but only those that assistants submitted. */
import type { Draft } from '../../../shared/model/draft.ts'
import { repeatJob } from '../../core/index.ts'
import { type Access, Refused } from './access.ts'
import type { Data } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'
import { describeJob, readJob, type ReadJob } from './read-job.ts'
import { visibleJob } from './show-job.ts'
import { startForAssistant } from './submit-files.ts'

/** Cancels the parts of a job that haven't ended. Finished results stay. */
export function cancelJob(session: AssistantSession, text: string): Data {
  const { line } = session.context
  const job = assistantsJob(visibleJob(session, text))
  if (job.isOver) return describeJob(job)
  void line.cancelParts(job.id, 'job')
  return {
    ...describeJob(readJob(line, text)),
    note: 'Cancellation was requested. A running job ends within a few seconds.',
  }
}

export async function retryJob(session: AssistantSession, text: string): Promise<Data> {
  const { context, access } = session
  const job = assistantsJob(visibleJob(session, text))
  if (!job.isOver) throw new Refused('This job hasn’t ended yet. “wait” waits until it ends.')
  const draft = await repeatJob(context.line, job.id, {
    which: 'failed',
    check: (failed) => allowed(access, failed),
  })
  if (draft?.source.kind !== 'files') throw new Refused('This job has no failed files.')
  return {
    job: await startForAssistant(session, draft),
    files: draft.source.items.length,
    ...(draft.output.kind === 'folder' ? { output: draft.output.path } : {}),
  }
}

/**
 * Checks a draft against the folders that the user allows now. Resolves links, so that links added later are noticed.
 * @throws Refused
 */
async function allowed(access: Access, draft: Draft): Promise<Draft> {
  const { source, output, except } = draft
  if (source.kind !== 'files' || output.kind !== 'folder')
    throw new Refused('Only the user can retry this job.')
  const real = new Map<string, string>()
  for (const { path } of source.items) real.set(path, await access.input(path))
  const resolved = <One extends { readonly path: string }>(one: One): One => ({
    ...one,
    path: real.get(one.path) ?? one.path,
  })
  return {
    ...draft,
    source: { ...source, items: source.items.map(resolved) },
    output: { kind: 'folder', path: await access.output(output.path) },
    ...(except === undefined ? {} : { except: except.map(resolved) }),
  }
}

function assistantsJob(job: ReadJob): ReadJob {
  if (job.isAssistants) return job
  throw new Refused('Assistants can cancel and retry only jobs that they submitted. Ask the user.')
}
