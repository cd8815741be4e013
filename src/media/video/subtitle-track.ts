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
import { loss, type Loss, lossReason } from '../../shared/loss/loss.ts'
import { newPacket } from '../ffmpeg/ffmpeg.ts'
import { readAssHeader } from './ass-text.ts'
import { createSplitter, type ShownTogether, type Timed } from './shown-together.ts'
import {
  type LineContext,
  movTextHeader,
  placeOfMovText,
  readLine,
  settingsOfPlace,
  type TextSubtitle,
  writeLine,
  type WrittenSubtitle,
} from './subtitle-text.ts'
import { type Line, USUAL_PLACE } from './subtitle-line.ts'
import { createPacketTrack, type Track, type TrackSource } from './track.ts'

/** How long a subtitle without a duration is shown. */
const USUAL_SECONDS = 3

type Conversion = { readonly from: TextSubtitle; readonly to: WrittenSubtitle }

const CODEC_IDS = {
  mov_text: AV_CODEC_ID_MOV_TEXT,
  subrip: AV_CODEC_ID_SUBRIP,
  webvtt: AV_CODEC_ID_WEBVTT,
} as const

/** How losses name a track: by its number among the subtitles, from 1, and by the result's container. */
type TrackName = { readonly number: number; readonly in: string }

/** @param onLost receives what lines lost: places that the result can't show, and colors, fonts, effects and drawings */
export function createSubtitleTrack(
  { source, start, target, metadata }: TrackSource,
  { from, to }: Conversion,
  name: TrackName,
  onLost: (losses: readonly Loss[]) => void,
): Track {
  const stream = target.addStream(metadata)
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
  stream.codecpar.codecId = CODEC_IDS[to]
  if (to === 'mov_text') stream.codecpar.extradata = movTextHeader()
  stream.timeBase = source.timeBase
  stream.disposition = source.disposition
  const { extradata: header, codecTagString, height } = source.codecpar
  const isAss = from === 'ass' || from === 'ssa'
  const ass = isAss ? readAssHeader(header?.toString('utf8') ?? '', from) : undefined
  // QuickTime's own text has a different description.
  const place = header !== null && codecTagString === 'tx3g' ? placeOfMovText(header) : undefined
  const usual = BigInt(Math.round((USUAL_SECONDS * source.timeBase.den) / source.timeBase.num))
  const splitter = to === 'mov_text' ? createSplitter<Line>() : undefined

  const write = async (parts: readonly ShownTogether<Line>[]): Promise<void> => {
    for (const part of parts) await target.write(packetOf(part, to), stream, source.timeBase)
  }
  let [places, styles] = [0, 0]
  return createPacketTrack(async (packets) => {
    for await (const packet of packets) {
      const line = lineOf(packet, start, from, { ass, place, height, usual })
      packet.free()
      if (line === undefined) continue
      if (line.line.isStyled) styles += 1
      // An empty subtitle only ends the previous one.
      if (line.line.text === '') continue
      if (to === 'mov_text' && line.line.place !== USUAL_PLACE) places += 1
      await write(splitter?.put(line) ?? [{ start: line.start, end: line.end, lines: [line.line] }])
    }
    await write(splitter?.end() ?? [])
    onLost(lossesOf({ places, styles }, to, name))
  })
}

function lossesOf(
  lines: { readonly places: number; readonly styles: number },
  written: WrittenSubtitle,
  name: TrackName,
): readonly Loss[] {
  // 3GPP timed text is known by the name of its container. WebVTT has styles, which aren't written.
  const format = written === 'subrip' ? 'SubRip' : name.in
  const why = written === 'webvtt' ? lossReason('notWritten') : lossReason('formatLacksThem', { format })
  const found = [
    ['subtitlePlaces', lines.places],
    ['subtitleStyles', lines.styles],
  ] as const
  return found
    .filter(([, count]) => count > 0)
    .map(([code, count]) => loss(code, { track: name.number, count }, why))
}

/**
 * Reads a packet as a line with its times.
 * @returns undefined for a packet without content or time
 */
function lineOf(
  packet: Packet,
  fileStart: bigint,
  kind: TextSubtitle,
  { usual, ...track }: Pick<LineContext, 'ass' | 'place' | 'height'> & { readonly usual: bigint },
): Timed<Line> | undefined {
  const { data, pts, duration } = packet
  if (data === null || pts === AV_NOPTS_VALUE) return undefined
  const line = readLine(kind, data, { ...track, settings: settingsOf(packet) })
  const start = pts - fileStart
  return { start, end: start + (duration > 0n ? duration : usual), line }
}

/** Bytes of the `BlockAddID` before the settings, which Matroska stores in a block addition. */
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
