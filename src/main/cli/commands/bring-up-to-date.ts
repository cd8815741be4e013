import { connectionLine } from '../../../shared/i18n/sentences.ts'
import type { Core } from '../../core/index.ts'
import type { Context } from '../context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { change } from '../follow-submissions.ts'
import { t } from '../output/index.ts'

/** A service that says nothing for so long leaves the history as it was, in ms. */
const PATIENCE_MS = 5_000

/**
 * What became of the jobs that an earlier command did not wait for. Asks the service only where it has such jobs.
 *
 * @param memory the rooms without a connection, to learn whether there is anything to ask
 */
export async function bringUpToDate(context: Context, memory: Core): Promise<void> {
  const { service, openCore, surroundings } = context
  const stale = memory.history
    .unfinished()
    .some(({ connection, baseUrl }) => connection === 'external' && baseUrl === service.identity)
  if (!stale) return
  const core = openCore({ connected: true, sends: false })
  const until = surroundings.timing.monotonic() + PATIENCE_MS
  const done = () => {
    const { status } = core.connection.view().state
    const away = status !== 'online' && status !== 'connecting'
    return away || core.state.get().queue !== null || surroundings.timing.monotonic() > until
  }
  while (!done() && !surroundings.interrupted.aborted) await change(core, context)
  await core.close()
}

/** The code to end with when the service can't be used; undefined while it can, or may be able to. */
export function connectionTrouble({ report }: Context, core: Core): ExitCode | undefined {
  const view = core.connection.view()
  const { status } = view.state
  if (status === 'online' || status === 'connecting') return undefined
  report.progress([])
  report.say({ event: 'notice', message: connectionLine(view, t) })
  return status === 'keyRefused' ? EXIT.keyRefused : EXIT.notReachable
}
