import { resolve } from 'node:path'
import type { Draft } from '../../../shared/model/draft.ts'
import type { MediaItem } from '../../../shared/model/media-item.ts'
import { gather } from '../../intake/index.ts'
import type { Context, Verb } from '../context.ts'
import { combinedExitCode, EXIT, type ExitCode } from '../exit-code.ts'
import { connected, followSubmissions } from '../follow-submissions.ts'
import { openToSend, type Opened } from '../open-to-send.ts'

export type WaitOptions = { readonly wait: boolean; readonly watch: boolean }

export type SubmitOptions = WaitOptions & {
  readonly input: { readonly files: readonly string[] } | { readonly driveInputFolder: string }
  readonly output: { readonly folder: string } | { readonly driveOutputFolder: string }
  readonly preset?: string
  readonly count?: number
  readonly separate: boolean
  readonly upload: boolean
}

export const submit: Verb<SubmitOptions> = async (context, options) => {
  const { source, codes } = await takeIn(context, options)
  if (source === undefined) return combinedExitCode(codes)
  const { cwd } = context.surroundings
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
  return combinedExitCode([...codes, ...(await startDraft(context, openToSend(context), draft, options))])
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
  const started = core.drafts.startDraft(draft, {
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
async function takeIn({ report, surroundings }: Context, { input }: SubmitOptions): Promise<TakenIn> {
  if ('driveInputFolder' in input) {
    return { source: { kind: 'drive', folderId: input.driveInputFolder }, codes: [] }
  }
  const items: MediaItem[] = []
  const codes: ExitCode[] = []
  const paths = input.files.map((file) => resolve(surroundings.cwd, file))
  for await (const batch of gather(paths, { signal: surroundings.interrupted })) {
    items.push(...batch.items)
    for (const item of batch.rejected) {
      report.say({ event: 'notTaken', item })
      codes.push(EXIT.failed)
    }
  }
  if (surroundings.interrupted.aborted) return { source: undefined, codes: [EXIT.interrupted] }
  if (items.length > 0) return { source: { kind: 'files', items }, codes }
  if (codes.length === 0) report.say({ event: 'notPossible', problem: { code: 'noInput' } })
  return { source: undefined, codes: [EXIT.failed] }
}
