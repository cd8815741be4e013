import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ExpectedWork } from '../connection/index.ts'
import type { Core } from '../core/index.ts'
import { isSendingElsewhere } from '../outbox/index.ts'
import { loadHttpClient } from '../service-api/index.ts'
import { type Environment, dataFolder } from './environment.ts'
import type { ExitCode } from './exit-code.ts'
import type { OpenCore } from './open-core.ts'
import type { Report } from './output/event.ts'
import type { ChosenService } from './service-choice.ts'

/** What every command works with. */
export type Context = {
  readonly service: ChosenService
  readonly report: Report
  readonly environment: Environment
  /** The app's own modules, on the app's own files; closed when the command has ended, if not before. */
  readonly openCore: OpenCore
}

export type CliCommand<Options = Record<string, never>> = (
  context: Context,
  options: Options,
) => Promise<ExitCode>

export type Opened = {
  readonly core: Core
  /** False: another process, such as the app, does the sending, and this one only adds to the outbox. */
  readonly sends: boolean
}

/**
 * The modules for a command that submits. Where the app is running with a built-in service, a second one is not started: that
 * service is the app's own, and the app will send.
 *
 * @param expected what will be submitted, as far as it is known
 */
export async function openToSend(
  { service, openCore, environment }: Context,
  expected?: ExpectedWork,
): Promise<Opened> {
  if (service.kind === 'builtIn') {
    const outbox = join(dataFolder(environment), 'outbox.db')
    if (existsSync(outbox) && isSendingElsewhere(outbox)) {
      return { core: openCore({ connected: false, sends: false }), sends: false }
    }
    service.builtIn.start(expected)
    // It gets ready while this process opens what is kept, and loads what talks to it.
    await nextTurn()
    void loadHttpClient()
  }
  return { core: openCore({ connected: true, sends: true }), sends: true }
}
