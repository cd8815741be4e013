import { EXIT } from '../../../shared/command-end.ts'
import { join } from 'node:path'
import { diagnosticsReport } from '../../diagnostics/diagnostics.ts'
import type { CliCommand } from '../context.ts'
import { dataFolder, type Environment } from '../environment.ts'
import { printed } from '../output/words.ts'
import { readSettingsIn } from '../owner.ts'

type Sources = Pick<Parameters<typeof diagnosticsReport>[0], 'settings' | 'state' | 'history'>

/** Prints the diagnostics report from Mediatray's own files, without contacting or starting a service. */
export const diagnostics: CliCommand = async ({ service, environment, core }) => {
  await print(environment, {
    settings: service.saved.view(),
    state: core.state.get(),
    history: core.history,
  })
  return EXIT.done
}

/** Prints the diagnostics report if the data folder can't be opened. @param why for the user */
export const diagnosticsWithoutData = (environment: Omit<Environment, 'owner'>, why: string) =>
  print(environment, {
    settings: readSettingsIn(dataFolder(environment)).saved.view(),
    state: why,
    history: null,
  })

async function print(environment: Omit<Environment, 'owner'>, sources: Sources): Promise<void> {
  const { env, home, stdout, timing } = environment
  const report = await diagnosticsReport({
    ...sources,
    versions: {},
    logFolder: join(dataFolder(environment), 'logs'),
    secrets: [env['MEDIATRAY_API_KEY'] ?? ''],
    homeFolder: home,
    at: timing.clock(),
  })
  stdout.write(printed(report.trimEnd().split('\n')))
}
