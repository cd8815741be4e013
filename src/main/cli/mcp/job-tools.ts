/** Tools that wait for jobs, list them, and cancel or repeat those that assistants submitted. */
import * as z from 'zod'
import type { Draft } from '../../../shared/model/draft.ts'
import type { HistoryQuery } from '../../../shared/model/history-page.ts'
import { OUTCOME_KINDS } from '../../../shared/model/job.ts'
import { repeatJob } from '../../core/index.ts'
import { type Access, Refused } from './access.ts'
import type { Data } from './answer.ts'
import type { AssistantRequest, AssistantSession } from './assistant-session.ts'
import { startForAssistant } from './file-tools.ts'
import { describeJob, readJob, type ReadJob } from './read-job.ts'
import { visibleJob, visibleJobs } from './show-job.ts'

const job = z.string().max(200).describe('ID of a job, from “submit” or “history”')
export const JobInput = z.object({ job })

/** How often to read the job, in ms. */
const READ_MS = 500
/** The default wait. It is shorter than the 60 s after which clients stop waiting by default. */
const USUAL_SECONDS = 45

export const WaitInput = z.object({
  job,
  seconds: z.number().min(0).max(600).default(USUAL_SECONDS).describe('longest wait'),
})

/** Waits until the job ends or the given time has passed, then resolves with the job's state. */
export async function waitForJob(
  session: AssistantSession,
  { job, seconds }: z.infer<typeof WaitInput>,
  request: AssistantRequest,
): Promise<Data> {
  const { timing } = session.context.environment
  const until = timing.monotonic() + seconds * 1_000
  let told = -1
  for (;;) {
    const state = visibleJob(session, job)
    if (state.isOver || timing.monotonic() >= until) return describeJob(state)
    if (state.results > told) await tell(request, state)
    told = state.results
    await new Promise<void>((resolve) => {
      const cancel = timing.after(READ_MS, resolve)
      request.signal.addEventListener('abort', () => (cancel(), resolve()), { once: true })
    })
    request.signal.throwIfAborted()
  }
}

async function tell({ _meta, notify }: AssistantRequest, { results, planned }: ReadJob): Promise<void> {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return
  const total = planned === null ? {} : { total: planned }
  const message = planned === null ? `${results} results` : `${results} of ${planned} results`
  await notify({
    method: 'notifications/progress',
    params: { progressToken, progress: results, ...total, message },
  })
}

/** Number of jobs to read at a time, and the maximum to read in search of jobs that the assistant may see. */
const PAGE = 200
const MOST_READ = 2_000

export const HistoryInput = z.object({
  search: z.string().max(500).optional().describe('words in names, folders, presets and errors'),
  outcome: z.enum(OUTCOME_KINDS).optional(),
  mine: z.boolean().default(false).describe('only jobs that assistants submitted'),
  limit: z.int().min(1).max(50).default(20),
})

/**
 * Lists jobs that the assistant may see. The limit counts only these jobs. Otherwise, the length of the list would reveal whether a search
 * finds a hidden job.
 */
export function listHistory(
  session: AssistantSession,
  { search, outcome, mine, limit }: z.infer<typeof HistoryInput>,
): Data {
  session.access.settings()
  const query: HistoryQuery = {
    ...(search === undefined ? {} : { text: search }),
    ...(outcome === undefined ? {} : { outcomes: [outcome] }),
    ...(mine ? { by: 'assistant' } : {}),
  }
  const found: ReadJob[] = []
  for (let offset = 0; offset < MOST_READ && found.length < limit; offset += PAGE) {
    const { records } = session.context.line.history.page(query, { offset, limit: PAGE, unfinished: true })
    found.push(...visibleJobs(session, records))
    if (records.length < PAGE) break
  }
  const jobs = found.slice(0, limit).map((state) => {
    const { resultFiles: _files, moreResultFiles: _more, ...job } = describeJob(state)
    return job
  })
  return { jobs }
}

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
