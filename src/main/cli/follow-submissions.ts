/** From the outbox to accepted, and on to the end: what a command waits for and what it says of it. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { WaitingReason } from '../../shared/model/work.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import type { Core } from '../core/index.ts'
import type { StoredSubmission } from '../outbox/index.ts'
import type { Context } from './context.ts'
import { EXIT, exitCodeOfOutcome, type ExitCode } from './exit-code.ts'
import { t, type Submission } from './output/index.ts'
import { stepsUnderWay } from './steps-under-way.ts'

export type FollowOptions = {
  /** Until the jobs are over; otherwise until they are accepted. */
  readonly wait: boolean
  /** Shows everything that is under way, not only these. */
  readonly watch: boolean
  /** False: another process does the sending. */
  readonly sends: boolean
  /** Goes on until nothing is left that moves by itself. */
  readonly untilQuiet?: boolean
}

/** How often files that another process may have changed are looked at, in ms. */
const LOOK_MS = 500
/** A service that was there and is away for longer counts as gone, in ms. */
const PATIENCE_MS = 30_000

/** @returns a code for each submission, and one for what stopped the waiting */
export async function followSubmissions(
  context: Context,
  core: Core,
  submitted: readonly RecordId[],
  options: FollowOptions,
): Promise<readonly ExitCode[]> {
  const { report, service, surroundings } = context
  const { timing, interrupted } = surroundings
  const open = new Set(submitted)
  const accepted = new Set<RecordId>()
  const codes: ExitCode[] = []
  // The built-in service ends with the command, and would take unfinished jobs with it.
  const wait = options.wait || (service.kind === 'builtIn' && options.sends)
  let lastMove = timing.monotonic()
  let awaySince: number | undefined
  let wasOnline = false

  const end = (id: RecordId, code: ExitCode) => {
    open.delete(id)
    codes.push(code)
    lastMove = timing.monotonic()
  }

  function look(id: RecordId): void {
    const submission = core.outbox.get(id)
    const record = core.history.details(id)
    if (record === undefined) return end(id, EXIT.failed)
    const { jobId } = record.facts
    if (jobId !== null) {
      if (!accepted.has(id)) {
        accepted.add(id)
        lastMove = timing.monotonic()
        report.say({ event: 'accepted', ...submissionOf(record), jobId, skipped: record.skipped })
      }
      if (record.outcome !== null) {
        const { outcome, results, problems, files } = record
        report.say({ event: 'finished', id, jobId, outcome, files, results, problems })
        return end(id, exitCodeOfOutcome(outcome))
      }
      if (!wait) end(id, record.skipped.length > 0 ? EXIT.problems : EXIT.done)
      return
    }
    switch (submission?.state.kind) {
      case 'refused':
        report.say({ event: 'refused', ...submissionOf(record), ...submission.state.refusal })
        return end(id, EXIT.failed)
      case 'unknown':
        if (!submission.state.leftToUser) return
        report.say({
          event: 'unknown',
          ...submissionOf(record),
          lookAlikes: submission.state.candidates,
        })
        return end(id, EXIT.notReachable)
      default:
    }
  }

  type Stop = { readonly code: ExitCode; readonly because: WaitingReason; readonly words?: string }

  /** Why nothing more will come of waiting. */
  function hopeless(): Stop | undefined {
    if (interrupted.aborted) return { code: EXIT.interrupted, because: 'turn' }
    const view = core.connection.view()
    const words = connectionLine(view, t)
    const unsent = [...open].some((id) => !accepted.has(id))
    const own = options.sends && core.outbox.claim()
    if (!own && unsent && !service.isApps) {
      return {
        code: EXIT.notReachable,
        because: 'turn',
        words:
          'Mediatray, or another command, is running and does the sending. It sends only to its own service; use “outbox send” when it has ended.',
      }
    }
    switch (view.state.status) {
      case 'online':
        wasOnline = true
        awaySince = undefined
        break
      case 'connecting':
        break
      case 'unconfigured':
        // The other process has a connection.
        break
      case 'keyRefused':
        return { code: EXIT.keyRefused, because: 'keyRefused', words }
      case 'offline': {
        awaySince ??= timing.monotonic()
        const detail = view.state.detail ?? ''
        const failed = view.state.reason === 'builtInFailed'
        if (!wasOnline || failed || timing.monotonic() - awaySince > PATIENCE_MS) {
          return {
            code: EXIT.notReachable,
            because: 'offline',
            words: failed
              ? `The built-in service could not be started: ${detail}`
              : `${words}: it can’t be reached. ${detail}`,
          }
        }
        break
      }
      default:
        return { code: EXIT.notReachable, because: 'wrongVersion', words }
    }
    if (!unsent) return undefined
    const silent = timing.monotonic() - lastMove > PATIENCE_MS
    if (!own && silent) return { code: EXIT.notReachable, because: 'turn' }
    return wait || options.untilQuiet === true ? undefined : withoutRoom()
  }

  /** A command that does not wait for jobs does not wait for room either. */
  function withoutRoom(): Stop | undefined {
    const waiting = core.state.get().outbox.filter(({ id }) => open.has(id))
    const full = waiting.some(({ state }) => state.kind === 'waiting' && state.because === 'queueFull')
    return full ? { code: EXIT.notReachable, because: 'queueFull' } : undefined
  }

  function giveUp({ code, because, words }: Stop): ExitCode {
    report.progress([])
    if (words !== undefined) report.say({ event: 'notice', message: words })
    for (const id of open) {
      const record = core.history.details(id)
      const kept = core.outbox.get(id)?.state.kind
      if (record !== undefined && !accepted.has(id) && kept !== undefined) {
        report.say({ event: 'kept', ...submissionOf(record), because })
      }
    }
    if (accepted.size > 0 && [...open].some((id) => accepted.has(id))) {
      report.say({
        event: 'notice',
        message:
          service.kind === 'external'
            ? 'Stopped waiting; the jobs go on. “history” shows what becomes of them.'
            : 'Stopped, and the built-in service with its jobs.',
      })
    }
    return code
  }

  for (;;) {
    for (const id of open) look(id)
    const quiet = open.size === 0 && (options.untilQuiet !== true || !core.busy())
    if (quiet) break
    const stop = hopeless()
    if (stop !== undefined) {
      codes.push(giveUp(stop))
      break
    }
    report.progress(stepsUnderWay(core.state.get(), (id) => options.watch || open.has(id)))
    await change(core, context)
  }
  report.progress([])
  return codes
}

/** Resolves when something in the state has changed, and at the latest when it is time to look again. */
export function change(core: Core, { surroundings: { timing, interrupted } }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = core.state.onChange(() => resolve())
  const cancel = timing.after(LOOK_MS, resolve)
  const onAbort = () => resolve()
  interrupted.addEventListener('abort', onAbort, { once: true })
  return promise.finally(() => {
    stop()
    cancel()
    interrupted.removeEventListener('abort', onAbort)
  })
}

/** Resolves when the connection is no longer being made. */
export async function connected(core: Core, context: Context): Promise<void> {
  const { report, service, surroundings } = context
  while (core.connection.view().state.status === 'connecting' && !surroundings.interrupted.aborted) {
    await change(core, context)
  }
  const { state, baseUrl } = core.connection.view()
  if (service.kind === 'builtIn' && state.status === 'online') {
    report.say({ event: 'service', kind: 'builtIn', baseUrl })
  }
}

type Named = {
  readonly id: RecordId
  readonly inputs: readonly { readonly path: string }[]
  readonly driveInput: string | null
}

export const submissionOf = ({ id, inputs, driveInput }: Named): Submission => ({
  id,
  inputs: {
    files: inputs.map(({ path }) => path),
    ...(driveInput === null ? {} : { driveInputFolder: driveInput }),
  },
})

/** Whether the service in use is the one that a submission is meant for. */
export function isFor({ service }: Context, { plan, state }: StoredSubmission): boolean {
  if (state.kind === 'sending' || state.kind === 'unknown') return state.attempt.service === service.identity
  return plan.target === undefined ? service.isApps : plan.target === service.identity
}
