import { JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import { MANY_FOLDERS, MAX_PRESETS } from '../../shared/model/draft.ts'
import { taskName } from '../../shared/i18n/sentences.ts'
import { TASK_NAMES } from '../../shared/preset/task-names.ts'
import { OUTCOME_KINDS, type Outcome } from '../../shared/model/job.ts'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { parseBaseUrl } from '../service-api/index.ts'
import { addCheckService } from './commands/check-service.ts'
import { diagnostics } from './commands/diagnostics.ts'
import { addDriveCommand } from './commands/drive.ts'
import { history, stats } from './commands/history.ts'
import { cancel } from './commands/cancel.ts'
import { clear, download, job, jobs } from './commands/jobs.ts'
import { type Decision, listOutbox, resolveOutbox, sendOutbox } from './commands/outbox.ts'
import { presets } from './commands/presets.ts'
import { status } from './commands/service.ts'
import { exportSettings, importSettings } from './commands/settings.ts'
import { redo, undo } from './commands/undo.ts'
import { emptyVault, vault } from './commands/vault.ts'
import { checkWatch, watch } from './commands/watch.ts'
import { SCRIPTS, type Shell, SHELLS } from './completion/scripts.ts'
import type { CliCommand, Run } from './context.ts'
import { columnsOf, wrapped } from './output/columns.ts'
import { t } from './output/language.ts'
import { DEFAULT_OUTPUT } from './owner.ts'
import type { chooseService } from './service-choice.ts'
import { addEstimate, addFollow, addRetry, addSubmit, wholeNumber } from './submit-program.ts'

export type Common = Parameters<typeof chooseService>[0] & {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}

type WatchFlag = { readonly watch?: boolean }

type HistoryFlags = {
  readonly search?: string
  readonly outcome?: Outcome['kind'][]
  readonly preset?: string
  readonly limit?: number
  readonly csv?: boolean
}

const DEFAULT_LIMIT = 20

/**
 * Defines the commands, arguments and options. The folder `commands` contains the implementations.
 * @param runWith runs a command against the service that the common options select
 * @param write receives the text of commands that don't need a service
 */
export function createProgram(
  runWith: <Options>(common: Common, command: CliCommand<Options>, options: Options) => Promise<void>,
  write: (text: string) => void,
): Command {
  const program = new Command('mediatray-cli')
    .option('--base-url <url>')
    .addOption(new Option('--service <name>').conflicts('baseUrl'))
    .option('--key-stdin')
    .option('--json')
    .option('--quiet')
    .addOption(new Option('--verbose').conflicts('quiet'))
    .option('--licences')
    .configureHelp({ showGlobalOptions: true, styleTitle, ...HELP_WORDS })
    .showHelpAfterError(t().usage.hint)
    .exitOverride()
  const run: Run = (handler, options) => runWith(program.opts<Common>(), handler, options)
  for (const add of [
    addSubmit,
    addRetry,
    addFollow,
    addHistory,
    addOriginals,
    addOutbox,
    addJobs,
    addDownload,
    addEstimate,
    addPresets,
    addSettings,
    addWatch,
    addPlainCommands,
    addDriveCommand,
    addMcp,
    addCheckService,
  ]) {
    add(program, run)
  }
  addComplete(program, write)
  describe(program, 'program')
  return program
}

/** Overrides commander's formatting: choices without English words, and widths in terminal columns. */
const HELP_WORDS = {
  optionDescription: withChoices,
  argumentDescription: withChoices,
  displayWidth: columnsOf,
  boxWrap: wrapped,
}

function withChoices({ description, argChoices }: Pick<Option, 'description' | 'argChoices'>): string {
  return argChoices === undefined ? description : `${description} (${t().listed(argChoices)})`
}

/** Translates a heading of the help, which commander has in English, into the terminal's language. */
function styleTitle(heading: string): string {
  const { usage, operands, options, globalOptions, commands } = t().helpHeading
  const translated: Readonly<Record<string, string>> = {
    'Usage:': usage,
    'Arguments:': operands,
    'Options:': options,
    'Global Options:': globalOptions,
    'Commands:': commands,
  }
  return translated[heading] ?? heading
}

const VALUES = {
  output: DEFAULT_OUTPUT,
  limit: DEFAULT_LIMIT,
  folders: MANY_FOLDERS,
  presets: MAX_PRESETS,
}

type HelpValues = typeof VALUES & { readonly tasks: string }
type HelpTexts = Readonly<Record<string, string | ((values: HelpValues) => string)>>

const tasksNamed = (): string => t().listed(TASK_NAMES.map((task) => taskName(task, t())))

/** Describes a command, its options and its operands. A text for this command takes precedence over one that several commands share. */
function describe(command: Command, key: string): void {
  const describing = (texts: HelpTexts, name: string): string => {
    const text = texts[`${command.name()}_${name}`] ?? texts[name] ?? ''
    return typeof text === 'string' ? text : text({ ...VALUES, tasks: tasksNamed() })
  }
  command.description(describing(t().commandHelp, key)).helpOption('-h, --help', t().optionHelp.help)
  // Options that change a preset describe themselves; see `addOneOffSettings`.
  for (const option of command.options.filter(({ helpGroupHeading }) => helpGroupHeading === undefined))
    option.description = describing(t().optionHelp, option.attributeName())
  for (const operand of command.registeredArguments)
    operand.description = describing(t().operandHelp, operand.name())
  for (const one of command.commands)
    describe(one, command.parent === null ? one.name() : `${key}_${one.name()}`)
}

function addHistory(program: Command, run: Run): void {
  program
    .command('history')
    .option('--search <text>')
    .addOption(new Option('--outcome <kind...>').choices(OUTCOME_KINDS))
    .option('--preset <name>')
    .option('--limit <n>', '', wholeNumber(1))
    .option('--csv')
    .action((flags: HistoryFlags) =>
      run(history, {
        query: { text: flags.search, outcomes: flags.outcome, preset: flags.preset },
        limit: flags.limit ?? (flags.csv === true ? undefined : DEFAULT_LIMIT),
        csv: flags.csv === true,
      }),
    )
}

function addOriginals(program: Command, run: Run): void {
  const add = (name: string, handler: typeof undo) =>
    program
      .command(name)
      .argument('<id>')
      .argument('[files...]')
      .action((of: string, files: string[]) => run(handler, { of, files }))
  add('undo', undo)
  add('redo', redo)
  program
    .command('vault')
    .action(() => run(vault, {}))
    .command('empty')
    .option('--yes')
    .option('--unrestored')
    .action((flags: { yes?: boolean; unrestored?: boolean }) => run(emptyVault, flags))
}

function addOutbox(program: Command, run: Run): void {
  const outbox = program.command('outbox').action(() => run(listOutbox, {}))
  outbox
    .command('send')
    .option('--watch')
    .action((flags: WatchFlag) => run(sendOutbox, flags))
  outbox
    .command('resolve')
    .argument('<id>')
    .argument('<decision>')
    .argument('[job]')
    .action(async (id: string, word: string, jobId: string | undefined, _: unknown, command: Command) => {
      const decision = decisionOf(word, jobId)
      if (decision === undefined) command.error(t().usage.error({ why: t().usage.decision }))
      else await run(resolveOutbox, { id, decision })
    })
}

function addJobs(program: Command, run: Run): void {
  program
    .command('jobs')
    .option('--watch')
    .action((flags: WatchFlag) => run(jobs, flags))
  program
    .command('job')
    .argument('<id>')
    .action((jobId: string) => run(job, { jobId }))
  program
    .command('cancel')
    .argument('<id>')
    .option('--part')
    .action((id: string, { part }: { part?: boolean }) => run(cancel, { id, onlyPart: part === true }))
}

function addDownload(program: Command, run: Run): void {
  program
    .command('download')
    .argument('<id>')
    .option('--index <n>', '', wholeNumber(0), 0)
    .option('--to <path>')
    .action((jobId: string, flags: { index: number; to?: string }) => run(download, { jobId, ...flags }))
}

function addPresets(program: Command, run: Run): void {
  program
    .command('presets')
    .argument('[name]')
    .option('--fields')
    .action((name: string | undefined, flags: { fields?: boolean }) => run(presets, { name, ...flags }))
}

/** Normalizes an address as in the settings, and appends it. */
function alsoAllowed(url: string, before: readonly string[]): readonly string[] {
  const parsed = parseBaseUrl(url)
  if (!parsed.ok) throw new InvalidArgumentError(parsed.why)
  return [...before, parsed.value.href]
}

function addSettings(program: Command, run: Run): void {
  const settings = program.command('settings')
  settings
    .command('export')
    .option('--output <file>')
    .action((flags: { output?: string }) => run(exportSettings, flags))
  settings
    .command('check')
    .argument('<file>')
    .action((file: string) => run(importSettings, { file, yes: false, allowed: [], isCheck: true }))
  settings
    .command('import')
    .argument('<file>')
    .option('--yes')
    .option('--allow-service <url>', '', alsoAllowed, [])
    .action((file: string, { yes, allowService }: { yes?: boolean; allowService: readonly string[] }) =>
      run(importSettings, { file, yes: yes === true, allowed: allowService, isCheck: false }),
    )
}

function addWatch(program: Command, run: Run): void {
  program
    .command('watch')
    .option('--once')
    .addOption(new Option('--check').conflicts('once'))
    .action(({ once, check }: { once?: boolean; check?: boolean }) =>
      check === true ? run(checkWatch, {}) : run(watch, { once: once === true }),
    )
}

/** Adds the commands without options and arguments. */
function addPlainCommands(program: Command, run: Run): void {
  for (const [name, handler] of Object.entries({ status, stats, clear, diagnostics }))
    program.command(name).action(() => run(handler, {}))
}

/** Adds the MCP server. Loads it only when it runs, because its library would slow down every other command. */
function addMcp(program: Command, run: Run): void {
  program.command('mcp').action(async (_options: unknown, command: Command) => {
    const { json, keyStdin } = program.opts<Common>()
    if (json === true || keyStdin === true) command.error(t().usage.error({ why: t().usage.mcpStreams }))
    const { mcp } = await import('./mcp/mcp.ts')
    await run(mcp, {})
  })
}

function addComplete(program: Command, write: (text: string) => void): void {
  program
    .command('complete')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => write(SCRIPTS[shell]))
}

function decisionOf(word: string, jobId: string | undefined): Decision | undefined {
  if (word === 'adopt') {
    return jobId !== undefined && JOB_ID_PATTERN.test(jobId) ? { kind: 'adopt', jobId } : undefined
  }
  if (jobId !== undefined) return undefined
  if (word === 'send') return { kind: 'sendAgain' }
  return word === 'remove' ? { kind: 'remove' } : undefined
}
