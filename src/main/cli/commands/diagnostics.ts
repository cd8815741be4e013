import { join } from 'node:path'
import { diagnosticsReport } from '../../diagnostics/diagnostics.ts'
import type { CliCommand } from '../context.ts'
import { dataFolder } from '../environment.ts'
import { EXIT } from '../exit-code.ts'
import { printed } from '../output/words.ts'

/** Prints the diagnostics report from Mediatray's own files, without contacting or starting a service. */
export const diagnostics: CliCommand = async ({ service, environment, core }) => {
  const { env, home, stdout, timing } = environment
  const report = await diagnosticsReport({
    versions: {},
    settings: service.saved.view(),
    state: core.state.get(),
    history: core.history,
    logFolder: join(dataFolder(environment), 'logs'),
    secrets: [env['MEDIATRAY_API_KEY'] ?? ''],
    homeFolder: home,
    at: timing.clock(),
  })
  stdout.write(printed(report.trimEnd().split('\n')))
  return EXIT.done
}
