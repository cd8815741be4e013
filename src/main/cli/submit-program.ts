/** Defines the commands that process files: `submit`, `retry` and `estimate`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { MANY_FOLDERS, MAX_PRESETS } from '../../shared/model/draft.ts'
import { estimate } from './commands/estimate.ts'
import { follow, retry, submit, type SubmitOptions } from './commands/submit.ts'
import type { Run } from './context.ts'
import { addOneOffSettings, settingsIn } from './one-off-settings.ts'
import { DEFAULT_OUTPUT } from './owner.ts'
import { STREAM } from './stdin-photo.ts'
import { wholeNumber } from './whole-number.ts'

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

export function addSubmit(program: Command, run: Run): void {
  const command = program
    .command('submit')
    .description('submit files or a Drive folder as one job')
    .argument('[files...]', 'photos, videos or folders; - reads one photo from stdin')
    .addOption(presetOption())
    .option('--no-preset-folders', 'with several presets, save all results to the same folder')
    .option(
      '--output <dir>',
      `folder for the results (default: ./${DEFAULT_OUTPUT}); - writes one photo’s result to stdout`,
    )
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
    .action(async (files: string[], flags: SubmitFlags) => {
      const { json, keyStdin } = command.optsWithGlobals<CommonFlags>()
      const problem = contradiction(files, flags) ?? streamContradiction(files, { ...flags, json, keyStdin })
      if (problem !== undefined) command.error(`error: ${problem}`)
      await run(submit, {
        input: flags.driveInput === undefined ? { files } : { driveInputFolder: flags.driveInput },
        output: outputOf(flags),
        presets: flags.preset ?? [],
        settings: settingsIn(command),
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
  addOneOffSettings(command)
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
      throw new InvalidArgumentError(`At most ${MAX_PRESETS} presets are allowed.`)
    return all
  })

export function addRetry(program: Command, run: Run): void {
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

/** Not for users: clients use it when another process becomes the owner. */
export function addFollow(program: Command, run: Run): void {
  program
    .command('follow', { hidden: true })
    .argument('<ids...>')
    .option('--wait')
    .option('--watch')
    .action((ids: string[], { wait, watch }: Pick<SubmitFlags, 'wait' | 'watch'>) =>
      run(follow, { ids, wait: wait === true, watch: watch === true }),
    )
}

export function addEstimate(program: Command, run: Run): void {
  const command = program
    .command('estimate')
    .description('estimate the results’ size and the processing time from samples; keeps no output')
    .argument('<files...>', 'photos, videos or folders')
    .addOption(presetOption())
    .option('--count <n>', 'variations of each file', wholeNumber(1), 1)
    .action((files: string[], { preset = [], count }: EstimateFlags) =>
      run(estimate, { files, count, presets: preset, settings: settingsIn(command) }),
    )
  addOneOffSettings(command)
}

/** `-` is one photo from stdin, or its result on stdout. */
function streamContradiction(files: readonly string[], flags: SubmitFlags & CommonFlags): string | undefined {
  const {
    output,
    beside,
    replace,
    preset = [],
    count = 1,
    json,
    keyStdin,
    skipDone,
    driveInput,
    upload,
  } = flags
  if (files.includes(STREAM)) {
    if (files.length > 1) return '- reads one photo from stdin, so it can’t be combined with other files'
    if (keyStdin === true) return 'stdin can’t be both the key and a photo. Use MEDIATRAY_API_KEY'
    if (beside !== undefined || replace === true)
      return 'a photo from stdin has no folder, so it can’t be combined with --beside and --replace'
  }
  if (output !== STREAM) return undefined
  if (files.length > 1 || driveInput !== undefined)
    return '--output - writes one result to stdout, so it needs exactly one photo. Use --output FOLDER for more'
  if (preset.length > 1 || count > 1)
    return '--output - writes one result to stdout, so it needs one preset and no variations'
  if (json === true) return '--output - and --json both write to stdout'
  if (skipDone === true || upload === true)
    return '--output - can’t be combined with --skip-done and --upload'
  return undefined
}

type CommonFlags = { readonly json?: boolean | undefined; readonly keyStdin?: boolean | undefined }

/** Checks rules 1 and 2 of section 2. Describes a violation in terms of the command's options. */
function contradiction(files: readonly string[], flags: SubmitFlags): string | undefined {
  if (files.length === 0 && flags.driveInput === undefined)
    return 'specify at least one file or --drive-input'
  if (files.length > 0 && flags.driveInput !== undefined) return 'files can’t be combined with --drive-input'
  if (flags.driveInput !== undefined && flags.upload === true)
    return '--upload can’t be combined with --drive-input'
  return undefined
}
