import { MAX_JSON_BYTES, MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { DriveStatus, Presets } from '../../shared/api/resources.ts'
import type { Draft, DraftOutput, DraftProblem } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { folderIdProblem } from '../../shared/drive-folder.ts'
import { isAbsolutePath, jobRequestOf, pathBytes, requestBytes } from './job-request.ts'
import type { PlannedSubmission } from './planned-submission.ts'

export type PlanningFacts = {
  /**
   * The service's presets; null if not loaded yet. In that case any preset is accepted, and the service checks it on submission.
   */
  readonly presets: Presets | null
  /** The drive's status; null if not loaded yet. */
  readonly drive: DriveStatus | null
  /** Whether the service can access this computer's files. If false, inputs must be uploaded first. */
  readonly seesFiles: boolean
}

export type Plan =
  | { readonly ok: true; readonly submissions: readonly PlannedSubmission[] }
  | { readonly ok: false; readonly problems: readonly DraftProblem[] }

/**
 * Converts a draft into requests that the service will accept (sections 2 and 8). Checks all rules that can be checked locally, and
 * splits the inputs if their request would be too large.
 */
export function planDraft(draft: Draft, facts: PlanningFacts): Plan {
  const problems = [
    ...inputProblems(draft, facts),
    ...outputProblems(draft.output),
    ...presetProblems(draft, facts.presets),
    ...driveProblems(draft, facts.drive),
    ...(Number.isSafeInteger(draft.variations) && draft.variations >= 1
      ? []
      : [{ code: 'variationsInvalid' } as const]),
  ]
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, submissions: submissionsOf(draft, facts) }
}

function inputProblems({ source }: Draft, { seesFiles }: PlanningFacts): DraftProblem[] {
  if (source.kind === 'drive') {
    return isFolderId(source.folderId) ? [] : [{ code: 'driveFolderInvalid', folderId: source.folderId }]
  }
  const usable = source.items.length > 0 && source.items.every((item) => isAbsolutePath(item.path))
  if (!usable) return [{ code: 'noInput' }]
  if (seesFiles) return []
  return source.items
    .filter((item) => item.size > MAX_UPLOAD_BYTES)
    .map(({ name, size }) => ({ code: 'tooLargeToUpload', name, size }))
}

function outputProblems(output: DraftOutput): DraftProblem[] {
  if (output.kind === 'beside') return [{ code: 'noOutput' }]
  if (output.kind === 'drive') {
    return isFolderId(output.folderId) ? [] : [{ code: 'driveFolderInvalid', folderId: output.folderId }]
  }
  if (output.path === '') return [{ code: 'noOutput' }]
  return isAbsolutePath(output.path) ? [] : [{ code: 'outputNotAbsolute', path: output.path }]
}

/** Section 2 requires an ID, not a sharing link. */
const isFolderId = (text: string): boolean => folderIdProblem(text) === undefined

/** Section 2, rule 4: if there are both photos and videos, the preset must be in both lists. */
function presetProblems({ source, presets: [preset] }: Draft, presets: Presets | null): DraftProblem[] {
  if (preset === undefined || presets === null) return []
  const forPhotos = presets.image.includes(preset)
  const forVideos = presets.video.includes(preset)
  if (!forPhotos && !forVideos) return [{ code: 'presetUnknown', preset }]
  if (source.kind === 'drive') return []
  const has = (kind: MediaItem['kind']) => source.items.some((item) => item.kind === kind)
  return [
    ...(has('image') && !forPhotos ? [{ code: 'presetNotFor', preset, kind: 'photos' } as const] : []),
    ...(has('video') && !forVideos ? [{ code: 'presetNotFor', preset, kind: 'videos' } as const] : []),
  ]
}

function driveProblems({ source, output }: Draft, drive: DriveStatus | null): DraftProblem[] {
  const needed = source.kind === 'drive' || output.kind === 'drive'
  return needed && drive !== null && !(drive.clientConfigured && drive.connected)
    ? [{ code: 'driveNotConnected' }]
    : []
}

function submissionsOf(draft: Draft, facts: PlanningFacts): readonly PlannedSubmission[] {
  const { source, presets, output, variations, grouping } = draft
  const [preset = null] = presets
  if (output.kind === 'beside') return []
  const common = { preset, output, variations, grouping }
  if (source.kind === 'drive') return [{ ...common, items: [], driveInput: source.folderId }]
  const withItems = (items: readonly MediaItem[]): PlannedSubmission => ({
    ...common,
    items,
    driveInput: null,
  })
  if (grouping === 'separate') return source.items.map((item) => withItems([item]))
  const room = MAX_JSON_BYTES - requestBytes(jobRequestOf(withItems([]), []))
  return inBodies(source.items, room, facts.seesFiles).map(withItems)
}

/**
 * Estimated length of an upload's path in bytes. The service chooses the path, and the spec doesn't limit its length. The request's
 * size is checked again when the path is known.
 */
const UPLOADED_PATH_BYTES = 512

/** Splits the items, in order, into groups that each fit into `room` bytes. */
function inBodies(items: readonly MediaItem[], room: number, seesFiles: boolean): MediaItem[][] {
  const bodies: MediaItem[][] = []
  let left = 0
  for (const item of items) {
    const bytes = seesFiles ? pathBytes(item.path) : UPLOADED_PATH_BYTES + pathBytes(item.name)
    const body = bodies.at(-1)
    if (body !== undefined && bytes <= left) {
      body.push(item)
      left -= bytes
    } else {
      bodies.push([item])
      left = room - bytes
    }
  }
  return bodies
}
