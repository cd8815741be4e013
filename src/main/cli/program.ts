import { JOB_ID_PATTERN } from '../../shared/api/limits.ts'
import type { OutcomeKind } from '../../shared/model/outcome.ts'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Verb } from './context.ts'
import { cancel } from './commands/cancel.ts'
import { clear } from './commands/clear.ts'
import { diagnostics } from './commands/diagnostics.ts'
import { download } from './commands/download.ts'
import { addDriveCommand } from './commands/drive.ts'
import { history } from './commands/history.ts'
import { job } from './commands/job.ts'
import { jobs } from './commands/jobs.ts'
import { listOutbox, resolveOutbox, sendOutbox, type Decision } from './commands/outbox.ts'
import { presets } from './commands/presets.ts'
import { retry } from './commands/retry.ts'
import { status } from './commands/status.ts'
import { submit } from './commands/submit.ts'
import { DEFAULT_OUTPUT } from './open-core.ts'
import type { ServiceOptions } from './service-choice.ts'

export type CommonOptions = ServiceOptions & { readonly json?: boolean }

/** Runs a verb against the service that the common options name. */
export type Runner = <Options>(common: CommonOptions, verb: Verb<Options>, options: Options) => Promise<void>

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
export function createProgram(run: Runner): Command {
  const program = new Command('mediatray')
    .description('Process photos and videos through a Local Media Job service.')
    .option(
      '--base-url <url>',
      'the service (MEDIATRAY_BASE_URL); without it, the one the app uses, or the built-in one for this command',
    )
    .option('--key-stdin', 'read the API key from the first line of stdin instead of MEDIATRAY_API_KEY')
    .option('--json', 'one JSON object a line on stdout')
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
  const common = () => program.opts<CommonOptions>()

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
      await run(common(), submit, {
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

  program
    .command('retry')
    .description('submit the failed files of a record once more')
    .argument('<id>', 'as “history” shows it')
    .option('--upload', 'send the files to the service, and fetch the results')
    .option('--wait', 'until all is done; always so with the built-in service')
    .option('--watch', 'like --wait, and shows everything that is under way')
    .action((id: string, { upload, wait, watch }: Pick<SubmitFlags, 'upload' | 'wait' | 'watch'>) =>
      run(common(), retry, {
        id,
        upload: upload === true,
        wait: wait === true || watch === true,
        watch: watch === true,
      }),
    )

  program
    .command('history')
    .description('what was submitted and what became of it')
    .option('--search <text>', 'words in file names, folders, presets and error texts')
    .addOption(new Option('--outcome <kind...>', 'only those that ended like this').choices(OUTCOMES))
    .option('--preset <name>', 'only those with this preset')
    .option('--limit <n>', `at most so many (default: ${DEFAULT_LIMIT}; all with --csv)`, wholeNumber(1))
    .option('--csv', 'as a table, one line for each')
    .action((flags: HistoryFlags) =>
      run(common(), history, {
        query: { text: flags.search, outcomes: flags.outcome, preset: flags.preset },
        limit: flags.limit ?? (flags.csv === true ? undefined : DEFAULT_LIMIT),
        csv: flags.csv === true,
      }),
    )

  const outbox = program
    .command('outbox')
    .description('what was submitted and not accepted yet')
    .action(() => run(common(), listOutbox, {}))
  outbox
    .command('send')
    .description('send what waits, and find out what is in doubt')
    .option('--watch', 'show everything that is under way')
    .action(({ watch }: Pick<SubmitFlags, 'watch'>) => run(common(), sendOutbox, { watch: watch === true }))
  outbox
    .command('resolve')
    .description('decide about a submission that may have arrived')
    .argument('<id>')
    .argument('<decision>', 'adopt JOBID: it is that job; send: once more; remove: not any more')
    .argument('[job]')
    .action(async (id: string, word: string, jobId: string | undefined, _: unknown, command: Command) => {
      const decision = decisionOf(word, jobId)
      if (decision === undefined) command.error('error: the decision is adopt JOBID, send or remove')
      else await run(common(), resolveOutbox, { id, decision })
    })

  program
    .command('jobs')
    .description('the 50 most recent jobs')
    .option('--watch', 'a live view of what is under way, until nothing is')
    .action(({ watch }: Pick<SubmitFlags, 'watch'>) => run(common(), jobs, { watch: watch === true }))

  program
    .command('job')
    .description('one job')
    .argument('<id>')
    .action((jobId: string) => run(common(), job, { jobId }))

  program
    .command('cancel')
    .description('ask for a job to be stopped')
    .argument('<id>')
    .action((jobId: string) => run(common(), cancel, { jobId }))

  program
    .command('download')
    .description('save a result of a completed job')
    .argument('<id>')
    .option('--index <n>', 'which of a batch’s results, from 0', wholeNumber(0), 0)
    .option('--to <path>', 'a folder, or a new file (default: the current folder)')
    .action((jobId: string, { index, to }: { index: number; to?: string }) =>
      run(common(), download, { jobId, index, ...(to === undefined ? {} : { to }) }),
    )

  program
    .command('presets')
    .description('the saved presets')
    .action(() => run(common(), presets, {}))
  program
    .command('status')
    .description('whether the service runs and takes the key')
    .action(() => run(common(), status, {}))
  program
    .command('clear')
    .description('remove finished jobs from the service’s list')
    .action(() => run(common(), clear, {}))
  program
    .command('diagnostics')
    .description(
      'a report for whoever helps: versions, settings, state and log, without keys, names and paths',
    )
    .action(() => run(common(), diagnostics, {}))
  addDriveCommand(program, (verb, options) => run(common(), verb, options))
  return program
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
