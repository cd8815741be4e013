/** Converts a text subtitle track to the target container's codec. */
import {
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_WEBVTT,
  AV_NOPTS_VALUE,
  AVMEDIA_TYPE_SUBTITLE,
} from 'node-av/constants'
import type { Packet } from 'node-av/lib'
import { newPacket } from '../ffmpeg/ffmpeg.ts'
import {
  encodeText,
  movTextHeader,
  plainText,
  type TextSubtitle,
  type WrittenSubtitle,
} from './subtitle-text.ts'
import { createPacketTrack, type Track, type TrackSource } from './track.ts'

type Conversion = { readonly from: TextSubtitle; readonly to: WrittenSubtitle }

const CODEC_IDS = {
  mov_text: AV_CODEC_ID_MOV_TEXT,
  subrip: AV_CODEC_ID_SUBRIP,
  webvtt: AV_CODEC_ID_WEBVTT,
} as const

export function createSubtitleTrack(
  { source, start, target, metadata }: TrackSource,
  conversion: Conversion,
): Track {
  const stream = target.addStream(metadata)
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
  stream.codecpar.codecId = CODEC_IDS[conversion.to]
  if (conversion.to === 'mov_text') stream.codecpar.extradata = movTextHeader()
  stream.timeBase = source.timeBase
  stream.disposition = source.disposition

  return createPacketTrack(async (packets) => {
    for await (const packet of packets) {
      const rewritten = rewrite(packet, start, conversion)
      packet.free()
      if (rewritten !== undefined) await target.write(rewritten, stream, source.timeBase)
    }
  })
}

/** @returns undefined for an empty subtitle, which only ends the previous one */
function rewrite(packet: Packet, start: bigint, { from, to }: Conversion): Packet | undefined {
  const { data, pts } = packet
  if (data === null || pts === AV_NOPTS_VALUE) return undefined
  const text = plainText(from, data)
  if (text === '') return undefined
  const rewritten = newPacket()
  rewritten.data = encodeText(to, text)
  rewritten.pts = pts - start
  rewritten.dts = pts - start
  rewritten.duration = packet.duration
  return rewritten
}
