import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { messageOf } from '../../../node/errors.ts'
import { outcomeOf } from '../../../shared/model/outcome.ts'
import { noteSavedResults } from '../../watch/index.ts'
import type { DownloadTarget } from '../../service-api/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { explainWait } from '../explain-wait.ts'
import { finishedEvent } from '../submission-events.ts'
import { bringUpToDate, change, connected, connectionTrouble } from '../reach-service.ts'
import { stepsUnderWay } from '../steps-under-way.ts'
import { ask } from './service.ts'
import { t } from '../output/language.ts'
import { endWith, notice } from '../output/events.ts'

/** Lists the 50 most recent jobs and the state of the queue. With `--watch`, shows a live view of the jobs in progress instead. */
export const jobs: CliCommand<{ readonly watch?: boolean }> = async (context, { watch: watches }) => {
  if (watches === true) return watch(context)
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
  if (code === EXIT.done && context.service.kind === 'external') await bringUpToDate(context)
  return code
}

/** Shows the jobs in progress, and reports each one that ends, until there are none left. */
async function watch(context: Context): Promise<ExitCode> {
  const { report, environment, line: core } = context
  environment.owner.needService()
  const stop = core.events.on('partFinished', (record) => {
    if (record.outcome !== null) report.say(finishedEvent(record, record.outcome))
  })
  try {
    return await showJobs(context)
  } finally {
    stop()
  }
}

async function showJobs(context: Context): Promise<ExitCode> {
  const { report, environment, line: core } = context
  await connected(context)
  for (;;) {
    if (environment.interrupted.aborted) return EXIT.interrupted
    if (environment.stdout.closed.aborted) return EXIT.problems
    const trouble = connectionTrouble(context)
    if (trouble !== undefined) return trouble
    const { jobs, queue } = core.state.get()
    report.progress(stepsUnderWay(core.state.get(), () => true))
    if (queue !== null && jobs.length === 0) break
    await context.waits.during(
      () => explainWait(context, () => true),
      () => change(context),
    )
  }
  report.progress([])
  return endWith(report, t().answers.noJobs, EXIT.done)
}

export const job: CliCommand<{ readonly jobId: string }> = (context, { jobId }) =>
  ask(
    context,
    (api) => api.job(jobId, { signal: context.environment.interrupted }),
    (job) => [{ event: 'job', job, outcome: outcomeOf(job) }],
  )

export const clear: CliCommand = (context) =>
  ask(
    context,
    (api) => api.clearJobs({ signal: context.environment.interrupted }),
    ({ cleared }) => [{ event: 'cleared', cleared }],
  )

/**
 * Saves one result. If the target is a folder, the file gets the name that the service provides. Never overwrites an existing file.
 */
export const download: CliCommand<{
  readonly jobId: string
  readonly index: number
  readonly to?: string
}> = async (context, { jobId, index, to }) => {
  const { cwd, timing, interrupted } = context.environment
  const target = await targetOf(resolve(cwd, to ?? '.'))
  const label = 'file' in target ? basename(target.file) : `${jobId} ${index}`
  const began = timing.monotonic()
  return ask(
    context,
    async (api) => {
      const saved = await api.download(jobId, {
        index,
        to: target,
        signal: interrupted,
        onProgress: ({ received, total }) => {
          const share = total === undefined || total === 0 ? null : received / total
          const elapsed = timing.monotonic() - began
          const remaining = share === null || elapsed < 1000 ? null : (elapsed / share) * (1 - share)
          context.report.progress([
            {
              what: { kind: 'transfer', file: label },
              label,
              share,
              remaining,
              detail: t().answers.downloading,
            },
          ])
        },
      })
      if (saved.ok) await noteForApp(context, saved.value.path)
      return saved
    },
    ({ path, bytes }) => [{ event: 'downloaded', jobId, index, path, bytes }],
  )
}

/**
 * Records the saved file to keep the app from processing it if the app watches the folder. The command succeeds even if recording fails.
 */
async function noteForApp({ core, environment, report }: Context, path: string): Promise<void> {
  try {
    await noteSavedResults(core.processed, [path], environment.timing.clock)
  } catch (error) {
    report.say(notice(t().answers.notRecorded({ path, detail: messageOf(error) })))
  }
}

async function targetOf(path: string): Promise<DownloadTarget> {
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  return isFolder ? { folder: path } : { file: path }
}
