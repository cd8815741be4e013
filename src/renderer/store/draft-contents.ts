/** Determines what the draft contains, and which of its files its presets process. */
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import { partsToProcess } from '../../shared/model/done-files.ts'
import { type PresetItems, unhandledItems } from '../../shared/model/draft-parts.ts'
import { knownPreset, type PresetOffer } from '../../shared/preset/known-preset.ts'
import type { App } from './app.ts'

export type Contents = { readonly photos: number; readonly videos: number }

export const countKinds = (items: readonly MediaItem[]): Contents => {
  const photos = items.filter(({ kind }) => kind === 'image').length
  return { photos, videos: items.length - photos }
}

export const contentsOf = ({ source }: Draft): Contents =>
  countKinds(source.kind === 'files' ? source.items : [])

/** A file that can't be used, for example because no chosen preset handles it. */
export type Reject = Omit<RejectedItem, 'reason'> & {
  readonly reason: RejectedItem['reason'] | 'noPresetForPhotos' | 'noPresetForVideos'
}

export type DraftFiles = { readonly items: readonly MediaItem[]; readonly rejected: readonly Reject[] }

/** Divides the draft's files. With several presets, files that none of them handles count as rejected. */
export function draftFiles(app: App): DraftFiles {
  const draft = app.state.draft.value
  const unhandled = unhandledItems(draft, app.state.draftConnection.value.presets)
  const all = draft.source.kind === 'files' ? draft.source.items : []
  if (unhandled.length === 0) return { items: all, rejected: draft.rejected }
  const left = new Set(unhandled)
  const rejected = unhandled.map(({ path, name, kind, size }): Reject => ({
    path,
    name,
    size,
    reason: kind === 'image' ? 'noPresetForPhotos' : 'noPresetForVideos',
  }))
  return { items: all.filter((item) => !left.has(item)), rejected: [...draft.rejected, ...rejected] }
}

/** Returns the kinds of files in the draft that none of the chosen presets handles. A preset that exists only for this job may handle both. */
export function unhandledKinds(draft: Draft, offer: PresetOffer): readonly MediaItem['kind'][] {
  if (offer.presets === null || draft.presets.length === 0 || draft.source.kind !== 'files') return []
  const { items } = draft.source
  return (['image', 'video'] as const).filter(
    (kind) =>
      items.some((item) => item.kind === kind) &&
      draft.presets.every((name) => knownPreset(offer, name)?.[kind] === false),
  )
}

/** Returns the files that each preset will process. */
export const draftParts = ({ state }: App): readonly PresetItems[] =>
  partsToProcess(state.draft.value, state.draftConnection.value.presets, state.doneFiles.value)

/** Returns the number of files that are done with every preset of the draft; 0 until it is known. */
export function doneCount({ state }: App): number {
  const known = state.doneFiles.value
  return known?.kind === 'known' ? known.done.filter(({ isDone }) => isDone).length : 0
}

/** Returns the draft's files that are skipped because they are already done. */
export function skippedItems({ state }: App): ReadonlySet<MediaItem> {
  const { source, done } = state.draft.value
  const known = state.doneFiles.value
  if (source.kind !== 'files' || done === 'again' || known?.kind !== 'known') return new Set()
  const paths = new Set(known.done.filter(({ isDone }) => isDone).map(({ path }) => path))
  return new Set(source.items.filter(({ path }) => paths.has(path)))
}

/** Returns the number of results; null for a Drive folder, whose files haven't been counted. */
export function countResults(app: App): number | null {
  const { source, variations } = app.state.draft.value
  if (source.kind === 'drive') return null
  return draftParts(app).reduce((sum, { items }) => sum + items.length, 0) * variations
}

/** "3 photos", "2 videos" or "3 photos, 2 videos". */
export function kindCounts({ photos, videos }: Contents, t: WindowTranslation): string {
  const counts = [
    ...(photos > 0 || videos === 0 ? [t.count.photos({ count: photos })] : []),
    ...(videos > 0 ? [t.count.videos({ count: videos })] : []),
  ]
  const [first = '', second] = counts
  return second === undefined ? first : t.phrases.and({ first, second })
}
