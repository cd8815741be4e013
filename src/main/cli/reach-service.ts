/** Waiting for the service, and for what becomes of the jobs it has. */
import { connectionLine } from '../../shared/i18n/sentences.ts'
import type { Core } from '../core/index.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { t } from './output/words.ts'

/** How often files that another process may have changed are read again, in ms. */
const POLL_MS = 500
/** A service that says nothing for so long leaves the history as it was, in ms. */
const PATIENCE_MS = 5_000

/**
 * What became of the jobs that an earlier command did not wait for. Asks the service only where it has such jobs.
 *
 * @param memory the core without a connection, to learn whether there is anything to ask
 */
export async function bringUpToDate(context: Context, memory: Core): Promise<void> {
  const { service, openCore, environment } = context
  const stale = memory.history
    .unfinished()
    .some(({ connection, baseUrl }) => connection === 'external' && baseUrl === service.identity)
  if (!stale) return
  const core = openCore({ connected: true, sends: false })
  const until = environment.timing.monotonic() + PATIENCE_MS
  const done = () => {
    const { status } = core.connection.view().state
    const away = status !== 'online' && status !== 'connecting'
    return away || core.state.get().queue !== null || environment.timing.monotonic() > until
  }
  while (!done() && !environment.interrupted.aborted) await change(core, context)
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

/** Resolves when something in the state has changed, and at the latest when it is time to check. */
export function change(core: Core, { environment: { timing, interrupted } }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = core.state.onChange(() => resolve())
  const cancel = timing.after(POLL_MS, resolve)
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
  const { report, service, environment } = context
  while (core.connection.view().state.status === 'connecting' && !environment.interrupted.aborted) {
    await change(core, context)
  }
  const { state, baseUrl } = core.connection.view()
  if (service.kind === 'builtIn' && state.status === 'online') {
    report.say({ event: 'service', kind: 'builtIn', baseUrl })
  }
}
