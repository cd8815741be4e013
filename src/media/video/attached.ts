/**
 * Copies a file's attachments, such as fonts, and its covers, such as the poster of a movie. Matroska stores covers as attachments; MP4
 * stores them as tags.
 */
import {
  AV_CODEC_ID_MJPEG,
  AV_CODEC_ID_PNG,
  AV_DISPOSITION_ATTACHED_PIC,
  AVMEDIA_TYPE_ATTACHMENT,
  type AVCodecID,
} from 'node-av/constants'
import type { Packet, Stream } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { mustSucceed, newPacket } from '../ffmpeg/ffmpeg.ts'
import { type Container, keptStreamMetadata } from './container.ts'
import { cleanerOf, cleanPacket } from './frame-metadata/clean-frames.ts'
import { isCover, openSourceFile, type SourceFile } from './source-file.ts'
import type { TargetFile } from './target-file.ts'

/** File names and types of covers in Matroska. */
const TAGS = new Map<AVCodecID, Readonly<Record<'filename' | 'mimetype', string>>>([
  [AV_CODEC_ID_MJPEG, { filename: 'cover.jpg', mimetype: 'image/jpeg' }],
  [AV_CODEC_ID_PNG, { filename: 'cover.png', mimetype: 'image/png' }],
])

/** Number of packets to search for covers, which are among a file's first packets. */
const MOST_PACKETS = 100

/**
 * Adds the covers that the container can hold: without locations if the recipe removes these, and none if it removes all metadata. Call
 * this before the target begins.
 */
export async function addCovers(
  path: string,
  { streams }: SourceFile,
  target: TargetFile,
  { muxer }: Container,
  metadata: VideoRecipe['metadata'],
): Promise<void> {
  if (metadata === 'strip') return
  const isTag = muxer === 'mp4' || muxer === 'ipod'
  const wanted = streams.filter((stream) => isCover(stream) && TAGS.has(stream.codecpar.codecId))
  if (wanted.length === 0 || !(isTag || muxer === 'matroska')) return
  const left = new Set(wanted.map(({ index }) => index))
  await using source = await openSourceFile(path, new AbortController().signal)
  for (let count = 0; left.size > 0 && count < MOST_PACKETS; count++) {
    using packet = newPacket()
    if (!(await source.read(packet))) return
    const stream = left.delete(packet.streamIndex) ? source.streams[packet.streamIndex] : undefined
    if (stream === undefined) continue
    const cleaner = cleanerOf(stream, metadata)
    // A cover that can't be cleaned is listed as lost.
    if (cleaner !== undefined && !cleanPacket(packet, cleaner)) continue
    if (isTag) await addTag(stream, packet, target)
    else attach(stream, packet, target, metadata)
  }
}

function attach(cover: Stream, { data }: Packet, target: TargetFile, wanted: VideoRecipe['metadata']): void {
  const { codecpar } = cover
  const stream = target.addStream({ ...TAGS.get(codecpar.codecId), ...keptStreamMetadata(cover, wanted) })
  stream.codecpar.codecType = AVMEDIA_TYPE_ATTACHMENT
  stream.codecpar.codecId = codecpar.codecId
  stream.codecpar.extradata = data
}

async function addTag({ codecpar, timeBase }: Stream, picture: Packet, target: TargetFile): Promise<void> {
  const packet = picture.clone()
  if (packet === null) return
  const stream = target.addStream({})
  mustSucceed(codecpar.copy(stream.codecpar), 'copied')
  stream.codecpar.codecTag = 0
  stream.disposition = AV_DISPOSITION_ATTACHED_PIC
  stream.timeBase = timeBase
  await target.write(packet, stream, timeBase)
}

/** First bytes of font files: TrueType, OpenType, collections, WOFF, Type 1. */
const FONTS = ['\0\x01\0\0', 'true', 'OTTO', 'ttcf', 'wOFF', 'wOF2', 'typ1', '%!PS', '\x80\x01']

/** Returns whether an attached file is a font, regardless of the type that the file states. Other attached files may contain anything. */
export function isFont({ codecpar }: Stream): boolean {
  const start = codecpar.extradata?.toString('latin1', 0, 4) ?? ''
  return FONTS.some((each) => start.startsWith(each))
}

/**
 * Copies the attached files to Matroska, or only the fonts of styled subtitles if metadata is removed. They have no packets, so copying
 * their parameters and metadata is enough.
 */
export function addAttachments(
  source: SourceFile,
  target: TargetFile,
  { muxer }: Container,
  wanted: VideoRecipe['metadata'],
): void {
  if (muxer !== 'matroska') return
  const keepsAll = wanted === 'keep'
  for (const attachment of source.attachments.filter((one) => keepsAll || isFont(one))) {
    const { filename = '', mimetype = '', ...tags } = attachment.metadata?.getAll() ?? {}
    const stream = target.addStream({ filename, mimetype, ...(keepsAll ? tags : {}) })
    mustSucceed(attachment.codecpar.copy(stream.codecpar), 'copied')
  }
}
