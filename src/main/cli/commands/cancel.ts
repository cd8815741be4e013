import type { Verb } from '../context.ts'
import { ask } from './ask.ts'

/** Asks for it, then reads the job again: only that says what became of it (section 3). */
export const cancel: Verb<{ readonly jobId: string }> = (context, { jobId }) =>
  ask(
    context,
    async (api) => {
      const options = { signal: context.surroundings.interrupted }
      const cancelled = await api.cancelJob(jobId, options)
      if (!cancelled.ok) return cancelled
      const read = await api.job(jobId, options)
      return { ok: true, value: read.ok ? read.value.status : null }
    },
    (status) => [{ event: 'cancelling', jobId, status }],
  )
