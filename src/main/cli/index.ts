import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import { accessSync, constants, readFileSync } from 'node:fs'
import { CommanderError } from 'commander'
import { hasCode, messageOf } from '../../node/errors.ts'
import { terminalLocale } from '../../node/terminal-locale.ts'
import { fileFailureOf } from '../../node/file-failure.ts'
import type { Line } from '../core/index.ts'
import { diagnostics, diagnosticsWithoutData } from './commands/diagnostics.ts'
import { answerShell, completionRequest } from './completion/answer.ts'
import type { CliCommand } from './context.ts'
import { secretsIn } from '../hooks/index.ts'
import { NewerDatabase, type WriteTrouble, writeTroubleOf } from '../database/index.ts'
import { dataFolder, type Environment } from './environment.ts'
import { usageError } from './exit-code.ts'
import { endWith, notice, type Report } from './output/events.ts'
import { inThisLanguage, speaking, t } from './output/language.ts'
import type { NotOpened, Owner } from './owner-types.ts'
import { withoutPastedMarks } from './pasted-words.ts'
import { createHumanReport, createJsonReport } from './output/report.ts'
import { type Common, createProgram } from './program.ts'
import { createSilence } from './output/silence.ts'
import { chooseService, type ChosenService } from './service-choice.ts'

export { type Environment, type Program, type Sink, type Terminal } from './environment.ts'
export { openOwner, ownerInApp } from './owner.ts'
export type { NotOpened, Owner } from './owner-types.ts'

type Started = Omit<Environment, 'owner'> & { readonly owner: Owner | NotOpened }

/**
 * Runs one command to completion and returns its exit code; docs/cli.md lists the codes. Never throws because of invalid user input
 * or a failing service.
 */
export function runCli(started: Started): Promise<ExitCode> {
  const environment = { ...started, argv: withoutPastedMarks(started.argv, started.cwd) }
  return speaking(localeOf(environment), () => runProgram(environment))
}

/** Output for programs is always in English. */
function localeOf({ argv, env, platform }: Started): string {
  const isForPrograms = argv.includes('--json') || argv[0] === 'mcp'
  return isForPrograms ? 'en' : terminalLocale(env, platform)
}

async function runProgram(environment: Started): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const { stdout, stderr, argv, owner } = environment
  const opened = 'notOpened' in owner ? undefined : owner
  const program = createProgram(
    async (common, command, options) => {
      code =
        'notOpened' in owner
          ? await runWithoutData(environment, owner.notOpened, common, command === diagnostics)
          : await runCommand({ ...environment, owner }, common, command, options)
    },
    (text) => stdout.write(text),
  )
  const request = completionRequest(argv)
  if (request !== undefined) {
    stdout.write(await answerShell(program, request, environment, opened))
    return code
  }
  // Configure each subcommand separately, because it copied its output settings when it was created.
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

/** Explains why the data folder couldn't be opened. The diagnostics report contains that explanation. */
async function runWithoutData(
  environment: Omit<Environment, 'owner'>,
  error: unknown,
  common: Common,
  isDiagnostics: boolean,
): Promise<ExitCode> {
  const { message, code } = whyFailed(error, dataFolder(environment), t().stops.notOpened)
  if (isDiagnostics) {
    await diagnosticsWithoutData(environment, message)
    return EXIT.done
  }
  return endWith(createReport(environment, common), message, code)
}

async function runCommand<Options>(
  environment: Environment,
  common: Common,
  command: CliCommand<Options>,
  options: Options,
): Promise<ExitCode> {
  const silence = createSilence(createReport(environment, common), environment.timing)
  environment.owner.give(secretsIn(environment.env))
  try {
    const choice = await silence.during({ reason: 'key', message: t().waits.key }, () =>
      chooseService(common, environment, environment.owner),
    )
    if (choice.ok) return await runWith(environment, silence, choice.service, command, options)
    return usageError(environment, choice.message, choice.code)
  } finally {
    silence.end()
  }
}

async function runWith<Options>(
  environment: Environment,
  silence: ReturnType<typeof createSilence>,
  service: ChosenService,
  command: CliCommand<Options>,
  options: Options,
): Promise<ExitCode> {
  const { report } = silence
  const { line, end } = untilEnd(service.line)
  const damage = createDamageReport(report)
  damage.say(line)
  const stopReleased = environment.owner.onReleased(
    inThisLanguage((places) => {
      for (const place of places) report.say(notice(t().originalsReport.released({ path: place })))
    }),
  )
  try {
    const { core } = environment.owner
    const code = await command({ service, line, core, report, environment, waits: silence }, options)
    // Also report damage that was discovered while the command ran.
    damage.say(line)
    return code === EXIT.done && damage.wasSaid() ? EXIT.damaged : code
  } catch (error) {
    if (!isSystemError(error)) throw error
    const { message, code } = whyFailed(error, dataFolder(environment), t().stops.notCompleted)
    return endWith(report, message, code)
  } finally {
    stopReleased()
    end()
    report.progress([])
    await service.close()
  }
}

/** Returns a copy of the line. `end` removes the listeners that were added to the copy, and leaves the line open for other commands. */
function untilEnd(line: Line): { readonly line: Line; readonly end: () => void } {
  const stops: (() => void)[] = []
  const on: Line['events']['on'] = (name, listener) => {
    const stop = line.events.on(name, inThisLanguage(listener))
    stops.push(stop)
    return stop
  }
  return { line: { ...line, events: { on } }, end: () => stops.forEach((stop) => stop()) }
}

type Failed = { readonly code: ExitCode; readonly message: string }

/** Explains why a host couldn't start in its data folder. */
export const whyNotOpened = (error: unknown, dataDir: string): Failed =>
  // A starting host's access error is about its data folder, because the host doesn't open other files. A command's access error can be
  // about other files.
  whyFailed(error, dataDir, t().stops.notOpened, accessTroubleOf(error))

function whyFailed(
  error: unknown,
  folder: string,
  what: (values: { readonly detail: string }) => string,
  otherTrouble?: ReturnType<typeof accessTroubleOf>,
): Failed {
  if (error instanceof NewerDatabase) return { code: EXIT.notKept, message: error.message }
  // The command needed code that it hadn't loaded yet, and the file is gone.
  if (hasCode(error, 'ERR_MODULE_NOT_FOUND')) return { code: EXIT.failed, message: t().stops.replaced }
  const trouble = databaseTroubleOf(error, folder) ?? otherTrouble
  if (trouble === undefined) return { code: EXIT.failed, message: what({ detail: messageOf(error) }) }
  const next = trouble === 'full' ? t().stops.freeSpace : t().stops.resolve
  return { code: EXIT.notKept, message: next({ trouble: t().notWritten[trouble]({ folder }) }) }
}

/** Returns why the databases can't be used; undefined for any other error. */
function databaseTroubleOf(error: unknown, folder: string): WriteTrouble | 'denied' | undefined {
  const known = writeTroubleOf(error)
  if (known !== 'failed') return known
  // SQLite reports the same error for any file that it can't open, so check access to the folder.
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return known
  } catch (noAccess) {
    return accessTroubleOf(noAccess) ?? known
  }
}

function accessTroubleOf(error: unknown): 'full' | 'readOnly' | 'denied' | undefined {
  const why = fileFailureOf(error)
  return why === 'full' || why === 'readOnly' || why === 'denied' ? why : undefined
}

/** Reports each damaged database once, with the path of the copy that was kept. */
function createDamageReport(report: Report) {
  const said = new Set<string>()
  return {
    wasSaid: () => said.size > 0,
    say({ state }: Pick<Line, 'state'>): void {
      for (const shown of state.get().notices) {
        if (shown.kind !== 'memoryDamaged' || said.has(shown.keptAs)) continue
        said.add(shown.keptAs)
        report.progress([])
        const hint = t().damagedHint[shown.withHistory === true ? 'history' : shown.what]
        report.say(notice(t().sentences([t().damaged[shown.what], hint({ file: shown.keptAs })])))
      }
    },
  }
}

/** Errors from the file system or SQLite carry a code. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'code' in error

function createReport(
  { stdout, stderr, env }: Pick<Environment, 'stdout' | 'stderr' | 'env'>,
  common: Common,
): Report {
  if (common.json === true) return createJsonReport(stdout)
  const verbosity = common.verbose === true ? 'verbose' : common.quiet === true ? 'quiet' : 'usual'
  return createHumanReport({ stdout, stderr, verbosity, redraws: env['TERM'] !== 'dumb' })
}
