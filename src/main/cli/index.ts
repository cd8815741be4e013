import { readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import type { Core } from '../core/index.ts'
import type { CliCommand } from './context.ts'
import { isDiskFull } from '../database/index.ts'
import { dataFolder, type Environment } from './environment.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { type OpenCore, openCoreFor } from './open-core.ts'
import type { Report } from './output/event.ts'
import { damageWords } from './output/words.ts'
import { createHumanReport, createJsonReport } from './output/report.ts'
import { type CommonOptions, createProgram } from './program.ts'
import { chooseService } from './service-choice.ts'
import { diskFullWords } from './why-stop.ts'

export type { ExitCode } from './exit-code.ts'
export type { Sink, Environment } from './environment.ts'

/** Runs one command line to its end. Never throws for what a person or a service can cause; see docs/cli.md for the codes. */
export async function runCli(environment: Environment): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = createProgram(async (common, command, options) => {
    code = await runCommand(environment, common, command, options)
  })
  const { stdout, stderr, argv } = environment
  // Subcommands took their settings when they were made, so each is told.
  for (const command of [program, ...program.commands, ...program.commands.flatMap((one) => one.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
    })
  }
  program.on('option:licences', () => {
    stdout.write(readFileSync(environment.noticesFile, 'utf8'))
    throw new CommanderError(0, 'licences', '')
  })
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? EXIT.done : EXIT.usage
  }
}

async function runCommand<Options>(
  environment: Environment,
  common: CommonOptions,
  command: CliCommand<Options>,
  options: Options,
): Promise<ExitCode> {
  const report = createReport(environment, common)
  const choice = await chooseService(common, environment)
  if (!choice.ok) {
    environment.stderr.write(`error: ${choice.message}\n`)
    return choice.code
  }
  const { service } = choice
  const opened: Core[] = []
  const damage = createDamageReport(report)
  const openCore: OpenCore = (use) => {
    const core = openCoreFor(service, environment, use)
    let closing: Promise<void> | undefined
    const closedOnce = { ...core, close: () => (closing ??= core.close()) }
    opened.push(closedOnce)
    damage.say(closedOnce)
    return closedOnce
  }
  try {
    const code = await command({ service, report, environment, openCore }, options)
    // What comes to light in use.
    for (const core of opened) damage.say(core)
    return code === EXIT.done && damage.wasSaid() ? EXIT.damaged : code
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (isDiskFull(error)) {
      report.say({ event: 'notice', message: diskFullWords(dataFolder(environment)) })
      return EXIT.notKept
    }
    report.say({ event: 'notice', message: `This could not be done: ${error.message}` })
    return EXIT.failed
  } finally {
    report.progress([])
    for (const core of opened) await core.close()
    await service.close()
  }
}

/** Says once of each damaged database where it is kept. */
function createDamageReport(report: Report) {
  const said = new Set<string>()
  return {
    wasSaid: () => said.size > 0,
    say({ state }: Pick<Core, 'state'>): void {
      for (const notice of state.get().notices) {
        if (notice.kind !== 'memoryDamaged' || said.has(notice.keptAs)) continue
        said.add(notice.keptAs)
        report.progress([])
        report.say({ event: 'notice', message: damageWords(notice) })
      }
    },
  }
}

/** The disk, or a database on it. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'code' in error

const createReport = ({ stdout, stderr }: Environment, { json }: CommonOptions): Report =>
  json === true ? createJsonReport(stdout) : createHumanReport(stdout, stderr)
