import { JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import { MANY_FOLDERS, MAX_PRESETS } from '../../shared/model/draft.ts'
import type { OutcomeKind } from '../../shared/model/outcome.ts'
import { Command, InvalidArgumentError, Option } from 'commander'
import { diagnostics } from './commands/diagnostics.ts'
import { addDriveCommand } from './commands/drive.ts'
import { estimate } from './commands/estimate.ts'
import { history } from './commands/history.ts'
import { cancel, clear, download, job, jobs } from './commands/jobs.ts'
import { type Decision, listOutbox, resolveOutbox, sendOutbox } from './commands/outbox.ts'
import { emptyVault, redo, undo, vault } from './commands/originals.ts'
import { presets } from './commands/presets.ts'
import { status } from './commands/service.ts'
import { stats } from './commands/stats.ts'
import { retry, submit, type SubmitOptions } from './commands/submit.ts'
import { checkWatch, watch } from './commands/watch.ts'
import type { CliCommand, Run } from './context.ts'
import { DEFAULT_OUTPUT } from './open-core.ts'
import type { ServiceOptions } from './service-choice.ts'

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

type SubmitFlags = {
  readonly preset?: readonly string[]
  readonly presetFolders: boolean
  readonly output?: string
  /** true without a name. */
  readonly beside?: string | true
  readonly replace?: boolean
  readonly yes?: boolean
  readonly driveInput?: string
  readonly driveOutput?: string
  readonly count?: number
  readonly separate?: boolean
  readonly skipDone?: boolean
  readonly again?: boolean
  readonly upload?: boolean
  readonly wait?: boolean
  readonly watch?: boolean
}

type EstimateFlags = { readonly preset?: readonly string[]; readonly count: number }

type HistoryFlags = {
  readonly search?: string
  readonly outcome?: OutcomeKind[]
  readonly preset?: string
  readonly limit?: number
  readonly csv?: boolean
}

const OUTCOMES = ['done', 'problems', 'failed', 'cancelled', 'forgotten'] as const satisfies OutcomeKind[]
const DEFAULT_LIMIT = 20

/** Defines the commands, arguments and options. `commands` contains the implementations. */
export function createProgram(runWith: Runner): Command {
  const program = new Command('mediatray-cli')
    .description('Process photos and videos through a Local Media Job service.')
    .option(
      '--base-url <url>',
      'the service to use (MEDIATRAY_BASE_URL); default: the app’s service, or a built-in one for this command',
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
  ]) {
    add(program, run)
  }
  return program
}

function addSubmit(program: Command, run: Run): void {
  program
    .command('submit')
    .description('submit files or a Drive folder as one job')
    .argument('[files...]', 'photos, videos or folders')
    .addOption(presetOption())
    .option('--no-preset-folders', 'with several presets, save all results to the same folder')
    .option('--output <dir>', `folder for the results (default: ./${DEFAULT_OUTPUT})`)
    .addOption(
      new Option(
        '--beside [name]',
        'save the results next to each original, or to a subfolder with this name there',
      ).conflicts(['output', 'driveOutput']),
    )
    .addOption(
      new Option(
        '--replace',
        'replace each original with its result; “undo” restores the originals',
      ).conflicts(['output', 'beside', 'driveOutput']),
    )
    .option('--yes', `save results to more than ${MANY_FOLDERS} folders without asking`)
    .option('--drive-input <id>', 'process the files in this cloud drive folder')
    .addOption(
      new Option('--drive-output <id>', 'upload the results to this cloud drive folder').conflicts('output'),
    )
    .option('--count <n>', 'variations of each file', wholeNumber(1))
    .option('--separate', 'one job for each file')
    .option('--skip-done', 'skip files that jobs have processed with the same preset or will process')
    .addOption(
      new Option('--again', 'process all files, including results with the same preset in folders').conflicts(
        'skipDone',
      ),
    )
    .option(
      '--upload',
      'upload the files and download the results, for a service that can’t read this computer’s files',
    )
    .option('--wait', 'wait until the jobs finish; always on with the built-in service')
    .option('--watch', 'like --wait, and show everything in progress')
    .action(async (files: string[], flags: SubmitFlags, command: Command) => {
      const problem = contradiction(files, flags)
      if (problem !== undefined) command.error(`error: ${problem}`)
      await run(submit, {
        input: flags.driveInput === undefined ? { files } : { driveInputFolder: flags.driveInput },
        output: outputOf(flags),
        presets: flags.preset ?? [],
        presetFolders: flags.presetFolders,
        yes: flags.yes === true,
        ...(flags.count === undefined ? {} : { count: flags.count }),
        separate: flags.separate === true,
        upload: flags.upload === true,
        leaveOut: flags.skipDone === true ? 'done' : flags.again === true ? 'nothing' : 'results',
        wait: flags.wait === true || flags.watch === true,
        watch: flags.watch === true,
      })
    })
}

function outputOf({ replace, beside, driveOutput, output }: SubmitFlags): SubmitOptions['output'] {
  if (replace === true) return { replace }
  if (beside !== undefined) return { subfolder: beside === true ? null : beside }
  return driveOutput === undefined ? { folder: output ?? DEFAULT_OUTPUT } : { driveOutputFolder: driveOutput }
}

/** May be given several times. */
const presetOption = (): Option =>
  new Option(
    '--preset <name>',
    `a saved preset; repeat it for up to ${MAX_PRESETS} presets; without it, the basic defaults`,
  ).argParser((name: string, before: readonly string[] | undefined) => {
    const all = [...new Set([...(before ?? []), name])]
    if (all.length > MAX_PRESETS)
      throw new InvalidArgumentError(`At most ${MAX_PRESETS} presets are possible.`)
    return all
  })

function addRetry(program: Command, run: Run): void {
  program
    .command('retry')
    .description('submit the failed files of a record again')
    .argument('<id>', 'record id as shown by “history”')
    .option('--upload', 'upload the files and download the results')
    .option('--wait', 'wait until the jobs finish; always on with the built-in service')
    .option('--watch', 'like --wait, and show everything in progress')
    .action((id: string, { upload, wait, watch }: Pick<SubmitFlags, 'upload' | 'wait' | 'watch'>) =>
      run(retry, {
        id,
        upload: upload === true,
        wait: wait === true || watch === true,
        watch: watch === true,
      }),
    )
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
    .action(({ yes }: { yes?: boolean }) => run(emptyVault, { yes: yes === true }))
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
    .action(({ watch }: Pick<SubmitFlags, 'watch'>) => run(sendOutbox, { watch: watch === true }))
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
    .action(({ watch }: Pick<SubmitFlags, 'watch'>) => run(jobs, { watch: watch === true }))
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

function addEstimate(program: Command, run: Run): void {
  program
    .command('estimate')
    .description('estimate the results’ size and the processing time from samples; keeps no output')
    .argument('<files...>', 'photos, videos or folders')
    .addOption(presetOption())
    .option('--count <n>', 'variations of each file', wholeNumber(1), 1)
    .action((files: string[], { preset = [], count }: EstimateFlags) =>
      run(estimate, { files, count, presets: preset }),
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

/** Checks rules 1 and 2 of section 2. Describes a violation in terms of the command's options. */
function contradiction(files: readonly string[], flags: SubmitFlags): string | undefined {
  if (files.length === 0 && flags.driveInput === undefined)
    return 'specify at least one file or --drive-input'
  if (files.length > 0 && flags.driveInput !== undefined) return 'files can’t be combined with --drive-input'
  if (flags.driveInput !== undefined && flags.upload === true)
    return '--upload can’t be combined with --drive-input'
  return undefined
}

function decisionOf(word: string, jobId: string | undefined): Decision | undefined {
  if (word === 'adopt') {
    return jobId !== undefined && JOB_ID_PATTERN.test(jobId) ? { kind: 'adopt', jobId } : undefined
  }
  if (jobId !== undefined) return undefined
  if (word === 'send') return { kind: 'sendAgain' }
  return word === 'remove' ? { kind: 'remove' } : undefined
}

const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`Must be a whole number of at least ${least}.`)
    }
    return value
  }
