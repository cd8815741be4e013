/** Summarizes a preset in one line: format, size, goal, and finally what it removes. */
import type { StudioTranslation } from '../i18n/i18n.ts'
import { goalOf, noGoalOf, QUALITY_AT_FIRST, visualQualityOf } from './preset-goal.ts'
import type { PresetPart, ReadField } from './read-field.ts'

export type PresetSummary = {
  readonly does: string
  /** '' if nothing is removed. */
  readonly removed: string
}

/** @param read reads a document with defaults filled in */
export function summaryOf(read: ReadField, t: StudioTranslation): PresetSummary {
  const image = read('image') !== undefined
  const video = read('video') !== undefined
  const parts = [
    ...(image ? [partLine('image', read, t)] : []),
    ...(video ? [partLine('video', read, t)] : []),
  ]
  const removes = (image && read('image.metadata') !== 'keep') || (video && read('video.metadata') !== 'keep')
  return { does: parts.join(t.summary.semicolon), removed: removes ? t.summary.placeRemoved : '' }
}

/** Summarizes a preset in a few words for a list: "JPEG, 2048 px", "up to 500 kB", "WebP, H.264". */
export function shortSummaryOf(read: ReadField, t: StudioTranslation): string {
  const parts = (['image', 'video'] as const).filter((part) => read(part) !== undefined)
  const isLossless = parts.every((part) => noGoalOf(part, read) !== null)
  const formats = t.listed(parts.map((part) => formatWords(part, read, t)))
  const [part] = parts
  if (parts.length !== 1 || part === undefined) return isLossless ? t.summary.nothingLost : formats
  if (noGoalOf(part, read) === 'untouched') return formats
  if (isLossless) return t.listed([formats, t.summary.nothingLost])
  return goalOf(part, read) === 'size'
    ? goalWords(part, read, t)
    : t.listed([formats, sizeWords(part, read, t)])
}

function partLine(part: PresetPart, read: ReadField, t: StudioTranslation): string {
  if (part === 'video' && read('video.codec') === 'none')
    return t.listed([choiceName(t, 'video.codec', 'none'), choiceName(t, 'video.audio', read('video.audio'))])
  const aim = goalWords(part, read, t)
  return t.listed([formatWords(part, read, t), sizeWords(part, read, t), ...(aim === '' ? [] : [aim])])
}

/** Returns a value of a document as it is written there. */
export const wordOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

/** Returns a value's display name, such as JPEG. Returns the value as written if it has none. */
export const choiceName = (t: StudioTranslation, path: string, value: unknown): string => {
  const names: Readonly<Record<string, string>> = t.choice
  return (
    names[`${path.slice(path.lastIndexOf('.') + 1)}_${wordOf(value).replaceAll('-', '_')}`] ?? wordOf(value)
  )
}

const formatWords = (part: PresetPart, read: ReadField, t: StudioTranslation): string =>
  part === 'image'
    ? choiceName(t, 'image.format', read('image.format'))
    : choiceName(t, 'video.codec', read('video.codec'))

function sizeWords(part: PresetPart, read: ReadField, t: StudioTranslation): string {
  if (part === 'video') {
    const height = read('video.height')
    return height === undefined ? t.summary.ownSize : t.summary.lines({ height: wordOf(height) })
  }
  const width = read('image.size.width')
  const height = read('image.size.height')
  if (width !== undefined && height !== undefined && width !== height) {
    return t.summary.box({ width: wordOf(width), height: wordOf(height) })
  }
  const side = width ?? height
  return side === undefined ? t.summary.ownSize : t.summary.pixels({ pixels: wordOf(side) })
}

function goalWords(part: PresetPart, read: ReadField, t: StudioTranslation): string {
  const nothing = noGoalOf(part, read)
  if (nothing !== null) return part === 'video' ? '' : t.summary.nothingLost
  const goal = goalOf(part, read)
  if (goal === 'look') return t.summary.look({ look: wordOf(visualQualityOf(read(`${part}.look`))) })
  if (goal === 'size') return t.summary.under({ size: t.size(Number(read(`${part}.maxBytes`))) })
  if (goal === 'limits') return t.summary.limits
  if (part === 'image')
    return t.summary.quality({ quality: wordOf(read('image.quality') ?? QUALITY_AT_FIRST) })
  const bitrate = read('video.bitrate')
  return bitrate === undefined
    ? t.summary.crf({ crf: wordOf(read('video.crf')) })
    : t.summary.bitrate({ rate: t.number(Number(bitrate) / 1_000_000) })
}
