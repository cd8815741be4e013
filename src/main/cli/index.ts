import { CommanderError } from 'commander'
import type { Verb } from './context.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { createHumanReport, createJsonReport, type Report } from './output/index.ts'
import { createProgram, type CommonOptions } from './program.ts'
import { chooseService } from './service-choice.ts'
import type { Surroundings } from './surroundings.ts'

export { startBuiltInService, type RunningService } from './built-in-service.ts'
export { EXIT, type ExitCode } from './exit-code.ts'
export { createHumanReport, type Report } from './output/index.ts'
export type { Clock, Sink, Surroundings } from './surroundings.ts'
export { createWaiting } from './wait-for-jobs.ts'

/** Runs one command line to its end. Never throws for what a person or a service can cause; see docs/cli.md for the codes. */
export async function runCli(surroundings: Surroundings): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = createProgram(async (common, verb, options) => {
    code = await runVerb(surroundings, common, verb, options)
  })
  const { stdout, stderr, argv } = surroundings
  // Subcommands took their settings when they were made, so each is told.
  for (const command of [program, ...program.commands]) {
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
    if (choice.because === 'usage') {
      surroundings.stderr.write(`error: ${choice.message}\n`)
      return EXIT.usage
    }
    report.say({ event: 'notice', message: choice.message })
    return EXIT.notReachable
  }
  const { service } = choice
  try {
    if (service.kind === 'builtIn') {
      report.say({ event: 'service', kind: 'builtIn', baseUrl: service.api.baseUrl.href })
    }
    return await verb({ service, report, surroundings }, options)
  } finally {
    report.progress([])
    await service.close()
  }
}

const createReport = ({ stdout, stderr }: Surroundings, { json }: CommonOptions): Report =>
  json === true ? createJsonReport(stdout) : createHumanReport(stdout, stderr)
