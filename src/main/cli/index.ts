import { CommanderError } from 'commander'
import type { Core } from '../core/index.ts'
import type { Verb } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { openCoreFor, type OpenCore } from './open-core.ts'
import { createHumanReport, createJsonReport, type Report } from './output/index.ts'
import { createProgram, type CommonOptions } from './program.ts'
import { chooseService } from './service-choice.ts'
import type { Surroundings } from './environment.ts'

export { EXIT, type ExitCode } from './exit-code.ts'
export type { Sink, Surroundings } from './environment.ts'

/** Runs one command line to its end. Never throws for what a person or a service can cause; see docs/cli.md for the codes. */
export async function runCli(surroundings: Surroundings): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = createProgram(async (common, verb, options) => {
    code = await runVerb(surroundings, common, verb, options)
  })
  const { stdout, stderr, argv } = surroundings
  // Subcommands took their settings when they were made, so each is told.
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
    })
  }
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT.done : EXIT.usage
  }
}

async function runVerb<Options>(
  surroundings: Surroundings,
  common: CommonOptions,
  verb: Verb<Options>,
  options: Options,
): Promise<ExitCode> {
  const report = createReport(surroundings, common)
  const choice = await chooseService(common, surroundings)
  if (!choice.ok) {
    surroundings.stderr.write(`error: ${choice.message}\n`)
    return EXIT.usage
  }
  const { service } = choice
  const opened: Core[] = []
  const openCore: OpenCore = (use) => {
    const core = openCoreFor(service, surroundings, use)
    let closing: Promise<void> | undefined
    const closedOnce = { ...core, close: () => (closing ??= core.close()) }
    opened.push(closedOnce)
    return closedOnce
  }
  try {
    return await verb({ service, report, surroundings, openCore }, options)
  } catch (error) {
    if (!isSystemError(error)) throw error
    report.say({ event: 'notice', message: `This could not be done: ${error.message}` })
    return EXIT.failed
  } finally {
    report.progress([])
    for (const core of opened) await core.close()
    await service.close()
  }
}

/** The disk, or a database on it. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'code' in error

const createReport = ({ stdout, stderr }: Surroundings, { json }: CommonOptions): Report =>
  json === true ? createJsonReport(stdout) : createHumanReport(stdout, stderr)
