import { Command, InvalidArgumentError, Option } from 'commander'
import type { Verb } from './context.ts'
import { cancel } from './verbs/cancel.ts'
import { clear } from './verbs/clear.ts'
import { download } from './verbs/download.ts'
import { job } from './verbs/job.ts'
import { jobs } from './verbs/jobs.ts'
import { presets } from './verbs/presets.ts'
import { status } from './verbs/status.ts'
import { submit } from './verbs/submit.ts'
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
}

const DEFAULT_OUTPUT = 'mediatray-output'

/** The words of the command line: what is asked for and with which options, and nothing of how it is done. */
export function createProgram(run: Runner): Command {
  const program = new Command('mediatray')
    .description('Process photos and videos through a Local Media Job service.')
    .option(
      '--base-url <url>',
      'the service; without it, the built-in one is started for this command (MEDIATRAY_BASE_URL)',
    )
    .option('--key-stdin', 'read the API key from the first line of stdin instead of MEDIATRAY_API_KEY')
    .option('--json', 'one JSON object a line on stdout')
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride()
  const common = () => program.opts<CommonOptions>()

  program
    .command('submit')
    .description('submit files, or a Drive folder, as one job')
    .argument('[files...]', 'photos and videos')
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
        wait: flags.wait === true,
      })
    })

  program
    .command('jobs')
    .description('the 50 most recent jobs')
    .action(() => run(common(), jobs, {}))

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
  return program
}

/** Section 2, rules 1 and 2, in the words of the options. */
function contradiction(files: readonly string[], flags: SubmitFlags): string | undefined {
  if (files.length === 0 && flags.driveInput === undefined) return 'name at least one file, or --drive-input'
  if (files.length > 0 && flags.driveInput !== undefined) return 'files and --drive-input exclude each other'
  if (flags.driveInput !== undefined && flags.upload === true) return '--drive-input has nothing to upload'
  return undefined
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
