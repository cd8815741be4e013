import type { ServiceApi } from '../../service-api/index.ts'
import type { Result } from '../../../shared/service-error.ts'
import type { Context } from '../context.ts'
import { EXIT, exitCodeOfError, type ExitCode } from '../exit-code.ts'
import type { CliEvent } from '../output/index.ts'

/** The common shape of the small verbs: something asked of the service, and what to say about its answer. */
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
