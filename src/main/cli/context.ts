import { type ExitCode } from '../../shared/command-end.ts'
import type { Core, Line } from '../core/index.ts'
import { isFor, type Submission } from '../outbox/index.ts'
import type { Environment } from './environment.ts'
import type { Report } from './output/events.ts'
import type { createSilence } from './output/silence.ts'
import type { ChosenService } from './service-choice.ts'

export type Context = {
  readonly service: ChosenService
  readonly line: Line
  readonly core: Core
  readonly report: Report
  readonly environment: Environment
  /** Wraps each wait of a command to explain long waits to the user. */
  readonly waits: Pick<ReturnType<typeof createSilence>, 'during'>
}

export const isForService = (
  { service }: Pick<Context, 'service'>,
  submission: Pick<Submission, 'title' | 'state'>,
): boolean => isFor({ service: service.identity, unaddressed: service.isApps }, submission)

export type CliCommand<Options = Record<string, never>> = (
  context: Context,
  options: Options,
) => Promise<ExitCode>

/** Runs a command. The common options are already set. */
export type Run = <Options>(handler: CliCommand<Options>, options: Options) => Promise<void>
