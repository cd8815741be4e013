import { outcomeOf } from '../../../shared/model/outcome.ts'
import type { Context, Verb } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { change, connected } from '../follow-submissions.ts'
import { stepsUnderWay } from '../steps-under-way.ts'
import { bringUpToDate, connectionTrouble } from './bring-up-to-date.ts'
import { ask } from './ask.ts'

/** The 50 most recent jobs, and the queue; or a view of what is under way that is drawn again and again. */
export const jobs: Verb<{ readonly watch: boolean }> = async (context, { watch: watches }) => {
  if (watches) return watch(context)
  const code = await ask(
    context,
    (api) => api.jobs({ signal: context.surroundings.interrupted }),
    (list) => [
      ...list.jobs.map((job) => ({ event: 'job' as const, job, outcome: outcomeOf(job) })),
      {
        event: 'queue',
        queueLength: list.queueLength,
        processing: list.processing,
        listed: list.jobs.length,
      },
    ],
  )
  if (code === EXIT.done && context.service.kind === 'external') {
    await bringUpToDate(context, context.openCore({ connected: false, sends: false }))
  }
  return code
}

/** Ends when nothing is under way any more. */
async function watch(context: Context): Promise<ExitCode> {
  const { report, surroundings } = context
  const core = context.openCore({ connected: true, sends: false })
  core.events.on('workFinished', ({ id, facts, outcome, files, results, problems }) => {
    if (outcome === null) return
    report.say({
      event: 'finished',
      id,
      jobId: facts.jobId ?? '',
      outcome,
      files,
      results,
      problems,
    })
  })
  await connected(core, context)
  for (;;) {
    if (surroundings.interrupted.aborted) return EXIT.interrupted
    const trouble = connectionTrouble(context, core)
    if (trouble !== undefined) return trouble
    const { jobs, queue } = core.state.get()
    report.progress(stepsUnderWay(core.state.get(), () => true))
    if (queue !== null && jobs.length === 0) break
    await change(core, context)
  }
  report.progress([])
  report.say({ event: 'notice', message: 'Nothing is under way.' })
  return EXIT.done
}
