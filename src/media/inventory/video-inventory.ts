/** Takes the inventory of a video from what FFmpeg reads of its header, from its first packets, and from parts that FFmpeg ignores. */
import {
  AV_DISPOSITION_ORIGINAL,
  AV_PKT_DATA_DOVI_CONF,
  AV_PKT_DATA_SPHERICAL,
  AV_PKT_DATA_STEREO3D,
  AV_CH_BACK_LEFT,
  AV_CH_BACK_RIGHT,
  AV_CH_SIDE_LEFT,
  AV_CH_SIDE_RIGHT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
  type AVPixelFormat,
} from 'node-av/constants'
import {
  avChannelLayoutDefault,
  avChannelLayoutDescribe,
  avGetPixFmtName,
  type ChannelLayout,
  type Stream,
} from 'node-av/lib'
import { codecName } from '../ffmpeg/ffmpeg.ts'
import type { ChapterName } from '../video/chapter.ts'
import { hasPlace, readChapters } from '../video/chapters.ts'
import { containerTitle, isLosslessAudio, keptFileMetadata, subtitleCodec } from '../video/container.ts'
import { isFont } from '../video/attached.ts'
import { telemetryIn } from '../video/data-tracks.ts'
import { findFlightLogs } from '../video/flight-logs.ts'
import { languageOf } from '../video/language-tags.ts'
import { tagsBeside } from '../video/kept-tags.ts'
import { displayedExtent } from '../video/shown-picture.ts'
import { cameraTags, isRepetition, rolesOf } from '../video/mp4-tags.ts'
import { describeFormat } from '../ffmpeg/pixel-format.ts'
import { isCover, isDefault, type SourceFile } from '../video/source-file.ts'
import { readFileBoxes } from '../video/mp4-file-boxes.ts'
import { highDynamicRange } from '../video/video-filters.ts'
import { isInterlaced } from '../video/within-limits.ts'
import { frameTags, joinedTags } from './frame-tags.ts'
import type { AudioInventory, OtherTag, Tags, TrackInventory, VideoInventory } from './inventory.ts'

export async function videoInventory(path: string, source: SourceFile): Promise<VideoInventory> {
  const { video, streams, audioStreams, subtitles, attachments, metadata } = source
  const parameters = video.codecpar
  const logs = subtitles.length === 0 ? new Set<number>() : await findFlightLogs(source)
  const pixels = avGetPixFmtName(parameters.format as AVPixelFormat) ?? ''
  const format = describeFormat(pixels)
  const { list, unlisted = 0, isOrdered = false } = await readChapters(path)
  const { inFrames, tags } = await frameTags(source)
  const videos = streams.filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
  const moving = videos.filter((stream) => !isCover(stream))
  const names = list.flatMap(({ others = [] }) => others)
  return {
    kind: 'video',
    format: containerTitle(source),
    ...displayedExtent(video),
    seconds: secondsOf(source),
    mostSeconds: source.latestEnd(video),
    frameRate: frameRateOf(video),
    bitDepth: format?.bitDepth ?? 8,
    chroma: format?.chroma ?? '4:2:0',
    isInterlaced: isInterlaced(parameters),
    // The palettes of old codecs are opaque.
    hasAlpha: (format?.hasAlpha === true && pixels !== 'pal8') || video.metadata?.get('alpha_mode') === '1',
    color: 'sRGB',
    hdr: highDynamicRange(parameters) ?? 'none',
    dolbyVision: hasSideData(video, AV_PKT_DATA_DOVI_CONF),
    spherical: hasSideData(video, AV_PKT_DATA_SPHERICAL),
    stereo3d: hasSideData(video, AV_PKT_DATA_STEREO3D),
    videoTracks: moving.length,
    mainVideo: moving.findIndex(({ index }) => index === video.index) + 1,
    embeddedImages: videos.filter(isCover).length,
    audio: streams
      .filter(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_AUDIO)
      .map((stream) => audioTrack(stream, audioStreams)),
    subtitles: subtitles
      .filter(({ index }) => !logs.has(index))
      .map((stream) => trackOf(stream, subtitleCodec(stream, source))),
    dataTracks: telemetryIn(streams, source.format).map(({ type }) => type),
    chapters: list.length + unlisted,
    chapterNames: names.map(languageOfName),
    placeNames: names.filter(hasPlace).map(languageOfName),
    hasChapterOrder: isOrdered,
    attachments: attachments.length,
    fonts: attachments.filter(isFont).length,
    ...(await readFileBoxes(path, source.format)),
    inFrames,
    tags: joinedTags(tagsOf({ ...video.metadata?.getAll(), ...metadata }, source), tags),
  }
}

const languageOfName = ({ language = 'und' }: ChapterName): string => language

/** Returns the length of the video track. A file is as long as its longest track, so its length is used only if there is no other track. */
function secondsOf(source: SourceFile): number {
  const { video, streams, promisedDuration = 0 } = source
  return source.promisedEnd(video) ?? taggedEnd(source) ?? (streams.length > 1 ? 0 : promisedDuration)
}

/**
 * Reads the length from the track's Matroska tag. FFmpeg writes the track's end there. Other programs write its length, which is never
 * greater than its end.
 */
function taggedEnd({ video, startSeconds }: SourceFile): number | undefined {
  const tag = video.metadata?.get('DURATION') ?? ''
  const [, hours, minutes, seconds] = /^(\d+):(\d+):([\d.]+)$/.exec(tag) ?? []
  if (seconds === undefined) return undefined
  return Math.max(0, Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) - startSeconds)
}

/**
 * Returns the most likely rate rather than the average, which a few missing frames lower in some containers. Returns 0 if the two rates
 * contradict each other, as with a variable rate.
 */
function frameRateOf({ avgFrameRate, rFrameRate }: Stream): number {
  const [average, likely] = [avgFrameRate, rFrameRate].map(({ num, den }) => (den === 0 ? 0 : num / den))
  if (average === undefined || likely === undefined) return 0
  return Math.abs(average - likely) <= likely * 0.1 ? likely : 0
}

const hasSideData = ({ codecpar }: Stream, type: Parameters<Stream['codecpar']['getCodedSideData']>[0]) =>
  codecpar.getCodedSideData(type) !== null

export function trackOf(stream: Stream, codec = codecName(stream)): TrackInventory {
  const tag = (name: string) => stream.metadata?.get(name) || undefined
  return {
    codec,
    language: languageOf(stream),
    title: tag('title') ?? tag('name'),
    isDefault: isDefault(stream),
    roles: rolesOf(stream),
    isOriginal: (stream.disposition & AV_DISPOSITION_ORIGINAL) !== 0,
  }
}

function audioTrack(stream: Stream, known: readonly Stream[]): AudioInventory {
  const { channels, channelLayout } = stream.codecpar
  // A track whose parameters are unknown can't be compared.
  const isKnown = known.some(({ index }) => index === stream.index)
  return {
    ...trackOf(stream),
    channels: isKnown ? channels : 0,
    layout: avChannelLayoutDescribe(channelLayout) ?? `${channels}`,
    places: isKnown ? placesOf(channelLayout) : 0n,
    isLossless: isLosslessAudio(codecName(stream)),
  }
}

const AT_THE_SIDE = AV_CH_SIDE_LEFT | AV_CH_SIDE_RIGHT
const IN_THE_BACK = AV_CH_BACK_LEFT | AV_CH_BACK_RIGHT

/** Returns the channels' positions. A single pair of surround channels counts as back, because formats call the same pair side or back. */
function placesOf({ mask, nbChannels }: ChannelLayout): bigint {
  const places = mask === 0n ? avChannelLayoutDefault(nbChannels).mask : mask
  const isPair = (places & AT_THE_SIDE) === AT_THE_SIDE && (places & IN_THE_BACK) === 0n
  return isPair ? places ^ AT_THE_SIDE ^ IN_THE_BACK : places
}

function tagsOf(metadata: Readonly<Record<string, string>>, source: SourceFile): Tags {
  const names = Object.keys(metadata).map((name) => name.toLowerCase())
  const any = (pattern: RegExp) => names.some((name) => pattern.test(name))
  return {
    camera: any(/(?:^|\.)(?:make|model)$/),
    captureDate: source.taken !== undefined,
    author: any(/(?:^|\.)(?:artist|author|director)$/),
    location: any(PLACE) || source.hiddenTags.some(({ name }) => PLACE.test(name.toLowerCase())),
    others: [
      ...othersIn({ ...source.metadata, ...timecodeOf(source.video) }),
      ...othersIn(tagsOfTracks(source)),
      ...source.hiddenTags
        .filter(({ name }) => !HOW_MADE.test(name.toLowerCase()) && !PLACE.test(name.toLowerCase()))
        .map(({ name, value }) => ({ name: `other ${name.toLowerCase()}`, value })),
      ...tagsBeside(source),
    ],
  }
}

/** Returns the timecode at which the video begins: a time of day or a position on a tape. FFmpeg reads it as a tag of the track. */
function timecodeOf({ metadata }: Stream): Readonly<Record<string, string>> {
  const timecode = metadata?.get('timecode')
  return typeof timecode === 'string' ? { timecode } : {}
}

/** Returns the cameras' tags of each track, with the track's number in the name. */
const tagsOfTracks = ({ video, audioStreams, subtitles }: SourceFile): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [video, ...audioStreams, ...subtitles].flatMap((stream, index) =>
      Object.entries(cameraTags(stream)).map(([name, value]) => [`track ${index + 1} ${name}`, value]),
    ),
  )

const HOW_MADE =
  /^(?:creation_time|creationdate|software|encoder|encoded\w*|encoding\w*|\w*handler\w*|vendor\w*|rotate|alpha_mode)$|(?:^|\.)(?:creationdate|software)$/
const PLACE = /location|©xyz/
const SEPARATE = /(?:^|\.)(?:make|model|artist|author|director)$/

/** Returns whether a tag belongs to `others`: it doesn't describe how the file was made, and no other property holds it. */
const isOther = (name: string): boolean => ![HOW_MADE, PLACE, SEPARATE].some((one) => one.test(name))

function othersIn(metadata: Readonly<Record<string, string>>): readonly OtherTag[] {
  const kept = keptFileMetadata(metadata, 'keep')
  return Object.entries(kept).flatMap(([name, value]) =>
    !isOther(name.toLowerCase()) || value.trim() === '' || isRepetition(name, kept)
      ? []
      : [{ name: name.toLowerCase(), value }],
  )
}
