import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { ExpectedWork } from '../connection/index.ts'
import type { Core } from '../core/index.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { claimFile, claimSending } from '../outbox/index.ts'
import { loadHttpClient } from '../service-api/index.ts'
import { type Environment, dataFolder } from './environment.ts'
import type { ExitCode } from './exit-code.ts'
import type { OpenCore } from './open-core.ts'
import type { Report } from './output/event.ts'
import type { Silence } from './output/silence.ts'
import type { ChosenService } from './service-choice.ts'

/** The dependencies of every command. */
export type Context = {
  readonly service: ChosenService
  readonly report: Report
  readonly environment: Environment
  /** Wraps each wait of a command, so that long waits are explained to the user. */
  readonly waits: Pick<Silence, 'during'>
  /** Opens the app's core with the app's own files. The core is closed at the latest when the command ends. */
  readonly openCore: OpenCore
}

export type CliCommand<Options = Record<string, never>> = (
  context: Context,
  options: Options,
) => Promise<ExitCode>

/** Runs a command with common options that are already set. */
export type Run = <Options>(handler: CliCommand<Options>, options: Options) => Promise<void>

export type Opened = {
  readonly core: Core
  /**
   * The only submissions that this command may send, because its built-in service ends with the command. undefined allows it to
   * send all submissions.
   */
  readonly own: Set<RecordId> | undefined
}

/**
 * Opens the core for a command that submits. Starts the built-in service only if no other process is sending: the app may process
 * the submission instead, and two commands must not each run a built-in service.
 * @param expected the job that will be submitted, if already known
 */
export async function openToSend(
  { service, openCore, environment }: Context,
  expected?: ExpectedWork,
): Promise<Opened> {
  if (environment.owner !== undefined) return { core: await openCore({ connected: true, sends: true }), own: undefined }
  if (service.kind === 'external') {
    environment.standby?.end()
    return { core: await openCore({ connected: true, sends: true }), own: undefined }
  }
  const own = new Set<RecordId>()
  mkdirSync(dataFolder(environment), { recursive: true, mode: 0o700 })
  const sendingClaim = claimSending(claimFile(outboxFile(environment)))
  const isFirst = sendingClaim.take()
  try {
    if (isFirst) {
      service.builtIn.start(expected)
      // While the service starts, this process opens its databases and loads the HTTP client.
      await nextTick()
      void loadHttpClient()
    } else {
      environment.standby?.end()
    }
    return { core: await openCore({ connected: isFirst, sends: true, only: own, sendingClaim }), own }
  } catch (error) {
    sendingClaim.release()
    throw error
  }
}

export const outboxFile = (environment: Environment): string => join(dataFolder(environment), 'outbox.db')
