/** A text subtitle track that is rewritten in the words of another container. */
import {
  AV_CODEC_ID_MOV_TEXT,
  AV_CODEC_ID_SUBRIP,
  AV_CODEC_ID_WEBVTT,
  AV_NOPTS_VALUE,
  AVMEDIA_TYPE_SUBTITLE,
} from 'node-av/constants'
import { Packet, type Stream } from 'node-av/lib'
import {
  encodeText,
  movTextHeader,
  plainText,
  type TextSubtitle,
  type WrittenSubtitle,
} from './subtitle-text.ts'
import type { TargetFile } from './target-file.ts'
import { createBoundedQueue, type Track } from './track.ts'

export type SubtitleTrackOptions = {
  readonly source: Stream
  /** What the file's clock shows at its beginning, in the stream's time base. */
  readonly start: bigint
  readonly from: TextSubtitle
  readonly to: WrittenSubtitle
  readonly target: TargetFile
  readonly metadata: Readonly<Record<string, string>>
}

const CODEC_IDS = {
  mov_text: AV_CODEC_ID_MOV_TEXT,
  subrip: AV_CODEC_ID_SUBRIP,
  webvtt: AV_CODEC_ID_WEBVTT,
} as const
const PACKETS_WAITING = 64

export function createSubtitleTrack(options: SubtitleTrackOptions): Track {
  const { source, target } = options
  const packets = createBoundedQueue<Packet>(PACKETS_WAITING)
  const stream = target.addStream(options.metadata)
  stream.codecpar.codecType = AVMEDIA_TYPE_SUBTITLE
  stream.codecpar.codecId = CODEC_IDS[options.to]
  if (options.to === 'mov_text') stream.codecpar.extradata = movTextHeader()
  stream.timeBase = source.timeBase
  stream.disposition = source.disposition

  return {
    take: (packet) => packets.push(packet),
    end: () => packets.end(),
    async run() {
      for (;;) {
        const packet = await packets.take()
        if (packet === undefined) return
        const rewritten = rewrite(packet, options)
        packet.free()
        if (rewritten !== undefined) await target.write(rewritten, stream, source.timeBase)
      }
    },
    fail(reason) {
      for (const packet of packets.fail(reason)) packet.free()
    },
    free: () => undefined,
  }
}

/** @returns undefined for a line that says nothing: an empty one only ends the one before it */
function rewrite(packet: Packet, { from, to, start }: SubtitleTrackOptions): Packet | undefined {
  const { data, pts } = packet
  if (data === null || pts === AV_NOPTS_VALUE) return undefined
  const text = plainText(from, data)
  if (text === '') return undefined
  const rewritten = new Packet()
  rewritten.alloc()
  rewritten.data = encodeText(to, text)
  rewritten.pts = pts - start
  rewritten.dts = pts - start
  rewritten.duration = packet.duration
  return rewritten
}
