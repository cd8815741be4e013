import { JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import type { OutcomeKind } from '../../shared/model/outcome.ts'
import { Command, InvalidArgumentError, Option } from 'commander'
import { diagnostics } from './commands/diagnostics.ts'
import { addDriveCommand } from './commands/drive.ts'
import { estimate } from './commands/estimate.ts'
import { history } from './commands/history.ts'
import { cancel, clear, download, job, jobs } from './commands/jobs.ts'
import { type Decision, listOutbox, resolveOutbox, sendOutbox } from './commands/outbox.ts'
import { presets } from './commands/presets.ts'
import { status } from './commands/service.ts'
import { retry, submit } from './commands/submit.ts'
import type { CliCommand } from './context.ts'
import { DEFAULT_OUTPUT } from './open-core.ts'
import type { ServiceOptions } from './service-choice.ts'

export type CommonOptions = ServiceOptions & { readonly json?: boolean }

/** Runs a command against the service that the common options name. */
export type Runner = <Options>(
  common: CommonOptions,
  command: CliCommand<Options>,
  options: Options,
) => Promise<void>

/** The same, with the common options that were given. */
export type Run = <Options>(handler: CliCommand<Options>, options: Options) => Promise<void>

type SubmitFlags = {
  readonly preset?: string
  readonly output?: string
  readonly driveInput?: string
  readonly driveOutput?: string
  readonly count?: number
  readonly separate?: boolean
  readonly upload?: boolean
  readonly wait?: boolean
  readonly watch?: boolean
}

type EstimateFlags = { readonly preset?: string; readonly count: number }

type HistoryFlags = {
  readonly search?: string
  readonly outcome?: OutcomeKind[]
  readonly preset?: string
  readonly limit?: number
  readonly csv?: boolean
}

const OUTCOMES = ['done', 'problems', 'failed', 'cancelled', 'forgotten'] as const satisfies OutcomeKind[]
const DEFAULT_LIMIT = 20

/** The words of the command line: what is asked for and with which options, and nothing of how it is done. */
export function createProgram(runWith: Runner): Command {
  const program = new Command('mediatray-cli')
    .description('Process photos and videos through a Local Media Job service.')
    .option(
      '--base-url <url>',
      'the service (MEDIATRAY_BASE_URL); without it, the one the app uses, or the built-in one for this command',
    )
    .option('--key-stdin', 'read the API key from the first line of stdin instead of MEDIATRAY_API_KEY')
    .option('--json', 'one JSON object a line on stdout')
    .option('--licences', 'show what this program carries that is not its own, and under which licences')
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
  const run: Run = (handler, options) => runWith(program.opts<CommonOptions>(), handler, options)
  for (const add of [
    addSubmit,
    addRetry,
    addHistory,
    addOutbox,
    addJobs,
    addJob,
    addCancel,
    addDownload,
    addEstimate,
    addPresets,
    addStatus,
    addClear,
    addDiagnostics,
    addDriveCommand,
  ]) {
    add(program, run)
  }
  return program
}

function addSubmit(program: Command, run: Run): void {
  program
    .command('submit')
    .description('submit files, or a Drive folder, as one job')
    .argument('[files...]', 'photos, videos, and folders of them')
    .option('--preset <name>', 'a saved preset; without it, the basic defaults')
    .option('--output <dir>', `where the results go (default: ./${DEFAULT_OUTPUT})`)
    .option('--drive-input <id>', 'take the files of this cloud drive folder')
    .addOption(
      new Option('--drive-output <id>', 'put the results into this cloud drive folder').conflicts('output'),
    )
    .option('--count <n>', 'variations of each file', wholeNumber(1))
    .option('--separate', 'one job for each file')
    .option(
      '--upload',
      'send the files to the service, and fetch the results: for one that does not see this computer’s files',
    )
    .option('--wait', 'until all is done; always so with the built-in service')
    .option('--watch', 'like --wait, and shows everything that is under way')
    .action(async (files: string[], flags: SubmitFlags, command: Command) => {
      const problem = contradiction(files, flags)
      if (problem !== undefined) command.error(`error: ${problem}`)
      await run(submit, {
        input: flags.driveInput === undefined ? { files } : { driveInputFolder: flags.driveInput },
        output:
          flags.driveOutput === undefined
            ? { folder: flags.output ?? DEFAULT_OUTPUT }
            : { driveOutputFolder: flags.driveOutput },
        ...(flags.preset === undefined ? {} : { preset: flags.preset }),
        ...(flags.count === undefined ? {} : { count: flags.count }),
        separate: flags.separate === true,
        upload: flags.upload === true,
        wait: flags.wait === true || flags.watch === true,
        watch: flags.watch === true,
      })
    })
}

function addRetry(program: Command, run: Run): void {
  program
    .command('retry')
    .description('submit the failed files of a record once more')
    .argument('<id>', 'as “history” shows it')
    .option('--upload', 'send the files to the service, and fetch the results')
    .option('--wait', 'until all is done; always so with the built-in service')
    .option('--watch', 'like --wait, and shows everything that is under way')
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
    .description('what was submitted and what became of it')
    .option('--search <text>', 'words in file names, folders, presets and error texts')
    .addOption(new Option('--outcome <kind...>', 'only those that ended like this').choices(OUTCOMES))
    .option('--preset <name>', 'only those with this preset')
    .option('--limit <n>', `at most so many (default: ${DEFAULT_LIMIT}; all with --csv)`, wholeNumber(1))
    .option('--csv', 'as a table, one line for each')
    .action((flags: HistoryFlags) =>
      run(history, {
        query: { text: flags.search, outcomes: flags.outcome, preset: flags.preset },
        limit: flags.limit ?? (flags.csv === true ? undefined : DEFAULT_LIMIT),
        csv: flags.csv === true,
      }),
    )
}

function addOutbox(program: Command, run: Run): void {
  const outbox = program
    .command('outbox')
    .description('what was submitted and not accepted yet')
    .action(() => run(listOutbox, {}))
  outbox
    .command('send')
    .description('send what waits, and find out what is in doubt')
    .option('--watch', 'show everything that is under way')
    .action(({ watch }: Pick<SubmitFlags, 'watch'>) => run(sendOutbox, { watch: watch === true }))
  outbox
    .command('resolve')
    .description('decide about a submission that may have arrived')
    .argument('<id>')
    .argument('<decision>', 'adopt JOBID: it is that job; send: once more; remove: not any more')
    .argument('[job]')
    .action(async (id: string, word: string, jobId: string | undefined, _: unknown, command: Command) => {
      const decision = decisionOf(word, jobId)
      if (decision === undefined) command.error('error: the decision is adopt JOBID, send or remove')
      else await run(resolveOutbox, { id, decision })
    })
}

function addJobs(program: Command, run: Run): void {
  program
    .command('jobs')
    .description('the 50 most recent jobs')
    .option('--watch', 'a live view of what is under way, until nothing is')
    .action(({ watch }: Pick<SubmitFlags, 'watch'>) => run(jobs, { watch: watch === true }))
}

function addJob(program: Command, run: Run): void {
  program
    .command('job')
    .description('one job')
    .argument('<id>')
    .action((jobId: string) => run(job, { jobId }))
}

function addCancel(program: Command, run: Run): void {
  program
    .command('cancel')
    .description('ask for a job to be stopped')
    .argument('<id>')
    .action((jobId: string) => run(cancel, { jobId }))
}

function addDownload(program: Command, run: Run): void {
  program
    .command('download')
    .description('save a result of a completed job')
    .argument('<id>')
    .option('--index <n>', 'which of a batch’s results, from 0', wholeNumber(0), 0)
    .option('--to <path>', 'a folder, or a new file (default: the current folder)')
    .action((jobId: string, { index, to }: { index: number; to?: string }) =>
      run(download, { jobId, index, ...(to === undefined ? {} : { to }) }),
    )
}

function addPresets(program: Command, run: Run): void {
  program
    .command('presets')
    .description('the saved presets; with a name, what that one does (of the built-in service)')
    .argument('[name]')
    .option('--fields', 'what a preset may hold: values, limits, and what holds if nothing is said', false)
    .action((name: string | undefined, { fields }: { fields: boolean }) =>
      run(presets, { fields, ...(name === undefined ? {} : { name }) }),
    )
}

function addStatus(program: Command, run: Run): void {
  program
    .command('status')
    .description('whether the service runs and takes the key')
    .action(() => run(status, {}))
}

function addEstimate(program: Command, run: Run): void {
  program
    .command('estimate')
    .description('how large the results will be and how long they take, from samples; nothing is kept')
    .argument('<files...>', 'photos, videos, and folders of them')
    .option('--preset <name>', 'a saved preset; without it, the basic defaults')
    .option('--count <n>', 'variations of each file', wholeNumber(1), 1)
    .action((files: string[], { preset, count }: EstimateFlags) =>
      run(estimate, { files, count, ...(preset === undefined ? {} : { preset }) }),
    )
}

function addClear(program: Command, run: Run): void {
  program
    .command('clear')
    .description('remove finished jobs from the service’s list')
    .action(() => run(clear, {}))
}

function addDiagnostics(program: Command, run: Run): void {
  program
    .command('diagnostics')
    .description(
      'a report for whoever helps: versions, settings, state and log, without keys, names and paths',
    )
    .action(() => run(diagnostics, {}))
}

/** Section 2, rules 1 and 2, in the words of the options. */
function contradiction(files: readonly string[], flags: SubmitFlags): string | undefined {
  if (files.length === 0 && flags.driveInput === undefined) return 'name at least one file, or --drive-input'
  if (files.length > 0 && flags.driveInput !== undefined) return 'files and --drive-input exclude each other'
  if (flags.driveInput !== undefined && flags.upload === true) return '--drive-input has nothing to upload'
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
      throw new InvalidArgumentError(`It has to be a whole number from ${least} on.`)
    }
    return value
  }
