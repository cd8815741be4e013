/** The properties of videos that are compared, and which recipes ask for their loss. */
import {
  loss,
  type Loss,
  type LossCode,
  type LossReason,
  lossReason,
  type PlainLossCode,
} from '../../shared/loss/loss.ts'
import { isAnimation, type VideoRecipe } from '../../shared/preset/preset.ts'
import { keepsTag } from '../video/container.ts'
import { holdsTelemetry } from '../video/data-tracks.ts'
import { isCoarser } from '../ffmpeg/pixel-format.ts'
import { chosenAudio, chosenSubtitles } from '../video/track-languages.ts'
import { type AskedFor, type Comparison, lostTags } from './comparison.ts'
import type { AudioInventory, Tags, TrackInventory, VideoInventory } from './inventory.ts'
import { hasFlags, isSameLanguage, keptTracks, lostTracks, pairsOf } from './track-pairs.ts'

type VideoComparison = Comparison<VideoInventory, VideoRecipe>

type Asked = AskedFor<VideoRecipe>

/** Containers of results that can't hold a property. */
const LACKING: Readonly<Partial<Record<LossCode, readonly string[]>>> = {
  alpha: ['MP4'],
  chapterNames: ['MP4', 'QuickTime'],
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

/** The properties of a result that depend on more than its container. */
type KeptParts = Pick<VideoInventory, 'format' | 'audio' | 'subtitles' | 'hasAlpha' | 'hdr' | 'dolbyVision'> &
  Pick<VideoInventory, 'xmp' | 'metadataBlocks' | 'inFrames' | 'contentCredentials'>

/** Returns the inventory of the best possible result. It lacks only what no result with these parts can have. */
export function mostOfVideo(before: VideoInventory, kept: KeptParts): VideoInventory {
  const holds = (code: LossCode): boolean => LACKING[code]?.includes(kept.format) !== true
  return {
    ...before,
    ...kept,
    videoTracks: 1,
    mainVideo: 1,
    chapterNames: holds('chapterNames') ? before.chapterNames : [],
    embeddedImages: holds('embeddedImages') ? before.embeddedImages : 0,
    attachments: holds('attachments') ? before.attachments : 0,
    fonts: holds('attachments') ? before.fonts : 0,
  }
}

const none: readonly Loss[] = []

const isWithoutPicture = ({ recipe }: Asked) => recipe.codec === 'none'
/** Returns whether results can be compared with their originals track by track. Animated images and audio files can't. */
export const hasTracks = ({ codec }: VideoRecipe): boolean => codec !== 'none' && !isAnimation(codec)
const changesKind = ({ recipe }: Asked) => !hasTracks(recipe)
const removesAllMetadata = (asked: Asked) =>
  asked.recipe.metadata === 'strip' || isAnimation(asked.recipe.codec)
const removesLocation = (asked: Asked) => asked.recipe.metadata !== 'keep' || isAnimation(asked.recipe.codec)

/**
 * Returns whether the preset promises that every pixel stays as it is. Other presets re-encode for viewing, with the bit depth and colors
 * that players support.
 */
const isExact = ({ recipe: { codec, crf, bitrate } }: Asked) =>
  codec === 'copy' || (crf === 0 && bitrate === undefined)

const changesFrames = (asked: Asked) => !isExact(asked) || changesKind(asked)

const presence = (
  code: PlainLossCode,
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

/** Accepted difference in length between two files of the same video, because containers round times. */
const SECONDS_OFF = 0.5
const SHARE_OFF = 0.02

/** Returns whether the second video is at least as long as the first, apart from the accepted difference. */
export const hasLength = (before: VideoInventory, { seconds, mostSeconds = seconds }: VideoInventory) =>
  before.seconds - mostSeconds <= Math.max(SECONDS_OFF, before.seconds * SHARE_OFF)

const RATE_SHARE_OFF = 0.05

function hasFrames(before: VideoInventory, after: VideoInventory, { codec, fps }: VideoRecipe): boolean {
  if (before.frames !== undefined && after.frames !== undefined) {
    // Tolerate a few missing frames, because some are shown only for a moment.
    return after.frames >= before.frames * (1 - SHARE_OFF) - 2
  }
  const [was, is] = [before.frameRate, after.frameRate]
  return fps !== undefined || codec === 'copy' || was === 0 || is === 0 || is >= was * (1 - RATE_SHARE_OFF)
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

/** Returns the wanted details that the list lacks, or contains fewer times than wanted, each with its index in `wanted`. */
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

/** Returns whether no channel is missing. Layouts of one or two channels differ only by name. */
const hasChannels = (is: AudioInventory, was: AudioInventory): boolean =>
  is.channels >= was.channels && (was.channels <= 2 || (was.places & ~is.places) === 0n)

const whyNotChannels = ({ codec, isLossless }: AudioInventory, { format }: VideoInventory): LossReason =>
  isLossless
    ? lossReason('formatLacksThem', { format })
    : lossReason('encoderLacks', { codec: codec.toUpperCase() })

const whyNotHdr = ({ codec }: VideoRecipe): LossReason =>
  codec === 'copy' ? lossReason('notWritten') : lossReason('encoderLacks', { codec: codec.toUpperCase() })

const blocksOf = ({ metadataBlocks, inFrames }: VideoInventory) => [...metadataBlocks, ...inFrames]

/** Maximum number of languages to list in a sentence. */
const MOST_LANGUAGES = 8

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
    isAskedFor: changesFrames,
    find: (before, after) =>
      after.bitDepth < before.bitDepth && before.hdr === 'none'
        ? [loss('bitDepth', { bits: before.bitDepth }, lossReason('notWritten'))]
        : none,
  },
  {
    isAskedFor: changesFrames,
    find: (before, after) =>
      isCoarser(after.chroma, before.chroma)
        ? [loss('chroma', { detail: before.chroma }, lossReason('notWritten'))]
        : none,
  },
  presence('fields', ({ isInterlaced }) => isInterlaced, changesFrames),
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
      Array.from({ length: before.videoTracks }, (_, index) => index + 1)
        .filter((track) => track !== before.mainVideo)
        .slice(Math.max(0, after.videoTracks - 1))
        .map((track) => loss('videoTrack', { track }, lossReason('noFormat'))),
  },
  {
    // A result without video gets only the main audio track, because most audio containers hold a single track.
    isAskedFor: (asked) => changesKind(asked) || asked.recipe.audio === 'none',
    find: (before, after, { recipe }) =>
      after.audio.length >= chosenAudio(before.audio, recipe).length
        ? none
        : lostTracks(before.audio, after.audio, chosenAudio(before.audio, recipe)).map((values) =>
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
            if (was === undefined || was.codec === is.codec || is.isLossless) return none
            const values = { track: index + 1, detail: was.codec.toUpperCase() }
            return [
              was.isLossless
                ? loss('losslessAudio', values, whyLost('losslessAudio', after))
                : loss('audioQuality', values, lossReason('formatLacksKind', { format: after.format })),
            ]
          })
        : none,
  },
  {
    isAskedFor: (asked) => changesKind(asked) || asked.recipe.subtitles === 'none',
    find(before, after, { recipe }) {
      const chosen = chosenSubtitles(before.subtitles, before.audio, recipe)
      if (after.subtitles.length >= chosen.length) return none
      return lostTracks(before.subtitles, after.subtitles, chosen).map((values) =>
        loss('subtitles', values, whyLost('subtitles', after, true)),
      )
    },
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
  {
    isAskedFor: changesKind,
    find(before, after, asked) {
      const unwanted = removesLocation(asked) ? before.placeNames : []
      const wanted = missingFrom(unwanted, before.chapterNames).map(({ detail }) => detail)
      const gone = missingFrom(after.chapterNames, wanted).map(({ detail }) => detail)
      if (gone.length === 0) return none
      const detail = [...new Set(gone)].slice(0, MOST_LANGUAGES).join(', ')
      return [loss('chapterNames', { count: gone.length, detail }, whyLost('chapterNames', after, true))]
    },
  },
  presence('chapterOrder', ({ hasChapterOrder }) => hasChapterOrder, changesKind),
  {
    isAskedFor: (asked) => changesKind(asked) || asked.recipe.subtitles === 'none',
    find(before, after, asked) {
      const of = removesLocation(asked) ? 'fonts' : 'attachments'
      const count = before[of] - after[of]
      return count > 0 ? [loss('attachments', { count }, whyLost('attachments', after, true))] : none
    },
  },
  fewer('embeddedImages', removesAllMetadata),
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
      missingFrom(blocksOf(after), blocksOf(before)).map(({ detail }) =>
        loss('metadataBlock', { detail }, lossReason('notWritten')),
      ),
  },
  {
    isAskedFor: removesAllMetadata,
    find(before, after, { recipe }) {
      const others = before.tags.others.filter(({ name, value }) => keepsTag(name, value, recipe.metadata))
      const count = lostTags({ ...before.tags, others }, after.tags)
      return count === 0 ? none : [loss('tags', { count }, whyLost('tags', after, true))]
    },
  },
]
