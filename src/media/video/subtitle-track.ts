/** Converts a text subtitle track to the target container's codec. */
import {
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_WEBVTT,
  AV_NOPTS_VALUE,
  AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL,
  AV_PKT_DATA_WEBVTT_SETTINGS,
  AVMEDIA_TYPE_SUBTITLE,
} from 'node-av/constants'
import type { Packet } from 'node-av/lib'
import { newPacket } from '../ffmpeg/ffmpeg.ts'
import { createSplitter, type ShownTogether, type Timed } from './shown-together.ts'
import {
  type Line,
  type LineContext,
  movTextHeader,
  placeOfMovText,
  placesOfStyles,
  readLine,
  settingsOfPlace,
  type TextSubtitle,
  USUAL_PLACE,
  writeLine,
  type WrittenSubtitle,
} from './subtitle-text.ts'
import { createPacketTrack, type Track, type TrackSource } from './track.ts'

/** How long a subtitle without a duration is shown. */
const USUAL_SECONDS = 3

type Conversion = { readonly from: TextSubtitle; readonly to: WrittenSubtitle }

const CODEC_IDS = {
  mov_text: AV_CODEC_ID_MOV_TEXT,
  subrip: AV_CODEC_ID_SUBRIP,
  webvtt: AV_CODEC_ID_WEBVTT,
} as const

/** @param onPlacesLost receives the number of lines that the result shows elsewhere than the original */
export function createSubtitleTrack(
  { source, start, target, metadata }: TrackSource,
  { from, to }: Conversion,
  onPlacesLost: (lines: number) => void,
): Track {
  const stream = target.addStream(metadata)
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
  stream.codecpar.codecId = CODEC_IDS[to]
  if (to === 'mov_text') stream.codecpar.extradata = movTextHeader()
  stream.timeBase = source.timeBase
  stream.disposition = source.disposition
  const { extradata: header, codecTagString, height } = source.codecpar
  const isAss = from === 'ass' || from === 'ssa'
  const styles = isAss ? placesOfStyles(header?.toString('utf8') ?? '', from) : undefined
  // QuickTime's own text has another description.
  const place = header !== null && codecTagString === 'tx3g' ? placeOfMovText(header) : undefined
  const usual = BigInt(Math.round((USUAL_SECONDS * source.timeBase.den) / source.timeBase.num))
  const splitter = to === 'mov_text' ? createSplitter<Line>() : undefined

  const write = async (parts: readonly ShownTogether<Line>[]): Promise<void> => {
    for (const part of parts) await target.write(packetOf(part, to), stream, source.timeBase)
  }
  let lost = 0
  return createPacketTrack(async (packets) => {
    for await (const packet of packets) {
      const line = lineOf(packet, start, from, { styles, place, height, usual })
      packet.free()
      if (line === undefined) continue
      if (to === 'mov_text' && line.line.place !== USUAL_PLACE) lost += 1
      await write(splitter?.put(line) ?? [{ start: line.start, end: line.end, lines: [line.line] }])
    }
    await write(splitter?.end() ?? [])
    if (lost > 0) onPlacesLost(lost)
  })
}

/** @returns undefined for an empty subtitle, which only ends the previous one */
function lineOf(
  packet: Packet,
  fileStart: bigint,
  kind: TextSubtitle,
  { usual, ...track }: Pick<LineContext, 'styles' | 'place' | 'height'> & { readonly usual: bigint },
): Timed<Line> | undefined {
  const { data, pts, duration } = packet
  if (data === null || pts === AV_NOPTS_VALUE) return undefined
  const line = readLine(kind, data, { ...track, settings: settingsOf(packet) })
  if (line.text === '') return undefined
  const start = pts - fileStart
  return { start, end: start + (duration > 0n ? duration : usual), line }
}

/** Matroska puts the settings into a block's additions, after the number of their kind. */
const ADDITION_HEADER = 8

function settingsOf(packet: Packet): string | undefined {
  const settings = packet.getSideData(AV_PKT_DATA_WEBVTT_SETTINGS)
  if (settings !== null) return settings.toString('utf8')
  const added = packet.getSideData(AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL)
  return added?.subarray(ADDITION_HEADER).toString('utf8').split('\n')[0]
}

function packetOf({ start, end, lines }: ShownTogether<Line>, to: WrittenSubtitle): Packet {
  const packet = newPacket()
  // Effects of ASS are often made of several lines with the same text.
  const texts = [...new Set(lines.map(({ text }) => text))]
  const place = lines[0]?.place ?? 2
  packet.data = writeLine(to, { text: texts.join('\n'), place })
  const settings = to === 'webvtt' ? settingsOfPlace(place) : undefined
  if (settings !== undefined) packet.addSideData(AV_PKT_DATA_WEBVTT_SETTINGS, Buffer.from(settings, 'utf8'))
  packet.pts = packet.dts = start
  packet.duration = end - start
  return packet
}
