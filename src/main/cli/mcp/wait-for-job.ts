/** Waits for a job, and reports progress to clients that request it. */
import type { Data } from './answer.ts'
import type { AssistantRequest, AssistantSession } from './assistant-session.ts'
import { describeJob, type ReadJob } from './read-job.ts'
import { visibleJob } from './show-job.ts'

/** How often to read the job, in ms. */
const READ_MS = 500
/** The default wait. It is shorter than the 60 s after which clients stop waiting by default. */
export const USUAL_SECONDS = 45
export const MAX_SECONDS = 600

/** Resolves with the job's state when it is over or after the given time. */
export async function waitForJob(
  session: AssistantSession,
  { job, seconds }: { readonly job: string; readonly seconds: number },
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
