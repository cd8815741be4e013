import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Confirmation, Draft, DraftProblem, StartResult } from '../../../shared/model/draft.ts'
import type { Preset } from '../../../shared/preset/preset.ts'
import { asRecordId } from '../../../shared/model/ids.ts'
import { repeatJob } from '../../core/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { filterPhoto } from './filter.ts'
import { usageError, combinedExitCode } from '../exit-code.ts'
import { changedPreset, keepChanged, removeUnused, uselessSetting } from '../one-off-preset.ts'
import { presetsMeant } from '../preset-names.ts'
import type { OneOffSetting } from '../one-off-settings.ts'
import { followSubmissions } from '../follow-submissions.ts'
import { sayingLosses } from '../foresee-losses.ts'
import { connected, connectionTrouble, fetched, settled } from '../reach-service.ts'
import { removeStream, removeUnusedPhotos, STREAM, streamFolder, takeFromStdin } from '../stdin-photo.ts'
import { endWith, notice } from '../output/events.ts'
import { t } from '../output/language.ts'
import { DEFAULT_OUTPUT } from '../owner.ts'
import { takeIn } from '../take-in.ts'
import { type LeavingOut, startUndone, withoutDone } from '../without-done.ts'

type Waits = { readonly wait: boolean; readonly watch: boolean }

/** The options that the user has given; docs/cli.md describes each. */
export type SubmitFlags = {
  readonly preset?: readonly string[]
  readonly presetFolders: boolean
  readonly output?: string
  /** true if the option was given without a name. */
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

/** Submits files; with `--output -`, processes one photo. @param settings changes to the preset for this command */
export const submit: CliCommand<
  SubmitFlags & { readonly files: readonly string[]; readonly settings: readonly OneOffSetting[] }
> = async (context, options) => {
  const { files, settings, driveInput } = options
  const presets = await presetsMeant(context, options.preset ?? [])
  const { cwd } = context.environment
  const taken = fileTakenAsSubfolder(options.beside, cwd)
  if (taken !== undefined)
    return endWith(context.report, t().answers.subfolderIsFile({ file: taken }), EXIT.usage)
  const changed = settings.length === 0 ? undefined : await changedPreset(context, presets, settings)
  if (changed?.ok === false) return changed.code
  const [file] = files
  const output = outputOf(options, cwd)
  if (file !== undefined && options.output === STREAM && output.kind === 'folder')
    return filterPhoto(context, { file, preset: presets[0] ?? null, changed: changed?.preset, settings })
  const stream = file === STREAM ? streamFolder(context.environment, 'jobs') : undefined
  const stdin = stream === undefined ? undefined : await takeFromStdin(context, stream)
  if (stdin?.ok === false) {
    if (stream !== undefined) await removeStream(stream)
    return stdin.code
  }
  const { source, codes } =
    driveInput !== undefined
      ? ({ source: { kind: 'drive', folderId: driveInput }, codes: [] } as const)
      : stdin === undefined
        ? await takeIn(context, files)
        : ({ source: { kind: 'files', items: [stdin.item] }, codes: [] } as const)
  if (source === undefined) return combinedExitCode(codes)
  const useless = uselessSetting(source, changed?.preset, settings)
  if (useless !== undefined) {
    const code = usageError(context.environment, useless)
    if (stream !== undefined) await removeStream(stream)
    return code
  }
  const whole: Draft = {
    source,
    rejected: [],
    presets:
      changed === undefined
        ? presets
        : [await keepChanged(context.environment, presets, settings, changed.text)],
    presetFolders: options.presetFolders,
    done: 'again',
    output,
    variations: options.count ?? 1,
    grouping: options.separate === true ? 'separate' : 'together',
    editing: null,
  }
  const leaving = leavingOf(options, files, cwd)
  const draft = leaving === undefined ? whole : await withoutDone(context, whole, leaving)
  if (draft === undefined)
    return combinedExitCode([
      ...codes,
      context.environment.interrupted.aborted ? EXIT.interrupted : EXIT.done,
    ])
  context.environment.owner.needService()
  const watch = options.watch === true
  const ended = await startDraft(context, draft, {
    watch,
    // Originals are replaced only after the job has ended.
    wait: watch || options.wait === true || draft.output.kind === 'replace',
    upload: options.upload === true,
    yes: options.yes === true,
    leaving: leaving?.what === 'done' ? leaving : undefined,
    canRepeat: file !== STREAM,
    changed: changed?.preset,
  })
  if (changed !== undefined) await removeUnused(context.environment, context.line)
  if (stream !== undefined) await removeUnusedPhotos(context.environment, context.line, stream)
  return combinedExitCode([...codes, ...ended])
}

/**
 * Returns which files to leave out. By default, these are results of the same preset that were found in a folder. Returns undefined to
 * leave out none.
 */
function leavingOf(
  { skipDone, again, driveInput }: SubmitFlags,
  files: readonly string[],
  cwd: string,
): LeavingOut | undefined {
  if (driveInput !== undefined || (again === true && skipDone !== true)) return undefined
  const named = new Set(files.map((file) => resolve(cwd, file)))
  return { what: skipDone === true ? 'done' : 'results', named }
}

/**
 * Returns the value of `--beside` if it is the path of a file; otherwise undefined. The shell turns `--beside *.jpg` into such a value: the
 * first photo.
 */
function fileTakenAsSubfolder(subfolder: SubmitFlags['beside'], cwd: string): string | undefined {
  if (typeof subfolder !== 'string') return undefined
  const found = statSync(resolve(cwd, subfolder), { throwIfNoEntry: false })
  return found?.isFile() === true ? subfolder : undefined
}

function outputOf(
  { replace, beside, driveOutput, output = DEFAULT_OUTPUT }: SubmitFlags,
  cwd: string,
): Draft['output'] {
  if (replace === true) return { kind: 'replace' }
  if (beside !== undefined) return { kind: 'beside', subfolder: beside === true ? null : beside }
  return driveOutput === undefined
    ? { kind: 'folder', path: resolve(cwd, output) }
    : { kind: 'drive', folderId: driveOutput }
}

/** Writes a draft to the outbox, then follows the resulting submissions. Meanwhile, reports what the results will lose. */
export const startDraft = (
  context: Context,
  draft: Draft,
  { changed, ...flags }: Waits & StartFlags & { readonly changed?: Preset | undefined },
): Promise<readonly ExitCode[]> =>
  sayingLosses(context, draft, changed, () => sendDraft(context, draft, flags))

async function sendDraft(
  context: Context,
  draft: Draft,
  { upload = false, yes = false, leaving, ...options }: Waits & StartFlags,
): Promise<readonly ExitCode[]> {
  const { service, report, line: core, environment } = context
  await connected(context)
  // The line would send the submission with another command's key.
  if (service.isRefused) return [connectionTrouble(context) ?? EXIT.keyRefused]
  const start = (confirmed: readonly Confirmation[]): Promise<StartResult | undefined> => {
    const startLeft = (left: Draft) => {
      environment.onStored?.('perhaps')
      return core.drafts.startDraft(left, {
        split: false,
        grace: 0,
        ...(service.isApps ? {} : { target: service.identity }),
        upload,
        confirmed,
      })
    }
    return leaving === undefined ? startLeft(draft) : startUndone(context, draft, leaving, startLeft)
  }
  const first = await start(yes ? ['manyFolders'] : [])
  const isAgreed = first?.ok === false && (await agreesTo(context, first.problems))
  const started = isAgreed ? await start(['manyFolders']) : first
  if (started === undefined) return [context.environment.interrupted.aborted ? EXIT.interrupted : EXIT.done]
  if (started.ok) {
    // Exempt these jobs from quiet mode, because the user wants them now.
    core.quiet.startAnyway(started.ids)
    core.sender.wake()
    const left = started.leftOut ?? []
    for (const one of started.elsewhere ?? []) report.say(notice(t().answers.elsewhere(one)))
    report.sayEach(left.map((item) => ({ event: 'notTaken', item })))
    const codes = await followSubmissions(context, started.ids, { ...options, own: true })
    return left.length === 0 ? codes : [...codes, EXIT.failed]
  }
  for (const problem of started.problems) report.say({ event: 'notPossible', problem })
  return [EXIT.failed]
}

type StartFlags = {
  readonly canRepeat?: boolean
  readonly upload?: boolean
  /** Whether the user has agreed to results in many folders. */
  readonly yes?: boolean
  /** Which files to leave out. The command compares the files again when it submits the rest. */
  readonly leaving?: LeavingOut | undefined
}

/** Asks whether results may go to many folders, if that is the only problem. Without a terminal, names the option that agrees to this. */
async function agreesTo(
  { environment, report }: Context,
  problems: readonly DraftProblem[],
): Promise<boolean> {
  const [problem, ...others] = problems
  if (problem?.code !== 'manyFolders' || others.length > 0) return false
  if (environment.confirm !== null) {
    return environment.confirm(t().answers.confirm({ question: t().draftProblems.manyFolders(problem) }))
  }
  report.say(notice(t().answers.useYes))
  return false
}

/** Resubmits the failed files of a job or a part, as they are now (see `repeatJob`). */
export const retry: CliCommand<Waits & { readonly id: string; readonly upload: boolean }> = async (
  context,
  { id, ...options },
) => {
  await settled(context)
  await fetched(context)
  const { line } = context
  const record = line.history.details(asRecordId(id))
  // The first part's ID is also the ID of the whole job.
  const scope = record?.id === record?.place.id ? 'job' : 'part'
  const signal = context.environment.interrupted
  const draft = await repeatJob(line, asRecordId(id), { which: 'failed', scope, signal })
  context.report.sayEach((draft?.rejected ?? []).map((item) => ({ event: 'notTaken', item })))
  if (draft?.source.kind === 'files' && draft.source.items.length === 0) return EXIT.failed
  if (draft !== undefined) {
    const leaving = draft.done === 'skip' ? ({ what: 'done', named: new Set<string>() } as const) : undefined
    context.environment.owner.needService()
    return combinedExitCode(await startDraft(context, draft, { ...options, leaving }))
  }
  return endWith(
    context.report,
    record === undefined ? t().answers.noRecord({ id }) : t().answers.noFailedFiles,
  )
}

/** Continues to follow submissions of a command that ran in the process of an earlier owner. */
export const follow: CliCommand<Waits & { readonly ids: readonly string[] }> = async (
  context,
  { ids, ...options },
) => {
  context.environment.owner.needService()
  const submitted = ids.map(asRecordId)
  return combinedExitCode(
    await followSubmissions(context, submitted, { ...options, own: true, isContinued: true }),
  )
}
