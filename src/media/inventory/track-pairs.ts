/** Pairs the tracks of a result with those of its original. */
import { isLanguage } from '../../shared/preset/languages.ts'
import { isTextSubtitle } from '../video/subtitle-text.ts'
import type { AudioInventory, TrackInventory, VideoInventory } from './inventory.ts'

/** Maps the index of each original track that the result keeps to the result's track that was made from it. */
export function pairsOf<T extends TrackInventory>(
  before: readonly T[],
  after: readonly T[],
): ReadonlyMap<number, T> {
  const pairs = new Map<number, T>()
  let next = 0
  let left = before.filter(({ isNamed }) => isNamed !== true).length
  for (const [index, track] of before.entries()) {
    const candidate = after[next]
    if (candidate === undefined) break
    if (track.isNamed === true) continue
    // Tracks keep their order. An original track unlike the next result track is skipped while enough others remain.
    const isSpare = left > after.length - next
    left -= 1
    if (isSpare && !isAlike(track, candidate)) continue
    pairs.set(index, candidate)
    next += 1
  }
  return pairs
}

const isAlike = (one: TrackInventory, other: TrackInventory): boolean =>
  isSameLanguage(one.language ?? other.language, other.language ?? one.language) &&
  (one.title ?? other.title) === (other.title ?? one.title) &&
  (!isAudio(one) || !isAudio(other) || one.channels >= other.channels) &&
  // Text subtitles may change their format, but stay text. Pictures are only copied.
  (isText(one) === isText(other) || isAudio(one))

const isText = ({ codec }: TrackInventory): boolean => isTextSubtitle(codec)

/** Returns whether two codes stand for the same language. Containers may use different codes for it. */
export const isSameLanguage = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (other !== undefined && isLanguage(one, other))

const isAudio = (track: TrackInventory): track is AudioInventory => 'channels' in track

export const detailOf = ({
  title,
  language,
  codec,
}: Pick<TrackInventory, 'title' | 'language' | 'codec'>): string => title ?? language ?? codec.toUpperCase()

/** Returns the numbers and names of the original tracks that the result lacks. @param chosen the tracks that the recipe asks for */
export const lostTracks = <T extends TrackInventory>(
  before: readonly T[],
  after: readonly T[],
  chosen: readonly T[] = before,
) => {
  const pairs = pairsOf(before, after)
  return before.flatMap((track, index) =>
    pairs.has(index) || !chosen.includes(track) ? [] : [{ track: index + 1, detail: detailOf(track) }],
  )
}

/**
 * Returns whether a track has its original's flags. With `isOnly`, ignores the default flag, because players choose the track in any case
 * and only some containers set the flag.
 */
export const hasFlags = (one: TrackInventory, other: TrackInventory, isOnly: boolean): boolean =>
  (isOnly || one.isDefault === other.isDefault) &&
  one.roles === other.roles &&
  (one.isOriginal !== true || other.isOriginal === true)

/** Pairs each kept audio or subtitle track with its original. */
export function keptTracks(before: VideoInventory, after: VideoInventory) {
  return (['audio', 'subtitles'] as const).flatMap((kind) => {
    const pairs = pairsOf<TrackInventory>(before[kind], after[kind])
    return [...pairs].flatMap(([index, is]) => {
      const was = before[kind][index]
      const isFirst = kind === 'audio' && index === 0 && !before.audio.some(({ isDefault }) => isDefault)
      return was === undefined ? [] : [{ was, is, isOnly: pairs.size === 1 || isFirst }]
    })
  })
}
