import { dirname } from 'node:path'
import { shortIdentity } from '../../node/identity-list.ts'
import { MAX_JSON_BYTES, MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { DriveStatus, Presets } from '../../shared/api/resources.ts'
import {
  isNextToOriginals,
  MANY_FOLDERS,
  MAX_PRESETS,
  type Draft,
  type DraftProblem,
} from '../../shared/model/draft.ts'
import { isOnThisComputer } from '../../shared/model/connection.ts'
import { partsOf, type PresetItems, unhandledItems } from '../../shared/model/draft-parts.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { folderIdProblem } from '../../shared/drive-folder.ts'
import { isAbsolutePath } from '../../shared/paths.ts'
import { subfolderProblem } from '../../shared/subfolder.ts'
import { jobRequestOf, pathBytes, requestBytes } from './job-request.ts'
import { outputFolders, type FolderFacts } from './output-folders.ts'
import type { PlannedSubmission } from './planned-submission.ts'

export type PlanningFacts = FolderFacts & {
  /** The drive's status; null if not loaded yet. */
  readonly drive: DriveStatus | null
  /** Whether the service can access this computer's files. If false, inputs must be uploaded first. */
  readonly seesFiles: boolean
  /** The service's address; missing if it isn't known. */
  readonly baseUrl?: string
  /** Whether the user agrees to results in any number of folders. */
  readonly manyFolders?: boolean | undefined
  /** Whether a file is already done with a preset and is skipped for it; missing if the draft processes all files. */
  readonly isDone?: ((path: string, preset: string | null) => boolean) | undefined
}

export type Plan =
  | {
      readonly ok: true
      readonly submissions: readonly PlannedSubmission[]
      readonly leftOut: readonly RejectedItem[]
    }
  | { readonly ok: false; readonly problems: readonly DraftProblem[] }

/**
 * Converts a draft into requests that the service will accept (sections 2 and 8): one for each preset, output folder, and list of files
 * that fits into a request. Checks all rules that can be checked locally. Several requests are the parts of one job, unless each file is a
 * separate job.
 */
export function planDraft(draft: Draft, facts: PlanningFacts, ids: () => RecordId): Plan {
  const problems = [
    ...inputProblems(draft, facts),
    ...outputProblems(draft, facts),
    ...presetProblems(draft, facts.presets),
    ...driveProblems(draft, facts.drive),
    ...(Number.isSafeInteger(draft.variations) && draft.variations >= 1
      ? []
      : [{ code: 'variationsInvalid' } as const]),
  ]
  if (problems.length > 0) return { ok: false, problems }
  const leftOut = unhandledItems(draft, facts.presets)
  return {
    ok: true,
    submissions: submissionsOf(draft, facts, ids),
    leftOut: leftOut.map(({ path, name }) => ({ path, name, reason: 'noPresetFor' })),
  }
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

function outputProblems(draft: Draft, facts: PlanningFacts): DraftProblem[] {
  const { source, output } = draft
  switch (output.kind) {
    case 'drive':
      return isFolderId(output.folderId) ? [] : [{ code: 'driveFolderInvalid', folderId: output.folderId }]
    case 'folder':
      if (output.path === '') return [{ code: 'noOutput' }]
      if (!isAbsolutePath(output.path)) return [{ code: 'outputNotAbsolute', path: output.path }]
      // In a vault, the results would replace originals.
      return isInVault(output.path) ? [{ code: 'outputInVault' }] : []
    case 'beside': {
      if (source.kind === 'drive') return [{ code: 'besideNotForDrive' }]
      if (!facts.seesFiles) return [{ code: 'besideNeedsLocalService' }]
      const invalid = [output.subfolder, output.presetFolder ?? null].find(
        (name) => name !== null && subfolderProblem(name) !== undefined,
      )
      if (typeof invalid === 'string') return [{ code: 'subfolderInvalid', name: invalid }]
      return tooManyFolders(draft, facts)
    }
    case 'replace':
      return replaceProblems(draft, facts)
  }
}

/** Returns the problems with replacing the originals. Each original needs exactly one result on this computer. */
function replaceProblems(draft: Draft, facts: PlanningFacts): DraftProblem[] {
  const { source, presets, variations } = draft
  if (source.kind === 'drive') return [{ code: 'replaceNotForDrive' }]
  const { baseUrl = '', seesFiles } = facts
  if (!isOnThisComputer({ baseUrl, seesFiles })) return [{ code: 'replaceNeedsLocalService' }]
  if (presets.length > 1) return [{ code: 'replaceNeedsOnePreset' }]
  if (variations > 1) return [{ code: 'replaceNotWithVariations' }]
  const hasVideos = source.items.some(({ kind }) => kind === 'video')
  if (hasVideos && presets.some((name) => facts.audioOnly?.has(name)))
    return [{ code: 'replaceNotWithAudio' }]
  return tooManyFolders(draft, facts)
}

function tooManyFolders(draft: Draft, facts: PlanningFacts): DraftProblem[] {
  const items = partsToSubmit(draft, facts).flatMap((part) => part.items)
  const count = new Set(items.map(({ path }) => dirname(path))).size
  return count > MANY_FOLDERS && facts.manyFolders !== true ? [{ code: 'manyFolders', count }] : []
}

/** Returns the files of each preset, without those that are already done. */
const partsToSubmit = (draft: Draft, { presets, isDone }: PlanningFacts): readonly PresetItems[] =>
  partsOf(draft, presets).map(({ preset, items }) => ({
    preset,
    items: items.filter(({ path }) => isDone?.(path, preset) !== true),
  }))

/** Whether the text is a folder's ID. Section 2 requires an ID, not a sharing link. */
const isFolderId = (text: string): boolean => folderIdProblem(text) === undefined

function presetProblems(draft: Draft, presets: Presets | null): DraftProblem[] {
  const [preset, ...more] = draft.presets
  if (draft.presets.length > MAX_PRESETS) return [{ code: 'tooManyPresets', most: MAX_PRESETS }]
  if (preset === undefined || presets === null) return []
  const unknown = draft.presets.filter((name) => ![...presets.image, ...presets.video].includes(name))
  if (unknown.length > 0) return unknown.map((name) => ({ code: 'presetUnknown', preset: name }))
  if (more.length > 0) return severalPresetsProblems(draft, presets)
  // Section 2, rule 4: if there are both photos and videos, the preset must be in both lists.
  return (['image', 'video'] as const)
    .filter((kind) => countOf(draft, kind) > 0 && !presets[kind].includes(preset))
    .map((kind) => ({ code: 'presetNotFor', preset, kind: WORD[kind] }))
}

/**
 * Returns the problems with several presets. The presets share the files by kind, so there is a problem only if none of them applies to any
 * file.
 */
function severalPresetsProblems(draft: Draft, presets: Presets): DraftProblem[] {
  const { source } = draft
  if (source.kind === 'drive' || source.items.length === 0 || partsOf(draft, presets).length > 0) return []
  return (['image', 'video'] as const)
    .filter((kind) => countOf(draft, kind) > 0)
    .map((kind) => ({ code: 'noPresetFor', kind: WORD[kind], count: countOf(draft, kind) }))
}

const WORD = { image: 'photos', video: 'videos' } as const

const countOf = ({ source }: Pick<Draft, 'source'>, wanted: MediaItem['kind']): number =>
  source.kind === 'files' ? source.items.filter(({ kind }) => kind === wanted).length : 0

function driveProblems({ source, output }: Draft, drive: DriveStatus | null): DraftProblem[] {
  const needed = source.kind === 'drive' || output.kind === 'drive'
  return needed && drive !== null && !(drive.clientConfigured && drive.connected)
    ? [{ code: 'driveNotConnected' }]
    : []
}

function submissionsOf(
  draft: Draft,
  facts: PlanningFacts,
  ids: () => RecordId,
): readonly PlannedSubmission[] {
  const { source, variations, grouping } = draft
  const hasPresetFolders = draft.presets.length > 1
  const isInParts = hasPresetFolders || draft.otherFormat !== undefined
  const chosen =
    isNextToOriginals(draft.output) || isInParts
      ? {
          chosen: {
            output: draft.output,
            presetFolders: draft.otherFormat === undefined && draft.presetFolders,
          },
        }
      : {}
  const common = { variations, grouping, ...chosen }
  const folders = outputFolders(draft, facts)
  if (source.kind === 'drive') {
    const presets = draft.presets.length === 0 ? [null] : draft.presets
    const parts = presets.map((preset) => ({
      ...common,
      preset,
      output: folders.shared(preset),
      items: [],
      driveInput: source.folderId,
    }))
    return asOneJob(parts, ids)
  }
  const ofEach = partsToSubmit(draft, facts).map(({ preset, items }) =>
    folders.of(preset, items).map((part) => ({ ...common, ...part, preset, driveInput: null })),
  )
  if (grouping === 'separate') return separately(ofEach.flat(), ids)
  return asOneJob(
    ofEach.flat().flatMap(({ items, ...plan }) => {
      const room = MAX_JSON_BYTES - PRESET_KEY_BYTES - requestBytes(jobRequestOf({ ...plan, items: [] }, []))
      return inBodies(items, room, facts.seesFiles).map((some) => ({ ...plan, items: some }))
    }),
    ids,
  )
}

/** Makes each file a separate job. With several presets, each job has several parts. */
function separately(plans: readonly PlannedSubmission[], ids: () => RecordId): readonly PlannedSubmission[] {
  const ofFile = new Map<string, PlannedSubmission[]>()
  for (const plan of plans)
    for (const item of plan.items)
      ofFile.set(item.path, [...(ofFile.get(item.path) ?? []), { ...plan, items: [item] }])
  return [...ofFile.values()].flatMap((parts) => asOneJob(parts, ids))
}

function asOneJob(plans: readonly PlannedSubmission[], ids: () => RecordId): readonly PlannedSubmission[] {
  if (plans.length < 2) return plans
  const items = [...new Map(plans.flatMap((plan) => plan.items.map((item) => [item.path, item]))).values()]
  const photos = items.filter(({ kind }) => kind === 'image').length
  const place = {
    id: ids(),
    parts: plans.length,
    photos,
    videos: items.length - photos,
    presets: new Set(plans.map(({ preset }) => preset)).size,
    folders: new Set(plans.map(({ output }) => JSON.stringify(output))).size,
  }
  return plans.map((plan, part) => ({ ...plan, place: { ...place, part } }))
}

/**
 * Estimated length of an upload's path in bytes. The service chooses the path, and the spec doesn't limit its length. The request's
 * size is checked again when the path is known.
 */
const UPLOADED_PATH_BYTES = 512

/** Estimated length of an alias's path in bytes, without its name. The built-in service gets it twice. */
const ALIAS_PATH_BYTES = 512

/** @param before the last known identity of a file before this one in the request */
const sentPathBytes = ({ path, name, format, identity }: MediaItem, before: string | undefined): number =>
  format === undefined
    ? pathBytes(path) + (identity === undefined ? IDENTITY_BYTES : pathBytes(shortIdentity(identity, before)))
    : pathBytes(path) + 2 * (ALIAS_PATH_BYTES + pathBytes(name))

/** Maximum length of the preset's key as JSON, in bytes. */
const PRESET_KEY_BYTES = 128

/** Estimated length as JSON of an identity that isn't known yet, in bytes. */
const IDENTITY_BYTES = 40

/** Splits the items, in order, into lists that each fit into `room` bytes. */
function inBodies(items: readonly MediaItem[], room: number, seesFiles: boolean): MediaItem[][] {
  const bodies: MediaItem[][] = []
  const bytesOf = (item: MediaItem, before: string | undefined) =>
    seesFiles ? sentPathBytes(item, before) : UPLOADED_PATH_BYTES + pathBytes(item.name)
  let left = 0
  let before: string | undefined
  for (const item of items) {
    const body = bodies.at(-1)
    const bytes = bytesOf(item, before)
    if (body !== undefined && bytes <= left) {
      body.push(item)
      left -= bytes
    } else {
      bodies.push([item])
      before = undefined
      left = room - bytesOf(item, before)
    }
    // A file with a `format` may be sent as an alias, without an identity.
    if (item.format === undefined) before = item.identity ?? before
  }
  return bodies
}
