import { release, hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { createDiagnostics } from '../../diagnostics/diagnostics.ts'
import { readLogTail } from '../../../node/log.ts'
import type { CliCommand } from '../context.ts'
import { dataFolder } from '../environment.ts'
import { EXIT } from '../exit-code.ts'

const LOG_LINES = 200
const NEWEST_RECORDS = 200

/** The report of the app, from what it keeps. No service is asked and none is started. */
export const diagnostics: CliCommand = async ({ service, environment, openCore }) => {
  const core = openCore({ connected: false, sends: false })
  const { env, home, platform, stdout, timing } = environment
  const { records } = core.history.page({}, { offset: 0, limit: NEWEST_RECORDS })
  const report = createDiagnostics({
    versions: () => ({ node: process.versions.node, system: `${platform} ${release()} ${process.arch}` }),
    settings: () => service.saved.view(),
    state: () => core.state.get(),
    logTail: () => readLogTail(join(dataFolder(environment), 'logs'), LOG_LINES),
    identities: () => ({
      secrets: [env['MEDIATRAY_API_KEY'] ?? ''],
      homeFolder: home,
      userNames: [userInfo().username],
      hostNames: [hostname()],
      fileNames: records.flatMap(({ name, firstPath }) => [name, firstPath ?? '']),
    }),
    clock: timing.clock,
  })
  stdout.write(await report.text())
  return EXIT.done
}
