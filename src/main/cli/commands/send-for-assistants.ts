/**
 * Sends what assistants submitted while the app isn't running, and waits for their jobs. Like the app, it obeys quiet mode and runs what
 * follows jobs, because the user didn't start these jobs by hand.
 */
import { mkdirSync } from 'node:fs'
import type { RecordId } from '../../../shared/model/ids.ts'
import type { Core } from '../../core/index.ts'
import { claimFile, claimSending, takeOrThrow, type ListedSubmission } from '../../outbox/index.ts'
import { outboxFile, type CliCommand, type Context } from '../context.ts'
import { dataFolder } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { isFor } from '../follow-submissions.ts'
import { followSettings } from '../follow-settings.ts'
import { notice } from '../output/event.ts'
import { settled } from '../reach-service.ts'
import { claimed, interruptedWithin } from './watch.ts'

/** How often to check for new submissions and for the end of the jobs, in ms. */
const CHECK_MS = 250
/** How many checks in a row must find nothing to do. */
const QUIET_CHECKS = 3
/** How long to wait for a service that can't be reached, in ms. The submissions stay in the outbox. */
const PATIENCE_MS = 5 * 60_000

export const sendForAssistants: CliCommand = async (context) => {
  const { environment } = context
  mkdirSync(dataFolder(environment), { recursive: true, mode: 0o700 })
  const lock = claimSending(`${outboxFile(environment)}-assistants`)
  // Another process that is about to end checks the outbox again after it has released the lock.
  while (takeOrThrow(lock)) {
    try {
      const memory = await context.openCore({ connected: false, sends: false })
      const isPending = isUnsent(context, memory)
      await memory.close()
      if (!isPending) return EXIT.done
      const code = await sendAll(context)
      if (code !== EXIT.done) return code
    } finally {
      lock.release()
    }
  }
  return EXIT.done
}

/** Whether anything that assistants submitted to this service is waiting, or running as far as Mediatray knows. */
export function isUnsent(context: Context, core: Pick<Core, 'outbox' | 'history'>): boolean {
  const { service } = context
  const isHere = ({ connection, baseUrl, title }: ReturnType<Core['history']['unfinished']>[number]) =>
    title.by === 'assistant' &&
    connection === service.kind &&
    (service.kind === 'builtIn' || baseUrl === service.identity)
  return idsIn(context, core).length > 0 || core.history.unfinished().some(isHere)
}

const isMoving = ({ state }: ListedSubmission): boolean =>
  state.kind === 'waiting' || state.kind === 'sending' || (state.kind === 'unknown' && !state.leftToUser)

function idsIn(context: Context, { outbox }: Pick<Core, 'outbox'>): readonly RecordId[] {
  return outbox
    .list()
    .filter(({ plan, ...submission }) => plan.by === 'assistant' && isMoving(submission))
    .filter((submission) => isFor(context, submission))
    .map(({ id }) => id)
}

async function sendAll(context: Context): Promise<ExitCode> {
  const { environment, report } = context
  const sendingClaim = claimSending(claimFile(outboxFile(environment)))
  const begun = await claimed(context, sendingClaim, true)
  if (begun === 'interrupted') return EXIT.interrupted
  if (begun === 'elsewhere') {
    report.say(notice('Mediatray is running and sends the outbox.'))
    // The caller must not try again, although these submissions may still be in the outbox.
    return EXIT.failed
  }
  const only = new Set<RecordId>()
  const core = await context.openCore({ connected: true, sends: true, sendingClaim, stays: true, only })
  const stopFollowing = followSettings(context, core)
  try {
    await settled(core, environment)
    return await untilDone(context, core, only)
  } finally {
    stopFollowing()
    await core.close()
  }
}

async function untilDone(context: Context, core: Core, only: Set<RecordId>): Promise<ExitCode> {
  const { environment, service } = context
  const { monotonic } = environment.timing
  let quiet = 0
  let lastOnline = monotonic()
  while (quiet < QUIET_CHECKS) {
    const before = only.size
    for (const id of idsIn(context, core)) only.add(id)
    if (only.size > before) core.sender.wake()
    if (core.connection.view().state.status === 'online') lastOnline = monotonic()
    const isFailed = service.kind === 'builtIn' && service.builtIn.state().kind === 'failed'
    if (isFailed || monotonic() - lastOnline > PATIENCE_MS) return EXIT.notReachable
    if (await interruptedWithin(environment, CHECK_MS)) return EXIT.interrupted
    quiet = isUnsent(context, core) || core.busy() || core.hooks.busy() ? 0 : quiet + 1
  }
  return EXIT.done
}
