/** The tools for files: describes them, estimates their results, and submits them through the outbox like any other job. */
import { basename } from 'node:path'
import * as z from 'zod'
import { headOf, readMediaContent } from '../../../node/media-content.ts'
import { mediaIn } from '../../../node/media-header/open-media.ts'
import { recognize } from '../../../node/recognize-media.ts'
import { foreseenLines } from '../../../shared/i18n/losses.ts'
import { draftProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import { connectionLine } from '../../../shared/i18n/sentences.ts'
import { extensionOf } from '../../../shared/media-types.ts'
import { type Draft, MAX_PRESETS } from '../../../shared/model/draft.ts'
import type { EstimateRange } from '../../../shared/model/estimate.ts'
import { shownText } from '../../../shared/paths.ts'
import { estimatesFromPast, forecastsFromSamples } from '../commands/estimate.ts'
import { t } from '../output/language.ts'
import { Refused } from './access.ts'
import { type Data, someOf } from './answer.ts'
import type { AssistantRequest, AssistantSession } from './assistant-session.ts'
import { findInputs, MAX_FILES, MAX_PATHS, reasonOf } from './find-inputs.ts'
import { presetsOf, requirePreset } from './presets.ts'

const path = z.string().describe('absolute path')
const preset = z.string().max(1_000).optional()
const files = z
  .array(path)
  .min(1)
  .describe(`photos, videos, or folders that contain them; at most ${MAX_PATHS} paths and ${MAX_FILES} files`)

export const FileInput = z.object({ file: path })

export const EstimateInput = z.object({
  files,
  preset: preset.describe('name of a preset; by default, the service’s basic defaults'),
})

export const SubmitInput = z.object({
  files,
  preset: preset.describe('name of a preset; by default, the user’s choice for new jobs'),
  output: path.optional().describe('output folder; by default, the user’s own'),
})

/** Describes a file from its header, without decoding it. */
export async function describeFile({ access }: AssistantSession, path: string): Promise<Data> {
  const opened = await access.open(path)
  await using file = opened.file
  const { path: real } = opened
  const { width, height, duration } = await mediaIn(file, real).header()
  const { size, mtime } = await file.stat()
  const head = await headOf(file)
  const { kind, ...found } = recognize(real, head)
  const isMedia = kind === 'image' || kind === 'video'
  return {
    path: real,
    name: shownText(basename(real)),
    kind: kind === 'image' ? 'photo' : kind === 'video' ? 'video' : 'other',
    ...(isMedia && readMediaContent(head) !== undefined
      ? { format: 'format' in found ? found.format : extensionOf(real) }
      : {}),
    bytes: size,
    modified: mtime.toISOString(),
    ...(width === null || height === null ? {} : { width, height }),
    ...(duration === null ? {} : { seconds: duration / 1_000 }),
    ...(isMedia ? {} : { cantBeUsed: t().rejections[kind === 'raw' ? 'raw' : 'unsupported'] }),
  }
}

export async function estimateFiles(
  session: AssistantSession,
  { files, preset: named }: z.infer<typeof EstimateInput>,
  request: AssistantRequest,
): Promise<Data> {
  const { context } = session
  const preset = named ?? null
  const { items } = await findInputs(session, files, request)
  if (preset !== null)
    requirePreset(preset, new Set(items.map(({ kind }) => kind)), await presetsOf(context, request.signal))
  const draft = { source: { kind: 'files', items }, variations: 1 } as const
  const interrupted = AbortSignal.any([context.environment.interrupted, request.signal])
  const cancelable = { ...context, environment: { ...context.environment, interrupted } }
  const [{ estimate, foreseen = null } = { estimate: null }] =
    (context.service.kind === 'builtIn'
      ? await forecastsFromSamples(cancelable, draft, [preset], undefined)
      : estimatesFromPast(context, draft, [preset])) ?? []
  request.signal.throwIfAborted()
  if (estimate === null) throw new Refused('The preset doesn’t apply to any of these files.')
  const losses = foreseen === null ? {} : { wouldLose: foreseenLines(foreseen, t()) }
  if (estimate.kind === 'unknown')
    return { files: items.length, estimate: 'unknown', why: `${t().unknownSize[estimate.why]}.`, ...losses }
  const { inputBytes, bytes, milliseconds } = estimate
  return {
    files: items.length,
    inputBytes,
    resultBytes: bytes,
    ...(milliseconds === null ? {} : { seconds: inSeconds(milliseconds) }),
    ...losses,
    note: 'In 80% of cases, the value is between low and high.',
  }
}

const inSeconds = ({ low, likely, high }: EstimateRange): EstimateRange => ({
  low: low / 1_000,
  likely: likely / 1_000,
  high: high / 1_000,
})

/** Adds one job to the outbox. Doesn't wait for it. */
export async function submitFiles(
  session: AssistantSession,
  { files, preset, output }: z.infer<typeof SubmitInput>,
  request: AssistantRequest,
): Promise<Data> {
  const { access, context } = session
  const settings = access.settings()
  const folder = await access.output(output)
  const { items, rejected } = await findInputs(session, files, request)
  const presets = preset === undefined ? (settings.defaultPresets ?? []) : [preset]
  if (presets.length > 0) {
    const known = await presetsOf(context, request.signal)
    const kinds = new Set(items.map(({ kind }) => kind))
    for (const name of presets.slice(0, MAX_PRESETS))
      requirePreset(name, presets.length > 1 ? new Set() : kinds, known)
  }
  const draft: Draft = {
    source: { kind: 'files', items },
    rejected: [],
    presets,
    presetFolders: true,
    done: 'again',
    output: { kind: 'folder', path: folder },
    variations: 1,
    grouping: 'together',
    editing: null,
  }
  const job = await startForAssistant(session, draft)
  const { listed, more } = someOf(rejected.map(reasonOf))
  return {
    job,
    files: items.length,
    presets,
    output: folder,
    ...(rejected.length === 0 ? {} : { leftOut: listed, moreLeftOut: more }),
    next: 'The job runs in the background. “status” shows its state, “wait” waits until it ends.',
  }
}

/** Writes a draft to the outbox. @returns the job's ID @throws Refused */
export async function startForAssistant(
  { context, access }: AssistantSession,
  draft: Draft,
): Promise<string> {
  const { service, environment, line } = context
  if (service.isRefused) throw new Refused(`Not submitted. ${connectionLine(line.connection.view(), t())}.`)
  // The user may have turned assistants off during the search for files.
  access.settings()
  const started = await line.drafts.startDraft(draft, {
    split: false,
    grace: 0,
    by: 'assistant',
    confirmed: ['manyFolders'],
    ...(service.isApps ? {} : { target: service.identity }),
  })
  if (!started.ok)
    throw new Refused(
      `Not submitted. ${started.problems.map((problem) => shownText(draftProblemSentence(problem, t()))).join(' ')}`,
    )
  environment.owner.needService()
  const [job] = started.jobs
  if (job === undefined) throw new Refused('Not submitted. There is nothing to process.')
  return job
}
