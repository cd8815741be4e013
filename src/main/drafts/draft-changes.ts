/** Pure functions that derive a draft from another one. */
import { type Draft, type DraftOutput, MAX_PRESETS, type OtherFormat } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'

/** Fields that are absent or undefined stay unchanged. */
export type DraftOptions = {
  readonly presets?: readonly string[] | undefined
  readonly presetFolders?: boolean | undefined
  readonly done?: Draft['done'] | undefined
  readonly output?: DraftOutput | undefined
  readonly variations?: number | undefined
  readonly grouping?: Draft['grouping'] | undefined
  /** null for the service that the settings name. */
  readonly service?: string | null | undefined
  /** null switches from the Drive folder back to files. */
  readonly driveInput?: string | null | undefined
}

export const itemsOf = (draft: Draft): readonly MediaItem[] =>
  draft.source.kind === 'files' ? draft.source.items : []

export const isEmpty = (draft: Draft): boolean =>
  draft.source.kind === 'files' && draft.source.items.length === 0 && draft.rejected.length === 0

/** Adds files, each only once. The files replace a Drive folder. */
export function withFiles(
  draft: Draft,
  items: readonly MediaItem[],
  rejected: readonly RejectedItem[],
): Draft {
  const had = itemsOf(draft)
  const known = new Set(had.map((item) => item.path))
  const refused = new Set(draft.rejected.map((item) => item.path))
  const fresh = items.filter((item) => !known.has(item.path))
  const freshRejected = rejected.filter((item) => !refused.has(item.path))
  if (fresh.length === 0 && freshRejected.length === 0) return draft
  return {
    ...draft,
    source: fresh.length === 0 ? draft.source : { kind: 'files', items: [...had, ...fresh] },
    rejected: [...draft.rejected, ...freshRejected],
  }
}

export function withoutFiles(draft: Draft, paths: readonly string[]): Draft {
  const gone = new Set(paths)
  const items = itemsOf(draft).filter((item) => !gone.has(item.path))
  const rejected = draft.rejected.filter((item) => !gone.has(item.path))
  if (items.length === itemsOf(draft).length && rejected.length === draft.rejected.length) return draft
  const source = draft.source.kind === 'files' ? ({ kind: 'files', items } as const) : draft.source
  return withOtherFormat({ ...draft, source, rejected }, draft.otherFormat)
}

/** Returns a draft of the files that were added after the draft was started. */
export function withoutStarted(draft: Draft, started: Draft): Draft {
  const paths = [...itemsOf(started), ...started.rejected].map(({ path }) => path)
  return { ...withoutFiles(draft, paths), editing: null }
}

export const withoutRejected = (draft: Draft): Draft =>
  draft.rejected.length === 0 ? draft : { ...draft, rejected: [] }

export function withOptions(draft: Draft, options: DraftOptions): Draft {
  const { driveInput, presets, presetFolders, done, output, variations, grouping, service } = options
  return {
    ...draft,
    ...(presets === undefined
      ? {}
      : {
          presets: [...new Set(presets)].slice(0, MAX_PRESETS),
          output: withoutPresetFolder(draft.output),
          otherFormat: undefined,
        }),
    ...(presetFolders === undefined ? {} : { presetFolders }),
    ...(done === undefined ? {} : { done }),
    ...(output === undefined ? {} : { output }),
    ...(variations === undefined ? {} : { variations }),
    ...(grouping === undefined ? {} : { grouping }),
    ...(service === undefined ? {} : { service: service ?? undefined }),
    ...(driveInput === undefined ? {} : { source: sourceFor(draft, driveInput) }),
  }
}

/** Gives files of the draft another format. Undefined gives all files the preset's format again. */
export function withOtherFormat(draft: Draft, other: OtherFormat | undefined): Draft {
  const here = new Set(itemsOf(draft).map(({ path }) => path))
  const paths = other?.paths.filter((path) => here.has(path)) ?? []
  return {
    ...draft,
    otherFormat: other === undefined || paths.length === 0 ? undefined : { ...other, paths },
  }
}

/** Returns the output without the preset's folder, because that preset is being replaced. */
const withoutPresetFolder = (output: DraftOutput): DraftOutput =>
  output.kind === 'beside' && output.presetFolder !== undefined
    ? { kind: 'beside', subfolder: output.subfolder }
    : output

function sourceFor(draft: Draft, driveInput: string | null): Draft['source'] {
  if (driveInput !== null) return { kind: 'drive', folderId: driveInput }
  return { kind: 'files', items: itemsOf(draft) }
}

/** Splits a draft into one draft for photos and one for videos. Returns a single draft if it has only one kind. */
export function splitByKind(draft: Draft): readonly Draft[] {
  const ofKind = (kind: MediaItem['kind']) => itemsOf(draft).filter((item) => item.kind === kind)
  const parts = [ofKind('image'), ofKind('video')].filter((items) => items.length > 0)
  if (parts.length < 2) return [draft]
  return parts.map((items, index) => ({
    ...draft,
    source: { kind: 'files', items },
    editing: index === 0 ? draft.editing : null,
  }))
}

/** Drops the presets of a photo or video draft that don't apply to that kind. */
export function withFittingPreset(
  draft: Draft,
  presets: { readonly image: readonly string[]; readonly video: readonly string[] } | null,
): Draft {
  if (presets === null) return draft
  const fitting = draft.presets.filter((preset) =>
    itemsOf(draft).every((item) => presets[item.kind].includes(preset)),
  )
  return fitting.length === draft.presets.length ? draft : { ...draft, presets: fitting }
}
