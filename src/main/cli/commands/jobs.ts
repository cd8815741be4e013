import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { outcomeOf } from '../../../shared/model/outcome.ts'
import type { DownloadTarget } from '../../service-api/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { bringUpToDate, change, connected, connectionTrouble } from '../reach-service.ts'
import { stepsUnderWay } from '../steps-under-way.ts'
import { ask } from './service.ts'

/** The 50 most recent jobs, and the queue; or a view of what is under way that is drawn again and again. */
export const jobs: CliCommand<{ readonly watch: boolean }> = async (context, { watch: watches }) => {
  if (watches) return watch(context)
  const code = await ask(
    context,
    (api) => api.jobs({ signal: context.environment.interrupted }),
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
  const { report, environment } = context
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
    if (environment.interrupted.aborted) return EXIT.interrupted
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

export const job: CliCommand<{ readonly jobId: string }> = (context, { jobId }) =>
  ask(
    context,
    (api) => api.job(jobId, { signal: context.environment.interrupted }),
    (job) => [{ event: 'job', job, outcome: outcomeOf(job) }],
  )

/** Asks for it, then reads the job again: only that says what became of it (section 3). */
export const cancel: CliCommand<{ readonly jobId: string }> = (context, { jobId }) =>
  ask(
    context,
    async (api) => {
      const options = { signal: context.environment.interrupted }
      const cancelled = await api.cancelJob(jobId, options)
      if (!cancelled.ok) return cancelled
      const read = await api.job(jobId, options)
      return { ok: true, value: read.ok ? read.value.status : null }
    },
    (status) => [{ event: 'cancelling', jobId, status }],
  )

export const clear: CliCommand = (context) =>
  ask(
    context,
    (api) => api.clearJobs({ signal: context.environment.interrupted }),
    ({ cleared }) => [{ event: 'cleared', cleared }],
  )

export type DownloadOptions = { readonly jobId: string; readonly index: number; readonly to?: string }

/** Saves one output: under the name the service gives it in a folder, or as the file that was named. Never over another. */
export const download: CliCommand<DownloadOptions> = async (context, { jobId, index, to }) => {
  const { cwd, timing, interrupted } = context.environment
  const target = await targetOf(resolve(cwd, to ?? '.'))
  const label = 'file' in target ? basename(target.file) : `${jobId} ${index}`
  const began = timing.monotonic()
  return ask(
    context,
    (api) =>
      api.download(jobId, {
        index,
        to: target,
        signal: interrupted,
        onProgress: ({ received, total }) => {
          const share = total === undefined || total === 0 ? null : received / total
          const elapsed = timing.monotonic() - began
          const remaining = share === null || elapsed < 1000 ? null : (elapsed / share) * (1 - share)
          context.report.progress([
            { what: { kind: 'transfer', file: label }, label, share, remaining, detail: 'Downloading' },
          ])
        },
      }),
    ({ path, bytes }) => [{ event: 'downloaded', jobId, index, path, bytes }],
  )
}

async function targetOf(path: string): Promise<DownloadTarget> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  return isFolder ? { folder: path } : { file: path }
}
