import { API_VERSION } from '../../../shared/api/limits.ts'
import type { Result } from '../../../shared/service-error.ts'
import type { ServiceApi } from '../../service-api/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { EXIT, type ExitCode, exitCodeOfError } from '../exit-code.ts'
import type { CliEvent } from '../output/event.ts'

/** Whether it runs, whether it is the release we know, whether our key is good, and how its cloud drive is. */
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

/** The common shape of the small commands: something asked of the service, and what to say about its answer. */
export async function ask<T>(
  { service, report }: Context,
  question: (api: ServiceApi) => Promise<Result<T>>,
  say: (value: T) => readonly CliEvent[],
): Promise<ExitCode> {
  const reached = await service.api()
  if (!reached.ok) {
    report.say({ event: 'notice', message: reached.message })
    return EXIT.notReachable
  }
  if (service.kind === 'builtIn') {
    report.say({ event: 'service', kind: 'builtIn', baseUrl: reached.api.baseUrl.href })
  }
  const asked = await question(reached.api)
  report.progress([])
  if (!asked.ok) {
    report.say({ event: 'error', error: asked.error })
    return exitCodeOfError(asked.error)
  }
  for (const event of say(asked.value)) report.say(event)
  return EXIT.done
}
