/** Defines the commands `submit`, `retry`, `follow` and `estimate`. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { MAX_PRESETS } from '../../shared/model/draft.ts'
import { estimate } from './commands/estimate.ts'
import { follow, retry, submit, type SubmitFlags } from './commands/submit.ts'
import type { Run } from './context.ts'
import { addOneOffSettings, settingsIn } from './one-off-settings.ts'
import { t } from './output/language.ts'
import { STREAM } from './stdin-photo.ts'

type EstimateFlags = { readonly preset?: readonly string[]; readonly count: number }

export function addSubmit(program: Command, run: Run): void {
  const command = program
    .command('submit')
    .argument('[files...]')
    .addOption(presetOption())
    .option('--no-preset-folders')
    .option('--output <dir>')
    .addOption(new Option('--beside [name]').conflicts(['output', 'driveOutput']))
    .addOption(new Option('--replace').conflicts(['output', 'beside', 'driveOutput']))
    .option('--yes')
    .option('--drive-input <id>')
    .addOption(new Option('--drive-output <id>').conflicts('output'))
    .option('--count <n>', '', wholeNumber(1))
    .option('--separate')
    .option('--skip-done')
    .addOption(new Option('--again').conflicts('skipDone'))
    .option('--upload')
    .option('--wait')
    .option('--watch')
    .action(async (files: string[], flags: SubmitFlags) => {
      const { json, keyStdin } = command.optsWithGlobals<CommonFlags>()
      const problem = contradiction(files, flags) ?? streamContradiction(files, { ...flags, json, keyStdin })
      if (problem !== undefined) command.error(t().usage.error({ why: problem }))
      await run(submit, { ...flags, files, settings: settingsIn(command) })
    })
  addOneOffSettings(command)
}

/** Creates `--preset`, which may be given up to MAX_PRESETS times. */
const presetOption = (): Option =>
  new Option('--preset <name>').argParser((name: string, before: readonly string[] | undefined) => {
    const all = [...new Set([...(before ?? []), name])]
    if (all.length > MAX_PRESETS)
      throw new InvalidArgumentError(t().draftProblems.tooManyPresets({ count: MAX_PRESETS }))
    return all
  })

export function addRetry(program: Command, run: Run): void {
  program
    .command('retry')
    .argument('<id>')
    .option('--upload')
    .option('--wait')
    .option('--watch')
    .action((id: string, { upload, wait, watch }: Pick<SubmitFlags, 'upload' | 'wait' | 'watch'>) =>
      run(retry, {
        id,
        upload: upload === true,
        wait: wait === true || watch === true,
        watch: watch === true,
      }),
    )
}

/** Adds a command that isn't for users: clients run it when another process becomes the owner. */
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
    .argument('<files...>')
    .addOption(presetOption())
    .option('--count <n>', '', wholeNumber(1), 1)
    .action((files: string[], { preset = [], count }: EstimateFlags) =>
      run(estimate, { files, count, presets: preset, settings: settingsIn(command) }),
    )
  addOneOffSettings(command)
}

/**
 * Explains which argument or option conflicts with `-` (one photo from stdin, or its result on stdout); undefined if there is no conflict.
 */
function streamContradiction(files: readonly string[], flags: SubmitFlags & CommonFlags): string | undefined {
  const { output, preset = [], count = 1 } = flags
  if (files.includes(STREAM)) {
    if (files.length > 1) return t().usage.stdinAlone
    if (flags.keyStdin === true) return t().usage.stdinTwice
    if (flags.beside !== undefined || flags.replace === true) return t().usage.stdinNoFolder
  }
  if (output !== STREAM) return undefined
  if (files.length > 1 || flags.driveInput !== undefined) return t().usage.stdoutOnePhoto
  if (preset.length > 1 || count > 1) return t().usage.stdoutOneResult
  if (flags.json === true) return t().usage.stdoutTwice
  if (flags.skipDone === true || flags.upload === true) return t().usage.stdoutNotWith
  return undefined
}

/** Creates a parser for an option whose value must be a whole number of at least `least`. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value
    throw new InvalidArgumentError(t().usage.wholeNumber({ least }))
  }

type CommonFlags = { readonly json?: boolean | undefined; readonly keyStdin?: boolean | undefined }

/** Checks rules 1 and 2 of section 2. Describes a violation in terms of the command's options; undefined if there is none. */
function contradiction(files: readonly string[], flags: SubmitFlags): string | undefined {
  if (files.length === 0 && flags.driveInput === undefined) return t().usage.noInput
  if (files.length > 0 && flags.driveInput !== undefined) return t().usage.filesOrDrive
  if (flags.driveInput !== undefined && flags.upload === true) return t().usage.uploadOrDrive
  return undefined
}
