import { join } from 'node:path'
import { API_VERSION } from '../../../shared/api/limits.ts'
import type { Result } from '../../../shared/service-error.ts'
import type { ServiceApi } from '../../service-api/index.ts'
import { createPresetFiles } from '../../presets/presets.ts'
import type { CliCommand, Context } from '../context.ts'
import { builtInServiceFolder } from '../environment.ts'
import { EXIT, type ExitCode, exitCodeOfError } from '../exit-code.ts'
import type { CliEvent } from '../output/event.ts'
import { damagedPresetWords } from '../output/words.ts'

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

export const presets: CliCommand = async (context) => {
  const code = await ask(
    context,
    (api) => api.presets({ signal: context.environment.interrupted }),
    (presets) => [{ event: 'presets', presets }],
  )
  if (context.service.kind !== 'builtIn' || code !== EXIT.done) return code
  return (await saysDamagedPresets(context)) ? EXIT.damaged : code
}

/** The service lists only what it understands. @returns whether there is something that it does not */
async function saysDamagedPresets({ environment, report }: Context): Promise<boolean> {
  const folder = join(builtInServiceFolder(environment), 'presets')
  const { documents } = await createPresetFiles({ folder }).list()
  const damaged = documents.filter(({ problems }) => problems.length > 0)
  for (const { name, problems } of damaged) {
    report.say({ event: 'notice', message: damagedPresetWords(folder, name, problems) })
  }
  return damaged.length > 0
}

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
