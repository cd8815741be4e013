/** Chooses a video's container and defines which tracks and metadata each container supports. Uses FFmpeg's codec names. */
import { failed } from '../../shared/failure/failure-error.ts'
import type { Stream } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import { type FileJob } from '../protocol.ts'
import { words } from '../words.ts'
import { isPlaceTag, isPlaceValue, placesInKeyword } from '../metadata/places.ts'
import { keepsEverySample } from './encoder-settings.ts'
import { LANGUAGE_TAG } from './language-tags.ts'
import { OFF } from './matroska-tracks.ts'
import type { SourceFile } from './source-file.ts'
import { REGION } from './subtitle-regions.ts'
import { isTextSubtitle, type TextSubtitle, type WrittenSubtitle } from './subtitle-text.ts'

type VideoMuxer = 'mp4' | 'mov' | 'matroska' | 'webm' | 'webp' | 'gif'
type AudioMuxer = 'ipod' | 'opus' | 'mp3' | 'ogg' | 'flac' | 'wav'

export type Container = {
  /** FFmpeg's name of the muxer. */
  readonly muxer: VideoMuxer | AudioMuxer
  /** Without the dot. */
  readonly extension: string
  readonly title: string
}

export const isMatroska = ({ muxer }: Container): boolean => muxer === 'matroska' || muxer === 'webm'

export const isMp4OrMov = ({ muxer }: Pick<Container, 'muxer'>): boolean => muxer === 'mp4' || muxer === 'mov'

type ContainerName = Exclude<VideoRecipe['container'], 'same'>

const CONTAINERS: Readonly<Record<ContainerName, Container>> = {
  mp4: { muxer: 'mp4', extension: 'mp4', title: 'MP4' },
  mov: { muxer: 'mov', extension: 'mov', title: 'QuickTime' },
  mkv: { muxer: 'matroska', extension: 'mkv', title: 'Matroska' },
  webm: { muxer: 'webm', extension: 'webm', title: 'WebM' },
  webp: { muxer: 'webp', extension: 'webp', title: 'WebP' },
  gif: { muxer: 'gif', extension: 'gif', title: 'GIF' },
}

export function containerTitle({ format, extension }: Pick<SourceFile, 'format' | 'extension'>): string {
  const known = extension in CONTAINERS ? CONTAINERS[extension as ContainerName] : undefined
  return known?.title ?? (format.includes('mp4') ? CONTAINERS.mp4.title : format)
}

/** Matroska supports many more codecs; these are the ones worth keeping. */
const VIDEO_CODECS: Readonly<Partial<Record<Container['muxer'], readonly string[]>>> = {
  mp4: ['h264', 'hevc', 'av1', 'vp9', 'mpeg4', 'mpeg2video', 'mpeg1video', 'mjpeg'],
  mov: ['h264', 'hevc', 'mpeg4', 'mjpeg', 'prores', 'dnxhd', 'mpeg2video', 'qtrle', 'png'],
  matroska: words(
    'h264 hevc av1 vp8 vp9 mpeg4 mpeg2video mpeg1video mjpeg prores ffv1 theora msmpeg4v2 msmpeg4v3 wmv2 vc1 huffyuv utvideo dvvideo',
  ),
  webm: ['vp8', 'vp9', 'av1'],
  webp: ['webp'],
  gif: ['gif'],
}

const AUDIO_CODECS: Readonly<Record<Container['muxer'], readonly string[]>> = {
  mp4: ['aac', 'mp3', 'ac3', 'eac3', 'alac', 'opus', 'flac'],
  mov: words(
    'aac mp3 ac3 eac3 alac pcm_u8 pcm_s8 pcm_s16le pcm_s16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be pcm_f32le pcm_f32be pcm_f64le pcm_f64be pcm_alaw pcm_mulaw',
  ),
  matroska: words(
    'aac mp3 mp2 ac3 eac3 dts truehd alac opus vorbis flac wavpack tta wmav1 wmav2 wmapro pcm_alaw pcm_mulaw pcm_s16le pcm_s16be pcm_s24le pcm_s24be pcm_s32le pcm_s32be pcm_f32le pcm_f64le pcm_u8',
  ),
  webm: ['opus', 'vorbis'],
  webp: [],
  gif: [],
  ipod: ['aac', 'alac'],
  opus: ['opus'],
  mp3: ['mp3'],
  ogg: ['vorbis'],
  flac: ['flac'],
  wav: ['pcm_u8', 'pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le'],
}

/** Codecs that few players support in these containers. They are copied only from MP4 and QuickTime files. */
const UNUSUAL_AUDIO: Readonly<Partial<Record<Container['muxer'], readonly string[]>>> = {
  mp4: ['dts', 'vorbis'],
  mov: ['mp2', 'dts', 'adpcm_ima_qt'],
}

const M4A: Container = { muxer: 'ipod', extension: 'm4a', title: 'M4A' }

/** Containers for audio without video. The first one that holds the codec and, if needed, stores times is used. */
const AUDIO_CONTAINERS: readonly Container[] = [
  M4A,
  { muxer: 'opus', extension: 'opus', title: 'Opus' },
  { muxer: 'mp3', extension: 'mp3', title: 'MP3' },
  { muxer: 'ogg', extension: 'ogg', title: 'Ogg' },
  { muxer: 'flac', extension: 'flac', title: 'FLAC' },
  { muxer: 'wav', extension: 'wav', title: 'WAV' },
  { muxer: 'matroska', extension: 'mka', title: 'Matroska' },
]

const TIMELESS: readonly Container['muxer'][] = ['mp3', 'flac', 'wav']

/** Returns whether a container stores when each packet begins. In other containers, each packet follows the one before. */
export const storesTimes = ({ muxer }: Container): boolean => !TIMELESS.includes(muxer)

type ContainerPlan = {
  readonly isExact: boolean
  readonly needsTimes: boolean
  readonly encodesAudio: boolean
}

/** Returns the container for audio without video. A codec that no container holds is encoded to AAC. */
function audioContainerFor(
  { audio }: VideoRecipe,
  stream: Stream,
  { needsTimes, encodesAudio }: ContainerPlan,
): Container {
  const kept = encodesAudio ? 'aac' : codecName(stream)
  const codec = audio === 'keep' ? kept : audio
  const isFit = (one: Container) => holdsAudio(one, codec) && (storesTimes(one) || !needsTimes)
  return AUDIO_CONTAINERS.find(isFit) ?? M4A
}

export function holdsVideo(container: Container, codec: string): boolean {
  return VIDEO_CODECS[container.muxer]?.includes(codec) === true
}

export function holdsAudio(container: Container, codec: string): boolean {
  return AUDIO_CODECS[container.muxer].includes(codec)
}

/** Returns whether an audio track of a file can be copied into a container that needn't play everywhere. */
export const copiesAudio = (container: Container, codec: string, format: string): boolean =>
  holdsAudio(container, codec) ||
  (format.startsWith('mov') && UNUSUAL_AUDIO[container.muxer]?.includes(codec) === true)

/**
 * Returns the codec in which a container keeps every sample of audio that isn't copied.
 * @returns undefined if the container can't hold the samples unchanged
 */
export function exactCodec(container: Container, codec: string): 'pcm' | 'alac' | undefined {
  if (container.muxer === 'matroska' || container.muxer === 'mov') return 'pcm'
  const fitsAlac = /^pcm_(?:u8|s8|s16|s24)|^(?:truehd|mlp|tta|wavpack|flac|alac)$/.test(codec)
  return fitsAlac && holdsAudio(container, 'alac') ? 'alac' : undefined
}

/** @param codec FFmpeg's name of an audio codec */
export const isLosslessAudio = (codec: string): boolean =>
  /^(?:pcm_|flac$|alac$|truehd$|wavpack$|tta$|mlp$|ape$)/.test(codec)

/** How a subtitle track is handled: copied, converted to plain lines, or dropped. */
export type SubtitleWay = 'copy' | 'drop' | { readonly from: TextSubtitle; readonly to: WrittenSubtitle }

const TEXT_OF: Readonly<Partial<Record<Container['muxer'], WrittenSubtitle>>> = {
  mp4: 'mov_text',
  mov: 'mov_text',
  matroska: 'subrip',
  webm: 'webvtt',
}

/** WebVTT is excluded, because FFmpeg would write it in WebM's form, which few programs can read in Matroska. */
const MATROSKA_SUBTITLES = ['subrip', 'ass', 'ssa', 'hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle']

/**
 * Returns FFmpeg's name of a subtitle's codec. FFmpeg doesn't know Matroska's name of WebVTT, but knows the names of all other text
 * subtitles in Matroska.
 */
export function subtitleCodec(stream: Stream, { format }: Pick<SourceFile, 'format'>): string {
  const codec = codecName(stream)
  return codec === 'none' && format.startsWith('matroska') ? 'webvtt' : codec
}

export function subtitleWay(container: Container, stream: Stream, source: SourceFile): SubtitleWay {
  const codec = subtitleCodec(stream, source)
  const to = TEXT_OF[container.muxer]
  if (to === undefined || !holdsSubtitles(container, codec)) return 'drop'
  const isNamed = codecName(stream) === codec
  return isTextSubtitle(codec) && !(isNamed && codec === to) && !isCopied(container, codec)
    ? { from: codec, to }
    : 'copy'
}

/** @param codec as `subtitleCodec` returns it */
export const holdsSubtitles = (container: Container, codec: string): boolean =>
  TEXT_OF[container.muxer] !== undefined && (isTextSubtitle(codec) || isCopied(container, codec))

const isCopied = ({ muxer }: Container, codec: string): boolean =>
  muxer === 'matroska' && MATROSKA_SUBTITLES.includes(codec)

/** @throws FailureError if the recipe contradicts itself or the file */
export function containerFor(
  { recipe, variation }: Pick<FileJob<VideoRecipe>, 'recipe' | 'variation'>,
  source: Pick<SourceFile, 'extension' | 'format' | 'video' | 'mainAudio' | 'audioStreams'>,
  plan: ContainerPlan = { needsTimes: false, encodesAudio: false, isExact: keepsEverySample(recipe) },
): Container {
  if (recipe.codec === 'none') {
    if (source.mainAudio === undefined) throw failed('noAudioTrack')
    return audioContainerFor(recipe, source.mainAudio, plan)
  }
  const copied = recipe.codec === 'copy'
  if (copied && (variation !== undefined || changesVideo(recipe))) {
    throw failed('passthroughChanges')
  }
  const codec = recipe.codec === 'copy' ? codecName(source.video) : recipe.codec
  const container = chooseContainer(recipe.container, source.extension, codec, copied)
  const mayMove = plan.isExact && recipe.container === 'same' && recipe.audio === 'keep'
  const holdsAll = source.audioStreams
    .map(codecName)
    .every((one) => copiesAudio(container, one, source.format) || exactCodec(container, one) !== undefined)
  return mayMove && !holdsAll && holdsVideo(CONTAINERS.mkv, codec) ? CONTAINERS.mkv : container
}

function changesVideo({ height, fps, crop, rotate, grayscale }: VideoRecipe): boolean {
  return height !== undefined || fps !== undefined || crop !== undefined || rotate !== 0 || grayscale
}

/** Containers that results can have in common with their originals. All other originals become MP4. */
const SAME = ['mp4', 'mov', 'mkv', 'webm'] as const

/**
 * Chooses the container of a result with video.
 * @param codec of the finished video
 * @param copied whether frames are copied, so that the codec can't change
 * @throws FailureError if the recipe names a container that can't hold the codec
 */
export function chooseContainer(
  wanted: VideoRecipe['container'],
  inputExtension: string,
  codec: string,
  copied: boolean,
): Container {
  const own = SAME.find((each) => each === inputExtension) ?? 'mp4'
  const container = CONTAINERS[wanted === 'same' ? own : wanted]
  if (holdsVideo(container, codec)) return container
  if (wanted !== 'same') {
    const code = copied ? 'passthroughImpossible' : 'containerLacksCodec'
    throw failed(code, { container: container.title, codec: codec.toUpperCase() })
  }
  if (codec === 'webp' || codec === 'gif') return CONTAINERS[codec]
  return holdsVideo(CONTAINERS.mp4, codec) ? CONTAINERS.mp4 : CONTAINERS.mkv
}

/** Metadata that describes the source file's format. The muxer writes the values for the new file. */
const OF_THE_OLD_FILE = new Set(['major_brand', 'minor_version', 'compatible_brands', 'encoder', 'duration'])

const OF_THE_OLD_STREAM = new Set([...OF_THE_OLD_FILE, 'alpha_mode', 'rotate', 'vendor_id', 'handler_name'])

type Metadata = Readonly<Record<string, string>>

export function keptFileMetadata(metadata: Metadata, wanted: VideoRecipe['metadata']): Metadata {
  if (wanted === 'strip') return {}
  const kept = without(OF_THE_OLD_FILE, metadata)
  return wanted === 'keep' ? kept : withoutLocation(kept)
}

/**
 * Returns whether a tag is kept.
 * @param value undefined for a binary value, which may contain anything
 */
export const keepsTag = (name: string, value: string | undefined, wanted: VideoRecipe['metadata']): boolean =>
  value === undefined
    ? wanted === 'keep'
    : Object.keys(keptFileMetadata({ [name]: value }, wanted)).length > 0

/** The language, and Mediatray's internal metadata about a track. */
const NEEDED_NAMES: readonly string[] = ['language', LANGUAGE_TAG, REGION, OFF]

/**
 * Returns the metadata to keep. MP4 calls a track's title its name. A track's language always stays, because it isn't private and players
 * use it to choose tracks.
 */
export function keptStreamMetadata(stream: Stream, wanted: VideoRecipe['metadata']): Metadata {
  const metadata = stream.metadata?.getAll() ?? {}
  if (wanted === 'strip')
    return Object.fromEntries(Object.entries(metadata).filter(([name]) => NEEDED_NAMES.includes(name)))
  const { name, ...kept } = without(OF_THE_OLD_STREAM, metadata)
  const titled = name === undefined ? kept : { title: name, ...kept }
  return wanted === 'keep' ? titled : withoutLocation(titled)
}

/** Returns whether a tag with keywords has one for a place, such as `Places|Germany|Munich`. */
const listsPlace = (name: string, value: string): boolean =>
  /keyword|subject/i.test(name) && value.split(/[,;]/).some((keyword) => placesInKeyword(keyword).length > 0)

const withoutLocation = (metadata: Metadata): Metadata =>
  Object.fromEntries(
    // Some editing programs store a whole XMP packet as one tag.
    Object.entries(metadata).filter(
      ([name, value]) =>
        !isPlaceTag(name) && !/xmp/i.test(name) && !isPlaceValue(value) && !listsPlace(name, value),
    ),
  )

/**
 * Returns whether the name of a subtitle track shows that it is a drone's flight log, which contains coordinates and isn't meant for
 * viewers.
 */
export const isFlightLog = (stream: Stream): boolean =>
  /\b(?:dji|gps|telemetry)\b/i.test(
    ['handler_name', 'title'].map((name) => stream.metadata?.get(name) ?? '').join(' '),
  )

/** Returns the tag of VP8 and VP9 that makes players show the alpha channel, if the track has that tag. */
export function alphaMark(stream: Stream): Metadata {
  return stream.metadata?.get('alpha_mode') === '1' ? { alpha_mode: '1' } : {}
}

function without(names: ReadonlySet<string>, metadata: Metadata): Metadata {
  return Object.fromEntries(
    Object.entries(metadata).filter(([name]) => {
      const plain = name.toLowerCase()
      return !names.has(plain) && !plain.startsWith('_statistics_') && !plain.startsWith('bps')
    }),
  )
}
