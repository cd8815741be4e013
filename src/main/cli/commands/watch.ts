/** Watches the app's folders without a window. Only one process watches at a time: the app or one command. */
import { EXIT, type ExitCode, OWNER_ENDS } from '../../../shared/command-end.ts'
import { quietWords } from '../../../shared/i18n/sentences.ts'
import { hasBuiltInFailed } from '../../../shared/model/connection.ts'
import type { PartDetails } from '../../../shared/model/job.ts'
import { lacksOnlyGone, startWatching, type Line } from '../../core/index.ts'
import { failedInputs } from '../../history/index.ts'
import type { WatchFolders } from '../../watch/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { combinedExitCode, exitCodeOfOutcome } from '../exit-code.ts'
import { followSettings, reportUnread, unreadFollowed } from '../follow-settings.ts'
import { explainSending, explainService } from '../explain-wait.ts'
import { finishedEvent } from '../submission-events.ts'
import { reportOriginals, wasKeptByProblem } from '../report-originals.ts'
import { createLastCodes } from '../last-codes.ts'
import { followPresets } from '../follow-presets.ts'
import { connectionTrouble } from '../reach-service.ts'
import { createWatchReport } from '../report-watch.ts'
import type { Explanation } from '../output/silence.ts'
import { dataGoneStop } from '../why-stop.ts'
import { inThisLanguage, t } from '../output/language.ts'
import { endWith } from '../output/events.ts'

/** How often to check whether to stop, in ms. */
const CHECK_MS = 500
/** With `--once`, how many checks in a row must find nothing to do. A file may be on its way from one step to the next. */
const QUIET_CHECKS = 4

/** Health check: fails unless a process is watching. */
export const checkWatch: CliCommand = async ({ environment, report }) => {
  if (environment.owner.watching.isOn()) return EXIT.done
  return endWith(report, t().stops.nobodyWatches)
}

/**
 * Watches until the command is stopped, then exits with 0, as service managers expect. With `--once`, stopping the command may leave files
 * unprocessed, so it exits with another code.
 */
export const watch: CliCommand<{ readonly once: boolean }> = async (context, options) => {
  const code = await watchUntilEnd(context, options)
  const isStop = code === EXIT.interrupted && context.environment.interrupted.reason !== OWNER_ENDS
  return isStop && !options.once ? EXIT.done : code
}

const watchUntilEnd: CliCommand<{ readonly once: boolean }> = async (context, { once }) => {
  const { environment, service, report, waits, line: core } = context
  const { watching } = environment.owner
  const unread = unreadFollowed(service.saved)
  // A setting that can't be read would silently turn off quiet mode or a folder.
  if (!reportUnread(unread, context, t().stops.correct)) return EXIT.failed
  const folders = service.saved.view().watchFolders.filter(({ enabled }) => enabled)
  if (folders.length === 0) return endWith(report, t().stops.noFolders)
  if (service.isRefused) return connectionTrouble(context) ?? EXIT.keyRefused
  const begun = await waits.during({ reason: 'otherProcess', message: t().waits.otherWatches }, () =>
    begin(environment, once),
  )
  if (begun === 'interrupted') return EXIT.interrupted
  if (begun === 'app') return endWith(report, t().stops.appWatches, EXIT.done)
  environment.owner.needService()
  environment.onStored?.('submissions')
  core.hooks.runWith(environment.env)
  const codes = reportJobs(context)
  const stops = [followSettings(context), followPresets(context, core)]
  const trouble = createWatchReport(context, watching.reported, () => watched)
  const watched: WatchFolders = startWatching({
    core,
    ...(service.isApps ? {} : { target: service.identity }),
    timing: environment.timing,
    onTrouble: inThisLanguage((found) => {
      // Process files that arrived while the folder wasn't watched, because a command can't ask the user.
      if (found.kind === 'question') void watched.answer({ id: found.folder.id, take: true })
      else trouble.trouble(found)
    }),
    log: () => undefined,
  })
  const check = inThisLanguage(trouble.check)
  report.say({ event: 'watching', folders: folders.map(({ path }) => path) })
  stops.push(core.state.onChange(check), watched.onChange(check))
  try {
    const code = await waits.during(
      () => explainHeld(core) ?? explainWatching(context, { watched, once, codes, trouble }),
      () => untilDone(context, { watched, once, codes, trouble }),
    )
    return once && unread.length > 0 ? combinedExitCode([code, EXIT.failed]) : code
  } finally {
    for (const stop of stops) stop()
    await watched.close()
    core.hooks.runWith(undefined)
    watching.end()
  }
}

/** Begins to watch once no other process is watching. With `--once`, doesn't wait for the app to quit. */
async function begin(
  environment: Context['environment'],
  once: boolean,
): Promise<'begun' | 'app' | 'interrupted'> {
  const { watching } = environment.owner
  while (!watching.begin()) {
    if (once && environment.owner.isApp) return 'app'
    const isInterrupted = await Promise.race([watching.ended(), interruptedWithin(environment, null)])
    if (isInterrupted === true) return 'interrupted'
  }
  return 'begun'
}

type Watching = {
  readonly watched: WatchFolders
  readonly once: boolean
  readonly codes: ReturnType<typeof reportJobs>
  readonly trouble: ReturnType<typeof createWatchReport>
}

/** Explains why quiet mode holds jobs back; null if it holds none back. */
function explainHeld(core: Line): Explanation | null {
  const { jobs, outbox, quiet } = core.state.get()
  const { wait } = quiet
  if (wait === null) return null
  const isHeld =
    jobs.some(({ held }) => held !== undefined) ||
    outbox.some(({ state }) => state.kind === 'waiting' && state.because === wait.reason)
  return isHeld ? { reason: wait.reason, message: t().waits.quiet({ why: quietWords(wait, t()) }) } : null
}

/** Explains what the command is waiting for; null if that has been reported, or if it is only watching. */
function explainWatching(context: Context, watching: Watching): Explanation | null {
  const { trouble, once, watched } = watching
  if (trouble.isBlocked()) return null
  return (
    explainService(context) ?? explainSending(context) ?? (once ? explainOnce(context.line, watched) : null)
  )
}

function explainOnce(core: Line, watched: WatchFolders): Explanation | null {
  const { jobs } = core.state.get()
  // Jobs whose state can't be read have been reported.
  if (watched.busy() || core.busy() || jobs.some((job) => job.unreadable === undefined))
    return { reason: 'working', message: t().waits.watching }
  return jobs.length === 0 && core.hooks.busy() ? { reason: 'hook', message: t().waits.hook } : null
}

/**
 * Resolves when the command is interrupted or can't continue, for example because the service or the data files are gone. With `once`, also
 * resolves when nothing is left to do.
 */
async function untilDone(context: Context, watching: Watching): Promise<ExitCode> {
  const { watched, once, codes, trouble } = watching
  const { environment, service, report, line: core } = context
  if (once) await Promise.race([watched.whenScanned(), interruptedWithin(environment, null)])
  let quiet = 0
  while (quiet < QUIET_CHECKS) {
    if (await interruptedWithin(environment, CHECK_MS)) return EXIT.interrupted
    const hasFailed = service.kind === 'builtIn' && hasBuiltInFailed(core.connection.view())
    // The service also ends if the data folder is gone.
    if (hasFailed && dataGoneStop(context) === undefined) return endWith(report, t().stops.serviceGone)
    trouble.check()
    quiet = !once || isBusy(core, watched) ? 0 : quiet + 1
    const stop = trouble.whyStop(once)
    if (stop !== undefined) return combinedExitCode([...codes(), ...trouble.end(stop)])
  }
  return combinedExitCode([...codes(), ...trouble.end(undefined)])
}

const isBusy = (core: Line, watched: WatchFolders): boolean =>
  watched.busy() || core.busy() || core.hooks.busy() || core.state.get().jobs.length > 0

/** Resolves with true when the command is interrupted, or with false after `ms`. @param ms null for no limit */
export function interruptedWithin(
  { interrupted, timing }: Context['environment'],
  ms: number | null,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const onAbort = () => resolve(true)
  if (interrupted.aborted) onAbort()
  interrupted.addEventListener('abort', onAbort)
  const cancel = ms === null ? undefined : timing.after(ms, () => resolve(false))
  return promise.finally(() => {
    cancel?.()
    interrupted.removeEventListener('abort', onAbort)
  })
}

/**
 * Reports each of our jobs that ends, its originals if it replaces them, and each run of a hook. @returns a function that returns the exit
 * codes of the jobs so far
 */
function reportJobs({ report, line: core }: Context): () => readonly ExitCode[] {
  const { replacing } = core
  const codes = createLastCodes()
  function say(record: PartDetails, sayOriginals: () => readonly ExitCode[]): void {
    const { origin, outcome } = record
    if (outcome === null || origin !== 'ours') return
    report.say(finishedEvent(record, outcome))
    const kept = replacing.of({ ...record, parts: [] }).filter(wasKeptByProblem)
    const failed = failedInputs({ ...record, problems: [...record.skipped, ...record.problems] })
    const code = lacksOnlyGone(record) ? EXIT.done : exitCodeOfOutcome(outcome)
    codes.note(
      record,
      [code, ...sayOriginals()],
      [...failed, ...kept].map(({ path }) => path),
    )
  }
  core.events.on('partFinished', (record) => {
    // A job whose results are still in the vault is reported when they have replaced the originals.
    if (!replacing.isPending(record)) say(record, () => [])
  })
  core.events.on('originalsReplaced', (record) =>
    say(record, () => reportOriginals(report, replacing, record.place.id, [record])),
  )
  core.events.on('hookTried', ({ receiver, ...tried }) =>
    report.say({ event: 'hook', ...tried, ...(receiver !== '' && { receiver }) }),
  )
  return codes.list
}
