import type { Verb } from '../context.ts'
import { tell } from './ask.ts'

/** Asks for it, then reads the job again: only that says what became of it (section 3). */
export const cancel: Verb<{ readonly jobId: string }> = async (context, { jobId }) => {
  const { api } = context.service
  const options = { signal: context.surroundings.interrupted }
  const cancelled = await api.cancelJob(jobId, options)
  const read = cancelled.ok ? await api.job(jobId, options) : undefined
  return tell(context, cancelled, () => [
    { event: 'cancelling', jobId, status: read?.ok === true ? read.value.status : null },
  ])
}
