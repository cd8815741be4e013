/** Schemas for everything that the page may send. Each argument is parsed on arrival. */
import * as z from 'zod'
import { MAX_PRESETS, type DraftOutput, type OutputTarget } from '../model/draft.ts'
import { HOOK_OUTCOMES, type Hooks } from '../model/after-job.ts'
import { DIRECT_ACTIONS, HOOK_ACTIONS, urlFault } from '../model/hook-state.ts'
import { FORMAT_NAMES } from '../model/message-formats.ts'
import { addressFault, isUnencrypted } from '../model/receiver.ts'
import { ChangeableSettings, type SettingsPatch, withoutDefaults } from '../model/settings.ts'
import { WatchFolder, type WatchFolderChange } from '../model/watch-folder.ts'
import type { RecordId } from '../model/ids.ts'
import { OUTCOME_KINDS } from '../model/job.ts'
import { PAUSE_LENGTHS } from '../model/quiet.ts'
import { MOST_COUNTED } from '../model/history-page.ts'
import { JOB_SCOPES } from '../model/job-sections.ts'
import type { PreviewRequest } from '../model/preview.ts'

export const id = z.string().min(1).max(100) as unknown as z.ZodType<RecordId>
/** The parts of a job that a call applies to. */
export const scoped = z.strictObject({ id, scope: z.enum(JOB_SCOPES) })
export const serviceId = z.string().min(1).max(2_000)
export const path = z.string().min(1).max(32_768)
export const pauseLength = z.enum(PAUSE_LENGTHS)
/** Originals that a job replaced; all of them if `paths` is absent. */
export const originals = z.strictObject({ id, paths: z.array(path).max(100_000).readonly().optional() })
const folderOutput = z.strictObject({ kind: z.literal('folder'), path })
const driveOutput = z.strictObject({ kind: z.literal('drive'), folderId: z.string().max(1_000) })
const output = z.discriminatedUnion('kind', [folderOutput, driveOutput]) satisfies z.ZodType<OutputTarget>
const besideOutput = z.strictObject({
  kind: z.literal('beside'),
  subfolder: z.string().max(255).nullable(),
  presetFolder: z.string().max(255).optional(),
})
const replaceOutput = z.strictObject({ kind: z.literal('replace') })
const draftOutput = z.discriminatedUnion('kind', [
  folderOutput,
  driveOutput,
  besideOutput,
  replaceOutput,
]) satisfies z.ZodType<DraftOutput>

export const draftOptions = z
  .strictObject({
    presets: z.array(z.string()).max(MAX_PRESETS).readonly(),
    presetFolders: z.boolean(),
    done: z.enum(['skip', 'again']),
    output: draftOutput,
    variations: z.int().min(1).max(100_000),
    grouping: z.enum(['together', 'separate']),
    /** null for the service selected in the settings. */
    service: serviceId.nullable(),
    /** A Drive folder whose files replace the draft's files. null switches back to files. */
    driveInput: z.string().max(1_000).nullable(),
  })
  .partial()

export const historyQuery = z.strictObject({
  text: z.string().max(500).optional(),
  outcomes: z.array(z.enum(OUTCOME_KINDS)).readonly().optional(),
  preset: z.string().optional(),
  from: z.number().optional(),
  to: z.number().optional(),
  kind: z.enum(['photos', 'videos']).optional(),
  replaced: z.literal(true).optional(),
  by: z.literal('assistant').optional(),
})

export const historyPageRequest = z.strictObject({
  query: historyQuery,
  before: z.int().optional(),
  offset: z.int().min(0).max(MOST_COUNTED),
  limit: z.int().min(1).max(500),
})

export const service = z.strictObject({
  baseUrl: z.string().max(2_000),
  key: z.string().min(1).max(4_000),
  keep: z.enum(['keychain', 'session']),
})

export const serviceName = z.string().trim().max(60)

const outcomes = z.array(z.enum(HOOK_OUTCOMES)).max(HOOK_OUTCOMES.length).optional()

/** What runs after jobs. The main process accepts only programs that were chosen in its dialog. */
export const hooks = z.strictObject({
  program: path.nullable(),
  url: z
    .string()
    .max(2_000)
    .refine((url) => urlFault(url) === undefined)
    .nullable(),
  on: outcomes,
}) satisfies z.ZodType<Hooks>

export const hooksChange = z.strictObject({
  ...hooks.shape,
  program: z.exactOptional(hooks.shape.program),
  url: z.exactOptional(hooks.shape.url),
}) satisfies z.ZodType<Partial<Hooks>>
export const hookAction = z.enum(DIRECT_ACTIONS)
export const receiverId = z.string().min(1).max(100)
export const hookOfJob = z.strictObject({
  id,
  action: z.enum(HOOK_ACTIONS),
  receiver: z.string().max(100),
})

export const receiverChange = z
  .strictObject({
    /** null for a new receiver. */
    id: receiverId.nullable(),
    format: z.enum(FORMAT_NAMES),
    on: outcomes,
    /** null leaves the address of a receiver as it is. */
    address: z
      .strictObject({
        url: z.string().max(2_000),
        token: z.string().max(1_000),
        /** Whether the user has agreed to send messages without encryption. */
        mayBeUnencrypted: z.boolean(),
      })
      .nullable(),
  })
  .refine(({ id: known, address }) => known !== null || address !== null)
  .refine(
    ({ format, address }) =>
      address === null ||
      (addressFault(format, address.url, address.token) === undefined &&
        (address.mayBeUnencrypted || !isUnencrypted(address.url))),
  )

/** The settings that the page may change directly. */
export const settingsPatch = z
  .strictObject({
    ...withoutDefaults(ChangeableSettings).shape,
    defaultOutput: output.nullable(),
    defaultOriginals: z.discriminatedUnion('kind', [besideOutput, replaceOutput]).nullable(),
  })
  .partial() as z.ZodType<SettingsPatch>

export const watchFolder = z.strictObject({
  ...WatchFolder.omit({ id: true }).shape,
  path,
  output: draftOutput,
  afterJob: hooks.optional(),
}) satisfies z.ZodType<WatchFolderChange['folder']>

export const presetName = z.string().max(1_000)
export const presetText = z.string().max(65_536)
/** Maximum length of an import file, in characters. */
export const MAX_IMPORT = 1_000_000
export const mediaKind = z.enum(['image', 'video'])
/** The maximum is wider and higher than any screen. */
const viewPixels = z.int().min(1).max(16_384)
/**
 * Maximum number of pixels in a view, more than an 8K screen has. Both images of the visible area pass through the main process
 * uncompressed.
 */
const MOST_VIEW_PIXELS = 40_000_000
const share = z.number().min(0).max(1)

/** In seconds. */
const sampleStart = z.number().min(0).nullable()

export const previewRequest = z.strictObject({
  path,
  preset: z.record(z.string(), z.unknown()),
  part: mediaKind,
  view: z
    .strictObject({
      width: viewPixels,
      height: viewPixels,
      middle: z.strictObject({ x: share, y: share }).nullable(),
    })
    .refine(({ width, height }) => width * height <= MOST_VIEW_PIXELS, 'is larger than any screen'),
  start: sampleStart,
}) satisfies z.ZodType<PreviewRequest>

export const comparisonRequest = z.strictObject({ original: path, result: path, start: sampleStart })
export type ComparisonRequest = z.infer<typeof comparisonRequest>

export const webPage = z.enum(['homePage', 'rclone', 'gnomeTray'])
export type WebPage = z.infer<typeof webPage>
