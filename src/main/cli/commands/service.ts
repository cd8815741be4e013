import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import { API_VERSION } from '../../../shared/api/limits.ts'
import type { Result } from '../../../shared/service-error.ts'
import type { ServiceApi } from '../../service-api/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { exitCodeOfError } from '../exit-code.ts'
import { t } from '../output/language.ts'
import { endWith, type CliEvent } from '../output/events.ts'

/**
 * Reports whether the service runs, whether its version is compatible, whether the key is valid, and the state of its cloud
 * drive.
 */
export const status: CliCommand = (context) =>
  ask(
    context,
    async (api) => {
      const options = { signal: context.environment.interrupted }
      const health = await api.health(options)
      if (!health.ok) return health
      const drive = await api.driveStatus(options)
      if (!drive.ok) return drive
      return {
        ok: true,
        value: { baseUrl: api.baseUrl.href, health: health.value, drive: drive.value },
      }
    },
    (found) => [{ event: 'status', ...found, knownVersion: found.health.version === API_VERSION }],
  )

/** Explains a wait for the service or its key. */
export const startOf = ({ kind }: Context['service']) =>
  ({ reason: 'service', message: kind === 'builtIn' ? t().waits.builtIn : t().waits.keychain }) as const

/** Sends requests directly to the service and reports the events for the response, or why there is none. Shared by several commands. */
export async function ask<T>(
  { service, report, waits }: Context,
  question: (api: ServiceApi) => Promise<Result<T>>,
  say: (value: T) => readonly CliEvent[],
): Promise<ExitCode> {
  const reached = await waits.during(startOf(service), () => service.api())
  if (!reached.ok) return endWith(report, reached.message, EXIT.notReachable)
  if (service.kind === 'builtIn') {
    report.say({ event: 'service', kind: 'builtIn', baseUrl: reached.api.baseUrl.href })
  }
  const message = t().waits.response({ address: reached.api.baseUrl.href })
  const asked = await waits.during({ reason: 'notAnswered', isProgress: true, message }, () =>
    question(reached.api),
  )
  report.progress([])
  if (!asked.ok) {
    report.say({ event: 'error', error: asked.error })
    return exitCodeOfError(asked.error)
  }
  for (const event of say(asked.value)) report.say(event)
  return EXIT.done
}
