import { JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import type { Outcome } from '../../shared/model/job.ts'
import { Argument, Command, Option } from 'commander'
import { addCheckService } from './commands/check-service.ts'
import { diagnostics } from './commands/diagnostics.ts'
import { addDriveCommand } from './commands/drive.ts'
import { history } from './commands/history.ts'
import { cancel } from './commands/cancel.ts'
import { clear, download, job, jobs } from './commands/jobs.ts'
import { type Decision, listOutbox, resolveOutbox, sendOutbox } from './commands/outbox.ts'
import { presets } from './commands/presets.ts'
import { status } from './commands/service.ts'
import { stats } from './commands/stats.ts'
import { redo, undo } from './commands/undo.ts'
import { emptyVault, vault } from './commands/vault.ts'
import { checkWatch, watch } from './commands/watch.ts'
import { SCRIPTS, type Shell, SHELLS } from './completion/scripts.ts'
import type { CliCommand, Run } from './context.ts'
import { addMcpCommand } from './mcp/add-mcp-command.ts'
import type { ServiceOptions } from './service-choice.ts'
import { addEstimate, addFollow, addRetry, addSubmit } from './submit-program.ts'
import { wholeNumber } from './whole-number.ts'

export type CommonOptions = ServiceOptions & {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly verbose?: boolean
}

/** Runs a command against the service that the common options select. */
export type Runner = <Options>(
  common: CommonOptions,
  command: CliCommand<Options>,
  options: Options,
) => Promise<void>

type WatchFlag = { readonly watch?: boolean }

type HistoryFlags = {
  readonly search?: string
  readonly outcome?: Outcome['kind'][]
  readonly preset?: string
  readonly limit?: number
  readonly csv?: boolean
}

const OUTCOMES = ['done', 'problems', 'failed', 'cancelled', 'forgotten'] as const satisfies Outcome['kind'][]
const DEFAULT_LIMIT = 20

/**
 * Defines the commands, arguments and options. `commands` contains the implementations.
 * @param write receives the text of commands that need no service
 */
export function createProgram(runWith: Runner, write: (text: string) => void): Command {
  const program = new Command('mediatray-cli')
    .description('Process photos and videos through a Local Media Job service.')
    .option(
      '--base-url <url>',
      'the service to use (MEDIATRAY_BASE_URL); default: the app’s service, or a built-in one for this command',
    )
    .addOption(
      new Option(
        '--service <name>',
        'the service to use, by its name or address in the app’s settings',
      ).conflicts('baseUrl'),
    )
    .option('--key-stdin', 'read the API key from the first line of stdin instead of MEDIATRAY_API_KEY')
    .option('--json', 'write one JSON object per line to stdout')
    .option('--quiet', 'report only results and problems')
    .addOption(
      new Option('--verbose', 'list every file and job, and the address of the built-in service').conflicts(
        'quiet',
      ),
    )
    .option('--licences', 'show the third-party components and their licenses')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(use --help for usage)')
    .exitOverride()
  const run: Run = (handler, options) => runWith(program.opts<CommonOptions>(), handler, options)
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
    addWatch,
    addPlainCommands,
    addDriveCommand,
    addMcpCommand,
    addCheckService,
  ]) {
    add(program, run)
  }
  addComplete(program, write)
  return program
}

function addHistory(program: Command, run: Run): void {
  program
    .command('history')
    .description('list submissions and their outcomes')
    .option('--search <text>', 'search file names, folders, presets and error messages')
    .addOption(new Option('--outcome <kind...>', 'only records with this outcome').choices(OUTCOMES))
    .option('--preset <name>', 'only records with this preset')
    .option(
      '--limit <n>',
      `maximum number of records (default: ${DEFAULT_LIMIT}; no limit with --csv)`,
      wholeNumber(1),
    )
    .option('--csv', 'write CSV, one line per record')
    .action((flags: HistoryFlags) =>
      run(history, {
        query: { text: flags.search, outcomes: flags.outcome, preset: flags.preset },
        limit: flags.limit ?? (flags.csv === true ? undefined : DEFAULT_LIMIT),
        csv: flags.csv === true,
      }),
    )
}

/** Adds the commands for originals that were replaced. */
function addOriginals(program: Command, run: Run): void {
  const add = (name: string, description: string, handler: typeof undo) =>
    program
      .command(name)
      .description(description)
      .argument('<id>', 'record id as shown by “history”, or a folder with replaced originals')
      .argument('[files...]', 'only these originals of the record, or those in these folders')
      .action((of: string, files: string[]) => run(handler, { of, files }))
  add('undo', 'restore the originals that a job has replaced, or all in a folder', undo)
  add('redo', 'replace restored originals again', redo)
  program
    .command('vault')
    .description('show how many replaced originals are kept, and where')
    .action(() => run(vault, {}))
    .command('empty')
    .description('delete the kept originals permanently')
    .option('--yes', 'don’t ask')
    .option('--unrestored', 'also delete originals that couldn’t be restored')
    .action(({ yes, unrestored }: { yes?: boolean; unrestored?: boolean }) =>
      run(emptyVault, { yes: yes === true, unrestored: unrestored === true }),
    )
}

function addOutbox(program: Command, run: Run): void {
  const outbox = program
    .command('outbox')
    .description('list submissions that haven’t been accepted yet')
    .action(() => run(listOutbox, {}))
  outbox
    .command('send')
    .description('send waiting submissions and check unconfirmed ones')
    .option('--watch', 'show everything in progress')
    .action(({ watch }: WatchFlag) => run(sendOutbox, { watch: watch === true }))
  outbox
    .command('resolve')
    .description('resolve an unconfirmed submission')
    .argument('<id>')
    .argument('<decision>', 'adopt JOBID: follow that job; send: send again; remove: discard')
    .argument('[job]')
    .action(async (id: string, word: string, jobId: string | undefined, _: unknown, command: Command) => {
      const decision = decisionOf(word, jobId)
      if (decision === undefined) command.error('error: the decision must be adopt JOBID, send or remove')
      else await run(resolveOutbox, { id, decision })
    })
}

function addJobs(program: Command, run: Run): void {
  program
    .command('jobs')
    .description('list the 50 most recent jobs')
    .option('--watch', 'show jobs in progress until all have finished')
    .action(({ watch }: WatchFlag) => run(jobs, { watch: watch === true }))
  program
    .command('job')
    .description('show one job')
    .argument('<id>')
    .action((jobId: string) => run(job, { jobId }))
  program
    .command('cancel')
    .description('request cancellation of a job, or of all parts of a job with several presets or folders')
    .argument('<id>', 'job id, or record id as shown by “history”')
    .option('--part', 'only the part with this id, not the other presets or folders')
    .action((id: string, { part }: { part?: boolean }) => run(cancel, { id, onlyPart: part === true }))
}

function addDownload(program: Command, run: Run): void {
  program
    .command('download')
    .description('download a result of a completed job')
    .argument('<id>')
    .option('--index <n>', 'index of the result in a batch, starting at 0', wholeNumber(0), 0)
    .option('--to <path>', 'a folder or a new file (default: the current folder)')
    .action((jobId: string, { index, to }: { index: number; to?: string }) =>
      run(download, { jobId, index, ...(to === undefined ? {} : { to }) }),
    )
}

function addPresets(program: Command, run: Run): void {
  program
    .command('presets')
    .description('list the saved presets, or print one (built-in service only)')
    .argument('[name]')
    .option('--fields', 'list the fields of a preset with their values, limits and defaults')
    .action((name: string | undefined, { fields }: { fields?: boolean }) =>
      run(presets, { fields: fields === true, ...(name === undefined ? {} : { name }) }),
    )
}

/** Adds the commands without options and arguments. */
function addWatch(program: Command, run: Run): void {
  program
    .command('watch')
    .description('watch the app’s folders, as the app does while it runs')
    .option('--once', 'process the files that are there now, then end')
    .addOption(
      new Option('--check', 'only check whether a process watches; exits with 4 if none does').conflicts(
        'once',
      ),
    )
    .action(({ once, check }: { once?: boolean; check?: boolean }) =>
      check === true ? run(checkWatch, {}) : run(watch, { once: once === true }),
    )
}

function addPlainCommands(program: Command, run: Run): void {
  const add = (name: string, description: string) => program.command(name).description(description)
  add('status', 'check whether the service runs and accepts the key').action(() => run(status, {}))
  add('stats', 'show how much space the results save, in total').action(() => run(stats, {}))
  add('clear', 'remove finished jobs from the service’s list').action(() => run(clear, {}))
  add(
    'diagnostics',
    'print a report for support: versions, settings, state and log, without keys, names and paths',
  ).action(() => run(diagnostics, {}))
}

function addComplete(program: Command, write: (text: string) => void): void {
  program
    .command('complete')
    .description('print a script that completes commands, options, presets and record ids in a shell')
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
