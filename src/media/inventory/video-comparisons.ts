/** The properties of videos that are compared, and which recipes ask for their loss. */
import { loss, type Loss, type LossCode, type LossReason, lossReason } from '../../shared/loss/loss.ts'
import { isLanguage } from '../../shared/preset/languages.ts'
import { isAnimation, type VideoRecipe } from '../../shared/preset/preset.ts'
import { holdsTelemetry } from '../video/data-tracks.ts'
import { isCoarser } from '../ffmpeg/pixel-format.ts'
import { chosenAudio, chosenSubtitles } from '../video/track-languages.ts'
import { type AskedFor, type Comparison, lostTags } from './comparison.ts'
import type { AudioInventory, Tags, TrackInventory, VideoInventory } from './inventory.ts'

type VideoComparison = Comparison<VideoInventory, VideoRecipe>

type Asked = AskedFor<VideoRecipe>

/** Containers of results that can't hold a property. */
const LACKING: Readonly<Partial<Record<LossCode, readonly string[]>>> = {
  alpha: ['MP4'],
  chapterOrder: ['MP4', 'QuickTime'],
  attachments: ['MP4', 'QuickTime', 'WebM'],
  audioTrack: [],
  subtitles: [],
  embeddedImages: ['WebM'],
}

function whyLost(code: LossCode, { format }: VideoInventory, isMany = false): LossReason {
  if (LACKING[code]?.includes(format) !== true) return lossReason('notWritten')
  return lossReason(isMany ? 'formatLacksThem' : 'formatLacksIt', { format })
}

/** What becomes of parts that depend on more than the container. */
export type KeptParts = Pick<
  VideoInventory,
  | 'format'
  | 'hasAlpha'
  | 'hdr'
  | 'dolbyVision'
  | 'subtitles'
  | 'xmp'
  | 'metadataBlocks'
  | 'contentCredentials'
>

/** Returns what a result can have at most. Only what no result with these parts has is missing. */
export function mostOfVideo(before: VideoInventory, kept: KeptParts): VideoInventory {
  const holds = (code: LossCode): boolean => LACKING[code]?.includes(kept.format) !== true
  return {
    ...before,
    ...kept,
    videoTracks: 1,
    embeddedImages: holds('embeddedImages') ? before.embeddedImages : 0,
    attachments: holds('attachments') ? before.attachments : 0,
    fonts: holds('attachments') ? before.fonts : 0,
  }
}

const none: readonly Loss[] = []

const isWithoutPicture = ({ recipe }: Asked) => recipe.codec === 'none'
/** Whether results can be compared. An animated image and an audio file have no tracks. */
export const hasTracks = ({ codec }: VideoRecipe): boolean => codec !== 'none' && !isAnimation(codec)
const changesKind = ({ recipe }: Asked) => !hasTracks(recipe)
const removesAllMetadata = (asked: Asked) =>
  asked.recipe.metadata === 'strip' || isAnimation(asked.recipe.codec)
const removesLocation = (asked: Asked) => asked.recipe.metadata !== 'keep' || isAnimation(asked.recipe.codec)

/** Whether the preset promises that every pixel stays as it is. Others re-encode for viewing, with the bits and colors of players. */
const isExact = ({ recipe: { codec, crf, bitrate } }: Asked) =>
  codec === 'copy' || (crf === 0 && bitrate === undefined)

const presence = (
  code:
    | 'alpha'
    | 'chapterOrder'
    | 'color'
    | 'contentCredentials'
    | 'dolbyVision'
    | 'fields'
    | 'spherical'
    | 'stereo3d'
    | 'xmp',
  isThere: (video: VideoInventory) => boolean,
  isAskedFor: (asked: Asked) => boolean,
): VideoComparison => ({
  isAskedFor,
  find: (before, after) =>
    isThere(before) && !isThere(after) ? [loss(code, {}, whyLost(code, after))] : none,
})

const tag = (code: Exclude<keyof Tags, 'others'>, isAskedFor = removesAllMetadata): VideoComparison => ({
  isAskedFor,
  find: (before, after) =>
    before.tags[code] && !after.tags[code] ? [loss(code, {}, whyLost(code, after))] : none,
})

/** Two files of the same video may differ by this much, because containers round times. */
const SECONDS_OFF = 0.5
const SHARE_OFF = 0.02

/** Whether a video is as long as another one, or longer. */
export const hasLength = (before: VideoInventory, { seconds, mostSeconds = seconds }: VideoInventory) =>
  before.seconds - mostSeconds <= Math.max(SECONDS_OFF, before.seconds * SHARE_OFF)

const RATE_SHARE_OFF = 0.05

function hasFrames(before: VideoInventory, after: VideoInventory, { codec, fps }: VideoRecipe): boolean {
  if (before.frames !== undefined && after.frames !== undefined) {
    // Some are shown for a moment only.
    return after.frames >= before.frames * (1 - SHARE_OFF) - 2
  }
  const [was, is] = [before.frameRate, after.frameRate]
  return fps !== undefined || codec === 'copy' || was === 0 || is === 0 || is >= was * (1 - RATE_SHARE_OFF)
}

/** Pairs of a result's track with the original's track of which it was made, by the original's index. */
function pairsOf<T extends TrackInventory>(
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
    // Tracks keep their order. A track that looks like another one is passed over while enough others are left.
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
  (!isAudio(one) || !isAudio(other) || one.channels >= other.channels)

/** Containers have different codes for the same language. */
const isSameLanguage = (one: string | undefined, other: string | undefined): boolean =>
  one === other || (other !== undefined && isLanguage(one, other))

const isAudio = (track: TrackInventory): track is AudioInventory => 'channels' in track

/** What tells one track from another, for the user. */
export const detailOf = ({
  title,
  language,
  codec,
}: Pick<TrackInventory, 'title' | 'language' | 'codec'>): string => title ?? language ?? codec.toUpperCase()

const lostTracks = <T extends TrackInventory>(before: readonly T[], after: readonly T[]) => {
  const pairs = pairsOf(before, after)
  return before
    .map((track, index) => ({ track: index + 1, detail: detailOf(track), index }))
    .filter(({ index }) => !pairs.has(index))
    .map(({ index: _index, ...values }) => values)
}

/** A single track is the default one in any case, as is the first audio if none is marked, and some containers say so. */
const hasFlags = (one: TrackInventory, other: TrackInventory, isOnly: boolean): boolean =>
  (isOnly || one.isDefault === other.isDefault) &&
  one.roles === other.roles &&
  (one.isOriginal !== true || other.isOriginal === true)

/** Audio and subtitle tracks that were kept, with the original's. */
function keptTracks(before: VideoInventory, after: VideoInventory) {
  return (['audio', 'subtitles'] as const).flatMap((kind) => {
    const pairs = pairsOf<TrackInventory>(before[kind], after[kind])
    return [...pairs].flatMap(([index, is]) => {
      const was = before[kind][index]
      const isFirst = kind === 'audio' && index === 0 && !before.audio.some(({ isDefault }) => isDefault)
      return was === undefined ? [] : [{ was, is, isOnly: pairs.size === 1 || isFirst }]
    })
  })
}

const trackCount = (
  code: 'trackLanguage' | 'trackTitle' | 'trackFlags',
  isLost: (was: TrackInventory, is: TrackInventory, isOnly: boolean) => boolean,
  isAskedFor: (asked: Asked) => boolean,
): VideoComparison => ({
  isAskedFor,
  find(before, after) {
    const count = keptTracks(before, after).filter(({ was, is, isOnly }) => isLost(was, is, isOnly)).length
    return count === 0 ? none : [loss(code, { count }, lossReason('notWritten'))]
  },
})

const fewer = (
  code: 'chapters' | 'embeddedImages',
  isAskedFor: (asked: Asked) => boolean,
): VideoComparison => ({
  isAskedFor,
  find: (before, after) =>
    after[code] < before[code]
      ? [loss(code, { count: before[code] - after[code] }, whyLost(code, after, true))]
      : none,
})

/** Returns what isn't in a list, or less often, with its index. */
function missingFrom(list: readonly string[], wanted: readonly string[]) {
  const left = [...list]
  return wanted.flatMap((detail, index) => {
    const place = left.indexOf(detail)
    if (place >= 0) left.splice(place, 1)
    return place >= 0 ? [] : [{ detail, index }]
  })
}

const whyNotData = (type: string, { format }: VideoInventory): LossReason =>
  holdsTelemetry({ muxer: 'mp4' }, type) ? lossReason('formatLacksIt', { format }) : lossReason('noFormat')

/** Layouts of one or two channels differ only by name. */
const hasChannels = (is: AudioInventory, was: AudioInventory): boolean =>
  is.channels >= was.channels && (was.channels <= 2 || (was.places & ~is.places) === 0n)

const whyNotChannels = ({ codec, isLossless }: AudioInventory, { format }: VideoInventory): LossReason =>
  isLossless
    ? lossReason('formatLacksThem', { format })
    : lossReason('encoderLacks', { codec: codec.toUpperCase() })

const whyNotHdr = ({ codec }: VideoRecipe): LossReason =>
  codec === 'copy' ? lossReason('notWritten') : lossReason('encoderLacks', { codec: codec.toUpperCase() })

export const VIDEO_COMPARISONS: readonly VideoComparison[] = [
  {
    find(before, after) {
      if (before.seconds === 0 || after.seconds === 0) return none
      if (hasLength(before, after)) return none
      const seconds = Math.round((before.seconds - (after.mostSeconds ?? after.seconds)) * 10) / 10
      return [loss('endSeconds', { seconds }, lossReason('notWritten'))]
    },
  },
  {
    isAskedFor: changesKind,
    find: (before, after, { recipe }) =>
      hasFrames(before, after, recipe)
        ? none
        : [loss('frameRate', { count: Math.round(before.frameRate * 100) / 100 }, lossReason('notWritten'))],
  },
  {
    isAskedFor: (asked) =>
      changesKind(asked) || asked.isVaried || asked.recipe.mayShrink || asked.recipe.crop !== undefined,
    find(before, after, { recipe }) {
      const side = Math.min(before.width, before.height)
      const promised = Math.min(side, recipe.height ?? side)
      // Encoders need even sides.
      if (Math.min(after.width, after.height) >= promised - 1) return none
      return [loss('dimensions', { width: before.width, height: before.height }, lossReason('notWritten'))]
    },
  },
  {
    isAskedFor: (asked) => changesKind(asked) || asked.isVaried || asked.recipe.crop !== undefined,
    find(before, after, { recipe }) {
      const isTurned = recipe.rotate % 180 !== 0
      const isWide = before.width > before.height
      const isSquare = before.width === before.height
      const isKept =
        isSquare || isWide === (isTurned ? after.width < after.height : after.width > after.height)
      return isKept ? none : [loss('rotation', {}, lossReason('formatLacksIt', { format: after.format }))]
    },
  },
  presence('alpha', ({ hasAlpha }) => hasAlpha, isWithoutPicture),
  {
    isAskedFor: (asked) => !isExact(asked) || changesKind(asked),
    find: (before, after) =>
      after.bitDepth < before.bitDepth && before.hdr === 'none'
        ? [loss('bitDepth', { bits: before.bitDepth }, lossReason('notWritten'))]
        : none,
  },
  {
    isAskedFor: (asked) => !isExact(asked) || changesKind(asked),
    find: (before, after) =>
      isCoarser(after.chroma, before.chroma)
        ? [loss('chroma', { detail: before.chroma }, lossReason('notWritten'))]
        : none,
  },
  presence(
    'fields',
    ({ isInterlaced }) => isInterlaced,
    (asked) => !isExact(asked) || changesKind(asked),
  ),
  {
    isAskedFor: (asked) => changesKind(asked) || asked.recipe.hdr === 'tone-map' || asked.isVaried,
    find: (before, after, { recipe }) =>
      before.hdr !== 'none' && after.hdr === 'none' ? [loss('hdr', {}, whyNotHdr(recipe))] : none,
  },
  presence(
    'dolbyVision',
    ({ dolbyVision }) => dolbyVision,
    (asked) => changesKind(asked) || asked.recipe.hdr === 'tone-map',
  ),
  presence('spherical', ({ spherical }) => spherical, changesKind),
  presence('stereo3d', ({ stereo3d }) => stereo3d, changesKind),
  {
    isAskedFor: changesKind,
    find: (before, after) =>
      Array.from({ length: Math.max(0, before.videoTracks - after.videoTracks) }, (_, index) =>
        loss('videoTrack', { track: after.videoTracks + index + 1 }, lossReason('noFormat')),
      ),
  },
  {
    // A result with only the audio has its main track, because most audio containers hold a single one.
    isAskedFor: (asked) => changesKind(asked) || asked.recipe.audio === 'none',
    find: (before, after, { recipe }) =>
      after.audio.length >= chosenAudio(before.audio, recipe).length
        ? none
        : lostTracks(before.audio, after.audio).map((values) =>
            loss('audioTrack', values, whyLost('audioTrack', after)),
          ),
  },
  {
    isAskedFor: ({ recipe }) => recipe.audio === 'none',
    find: (before, after) =>
      [...pairsOf(before.audio, after.audio)].flatMap(([index, is]) => {
        const was = before.audio[index]
        if (was === undefined || hasChannels(is, was)) return none
        const values = { track: index + 1, detail: was.layout }
        return [loss('audioChannels', values, whyNotChannels(is, after))]
      }),
  },
  {
    isAskedFor: ({ recipe }) => recipe.audio !== 'keep',
    find: (before, after, asked) =>
      isExact(asked)
        ? [...pairsOf(before.audio, after.audio)].flatMap(([index, is]) => {
            const was = before.audio[index]
            if (was === undefined || !was.isLossless || is.isLossless) return none
            const values = { track: index + 1, detail: was.codec.toUpperCase() }
            return [loss('losslessAudio', values, whyLost('losslessAudio', after))]
          })
        : none,
  },
  {
    isAskedFor: (asked) => changesKind(asked) || asked.recipe.subtitles === 'none',
    find: (before, after, { recipe }) =>
      after.subtitles.length >= chosenSubtitles(before.subtitles, before.audio, recipe).length
        ? none
        : lostTracks(before.subtitles, after.subtitles).map((values) =>
            loss('subtitles', values, whyLost('subtitles', after, true)),
          ),
  },
  trackCount(
    'trackLanguage',
    (was, is) => was.language !== undefined && !isSameLanguage(is.language, was.language),
    changesKind,
  ),
  trackCount(
    'trackTitle',
    (was, is) => was.title !== undefined && is.title === undefined,
    removesAllMetadata,
  ),
  trackCount('trackFlags', (was, is, isOnly) => !hasFlags(was, is, isOnly), changesKind),
  fewer('chapters', changesKind),
  presence('chapterOrder', ({ hasChapterOrder }) => hasChapterOrder, changesKind),
  {
    isAskedFor: (asked) => changesKind(asked) || asked.recipe.subtitles === 'none',
    find(before, after, asked) {
      const of = removesLocation(asked) ? 'fonts' : 'attachments'
      const count = before[of] - after[of]
      return count > 0 ? [loss('attachments', { count }, whyLost('attachments', after, true))] : none
    },
  },
  fewer('embeddedImages', removesLocation),
  {
    isAskedFor: removesLocation,
    find: (before, after) =>
      missingFrom(after.dataTracks, before.dataTracks).map(({ detail, index }) =>
        loss('dataTrack', { track: index + 1, detail }, whyNotData(detail, after)),
      ),
  },
  tag('camera'),
  tag('captureDate'),
  tag('author'),
  tag('location', removesLocation),
  presence('xmp', ({ xmp }) => xmp, removesLocation),
  presence('contentCredentials', ({ contentCredentials }) => contentCredentials, removesLocation),
  {
    isAskedFor: removesLocation,
    find: (before, after) =>
      missingFrom(after.metadataBlocks, before.metadataBlocks).map(({ detail }) =>
        loss('metadataBlock', { detail }, lossReason('notWritten')),
      ),
  },
  {
    isAskedFor: removesLocation,
    find(before, after) {
      const count = lostTags(before.tags, after.tags)
      return count === 0 ? none : [loss('tags', { count }, whyLost('tags', after, true))]
    },
  },
]
