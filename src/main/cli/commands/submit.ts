import { resolve } from 'node:path'
import type { Draft } from '../../../shared/model/draft.ts'
import { asRecordId } from '../../../shared/model/ids.ts'
import type { MediaItem } from '../../../shared/model/media-item.ts'
import type { ExpectedWork } from '../../connection/index.ts'
import { findMedia } from '../../intake/index.ts'
import { type CliCommand, type Context, type Opened, openToSend } from '../context.ts'
import { EXIT, type ExitCode, combinedExitCode } from '../exit-code.ts'
import { followSubmissions } from '../follow-submissions.ts'
import { connected } from '../reach-service.ts'

export type WaitOptions = { readonly wait: boolean; readonly watch: boolean }

export type SubmitOptions = WaitOptions & {
  readonly input: { readonly files: readonly string[] } | { readonly driveInputFolder: string }
  readonly output: { readonly folder: string } | { readonly driveOutputFolder: string }
  readonly preset?: string
  readonly count?: number
  readonly separate: boolean
  readonly upload: boolean
}

export const submit: CliCommand<SubmitOptions> = async (context, options) => {
  const { source, codes } = await takeIn(context, options)
  if (source === undefined) return combinedExitCode(codes)
  const { cwd } = context.environment
  const draft: Draft = {
    source,
    rejected: [],
    preset: options.preset ?? null,
    output:
      'folder' in options.output
        ? { kind: 'folder', path: resolve(cwd, options.output.folder) }
        : { kind: 'drive', folderId: options.output.driveOutputFolder },
    variations: options.count ?? 1,
    grouping: options.separate ? 'separate' : 'together',
    editing: null,
  }
  const opened = await openToSend(context, expectedOf(draft, options))
  return combinedExitCode([...codes, ...(await startDraft(context, opened, draft, options))])
}

/** The first file of a submission need not wait until a worker has started. */
function expectedOf({ source, output }: Draft, { upload }: SubmitOptions): ExpectedWork | undefined {
  const first = source.kind === 'files' ? source.items[0] : undefined
  if (first === undefined || output.kind !== 'folder' || upload) return undefined
  return { media: first.kind, into: output.path }
}

/** Into the outbox, and from there on its way. */
export async function startDraft(
  context: Context,
  { core, sends }: Opened,
  draft: Draft,
  { upload = false, ...options }: WaitOptions & { readonly upload?: boolean },
): Promise<readonly ExitCode[]> {
  const { service, report } = context
  await connected(core, context)
  const started = await core.drafts.startDraft(draft, {
    split: false,
    grace: 0,
    ...(service.isApps ? {} : { target: service.identity }),
    upload,
  })
  if (started.ok) return followSubmissions(context, core, started.ids, { ...options, sends })
  for (const problem of started.problems) report.say({ event: 'notPossible', problem })
  return [EXIT.failed]
}

type TakenIn = {
  /** undefined where nothing is left to submit. */
  readonly source: Draft['source'] | undefined
  readonly codes: readonly ExitCode[]
}

/** Files, and what is in folders; what can't be used is told. */
export async function takeIn(
  { report, environment }: Context,
  { input }: Pick<SubmitOptions, 'input'>,
): Promise<TakenIn> {
  if ('driveInputFolder' in input) {
    return { source: { kind: 'drive', folderId: input.driveInputFolder }, codes: [] }
  }
  const items: MediaItem[] = []
  const codes: ExitCode[] = []
  const paths = input.files.map((file) => resolve(environment.cwd, file))
  for await (const batch of findMedia(paths, { signal: environment.interrupted })) {
    items.push(...batch.items)
    for (const item of batch.rejected) {
      report.say({ event: 'notTaken', item })
      codes.push(EXIT.failed)
    }
  }
  if (environment.interrupted.aborted) return { source: undefined, codes: [EXIT.interrupted] }
  if (items.length > 0) return { source: { kind: 'files', items }, codes }
  if (codes.length === 0) report.say({ event: 'notPossible', problem: { code: 'noInput' } })
  return { source: undefined, codes: [EXIT.failed] }
}

/** The failed files of a record once more, as a new submission with the preset and output of before. */
export const retry: CliCommand<WaitOptions & { readonly id: string; readonly upload: boolean }> = async (
  context,
  { id, ...options },
) => {
  const opened = await openToSend(context)
  const { core } = opened
  const record = core.history.details(asRecordId(id))
  const draft = core.history.draftFrom(asRecordId(id), 'failed')
  if (draft !== undefined) return combinedExitCode(await startDraft(context, opened, draft, options))
  context.report.say({
    event: 'notice',
    message:
      record === undefined
        ? `There is no record “${id}”; “history” lists them.`
        : 'No file of this record is known to have failed.',
  })
  return EXIT.failed
}
