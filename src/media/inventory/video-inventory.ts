/** Takes the inventory of a video from its header, as FFmpeg reads it. */
import {
  AV_DISPOSITION_ATTACHED_PIC,
  AV_DISPOSITION_COMMENT,
  AV_DISPOSITION_DEFAULT,
  AV_DISPOSITION_FORCED,
  AV_DISPOSITION_ORIGINAL,
  AV_PKT_DATA_DISPLAYMATRIX,
  AV_PKT_DATA_DOVI_CONF,
  AV_PKT_DATA_SPHERICAL,
  AV_PKT_DATA_STEREO3D,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  type AVPixelFormat,
} from 'node-av/constants'
import { avGetPixFmtName, type Stream } from 'node-av/lib'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import { readChapters } from '../video/chapters.ts'
import { containerTitle, isLosslessAudio, keptFileMetadata, subtitleCodec } from '../video/container.ts'
import { telemetryIn } from '../video/data-tracks.ts'
import { findFlightLogs } from '../video/flight-logs.ts'
import { languageOf } from '../video/language-tags.ts'
import { shownExtent } from '../video/shown-picture.ts'
import { isRepetition } from '../video/mp4-tags.ts'
import { describeFormat } from '../ffmpeg/pixel-format.ts'
import type { SourceFile } from '../video/source-file.ts'
import { holdsXmp } from '../video/mp4-xmp.ts'
import { rotationOfDisplayMatrix } from '../video/video-geometry.ts'
import { isInterlaced } from '../video/within-limits.ts'
import type { AudioInventory, OtherTag, Tags, TrackInventory, VideoInventory } from './inventory.ts'

export async function videoInventory(path: string, source: SourceFile): Promise<VideoInventory> {
  const { video, streams, audioStreams, subtitles, attachments, metadata } = source
  const parameters = video.codecpar
  const logs = subtitles.length === 0 ? new Set<number>() : await findFlightLogs(source)
  const pixels = avGetPixFmtName(parameters.format as AVPixelFormat) ?? ''
  const format = describeFormat(pixels)
  const { swapsSides } = rotationOfDisplayMatrix(parameters.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX))
  const { width, height } = shownExtent(parameters)
  const videos = streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  return {
    kind: 'video',
    format: containerTitle(source),
    ...(swapsSides ? { width: height, height: width } : { width, height }),
    seconds: secondsOf(source),
    mostSeconds: source.latestEnd(video),
    frameRate: frameRateOf(video),
    bitDepth: format?.bitDepth ?? 8,
    chroma: format?.chroma ?? '4:2:0',
    isInterlaced: isInterlaced(parameters),
    // The palettes of old codecs are opaque.
    hasAlpha: (format?.hasAlpha === true && pixels !== 'pal8') || video.metadata?.get('alpha_mode') === '1',
    color: 'sRGB',
    hdr: HDR.get(parameters.colorTrc) ?? 'none',
    dolbyVision: hasSideData(video, AV_PKT_DATA_DOVI_CONF),
    spherical: hasSideData(video, AV_PKT_DATA_SPHERICAL),
    stereo3d: hasSideData(video, AV_PKT_DATA_STEREO3D),
    videoTracks: videos.filter((stream) => !isCover(stream)).length,
    embeddedImages: videos.filter(isCover).length,
    audio: streams
      .filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO)
      .map((stream) => audioTrack(stream, audioStreams)),
    subtitles: subtitles
      .filter(({ index }) => !logs.has(index))
      .map((stream) => trackOf(stream, subtitleCodec(stream, source))),
    dataTracks: telemetryIn(streams, source.format).map(({ type }) => type),
    chapters: (await readChapters(path)).list.length,
    attachments: attachments.length,
    xmp: source.format.startsWith('mov') && (await holdsXmp(path)),
    tags: tagsOf({ ...video.metadata?.getAll(), ...metadata }, source),
  }
}

/** A subtitle may end later than the picture, so the file's length counts only without subtitles. */
function secondsOf(source: SourceFile): number {
  const { video, subtitles, promisedDuration = 0 } = source
  return source.promisedEnd(video) ?? (subtitles.length > 0 ? 0 : promisedDuration)
}

/**
 * Returns the most likely rate, because a few missing frames lower the average in some containers only. Returns 0 if both contradict each
 * other, as with a variable rate.
 */
function frameRateOf({ avgFrameRate, rFrameRate }: Stream): number {
  const [average, likely] = [avgFrameRate, rFrameRate].map(({ num, den }) => (den === 0 ? 0 : num / den))
  if (average === undefined || likely === undefined) return 0
  return Math.abs(average - likely) <= likely * 0.1 ? likely : 0
}

const HDR = new Map<number, 'pq' | 'hlg'>([
  [AVCOL_TRC_SMPTE2084, 'pq'],
  [AVCOL_TRC_ARIB_STD_B67, 'hlg'],
])

const has = ({ disposition }: Stream, flag: number): boolean => (disposition & flag) !== 0

const isCover = (stream: Stream): boolean => has(stream, AV_DISPOSITION_ATTACHED_PIC)

const hasSideData = ({ codecpar }: Stream, type: Parameters<Stream['codecpar']['getCodedSideData']>[0]) =>
  codecpar.getCodedSideData(type) !== null

export function trackOf(stream: Stream, codec = codecName(stream)): TrackInventory {
  const tag = (name: string) => stream.metadata?.get(name) || undefined
  return {
    codec,
    language: languageOf(stream),
    title: tag('title') ?? tag('name'),
    isDefault: has(stream, AV_DISPOSITION_DEFAULT),
    isForced: has(stream, AV_DISPOSITION_FORCED),
    isComment: has(stream, AV_DISPOSITION_COMMENT),
    isOriginal: has(stream, AV_DISPOSITION_ORIGINAL),
  }
}

const audioTrack = (stream: Stream, known: readonly Stream[]): AudioInventory => ({
  ...trackOf(stream),
  // A track whose parameters are unknown can't be compared.
  channels: known.some(({ index }) => index === stream.index) ? stream.codecpar.channels : 0,
  layout: `${stream.codecpar.channels}`,
  isLossless: isLosslessAudio(codecName(stream)),
})

function tagsOf(metadata: Readonly<Record<string, string>>, source: SourceFile): Tags {
  const names = Object.keys(metadata).map((name) => name.toLowerCase())
  const any = (pattern: RegExp) => names.some((name) => pattern.test(name))
  return {
    camera: any(/(?:^|\.)(?:make|model)$/),
    captureDate: source.taken !== undefined,
    author: any(/(?:^|\.)(?:artist|author|director)$/),
    location: any(/location|©xyz/),
    others: othersIn(source.metadata),
  }
}

/** Tags that say how the file was made, and those that have a separate property. */
const NOT_OTHERS =
  /^(?:creation_time|creationdate|timecode|software|encoder|encoded\w*|encoding\w*|\w*handler\w*|vendor\w*|rotate|alpha_mode)$|(?:^|\.)(?:make|model|artist|author|director|creationdate|software)$|location|©xyz/

function othersIn(metadata: Readonly<Record<string, string>>): readonly OtherTag[] {
  const kept = keptFileMetadata(metadata, 'keep')
  return Object.entries(kept).flatMap(([name, value]) =>
    NOT_OTHERS.test(name.toLowerCase()) || value.trim() === '' || isRepetition(name, kept)
      ? []
      : [{ name: name.toLowerCase(), value }],
  )
}
