/** Finds subtitle tracks with coordinates, which drones and cameras write as a log and which aren't meant for viewers. */
import type { Packet, Stream } from 'node-av/lib'
import { newPacket } from '../ffmpeg/ffmpeg.ts'
import { hasCoordinates } from './coordinates.ts'
import { isFlightLog, subtitleCodec } from './container.ts'
import type { SourceFile } from './source-file.ts'
import { isTextSubtitle, plainText } from './subtitle-text.ts'

/** A log starts with the video. */
const PACKETS_SEARCHED = 500

/**
 * Reads the beginning of the file.
 * @returns the indexes of the tracks
 */
export async function findFlightLogs(source: SourceFile): Promise<ReadonlySet<number>> {
  const logs = new Set(source.subtitles.filter(isFlightLog).map(({ index }) => index))
  const isPlace = placesIn(source)
  if (source.subtitles.every(({ index }) => logs.has(index))) return logs
  using packet = newPacket()
  for (let read = 0; read < PACKETS_SEARCHED && (await source.read(packet)); read++) {
    if (isPlace(packet)) logs.add(packet.streamIndex)
    packet.unref()
  }
  return logs
}

/** Returns a function that tells whether a packet is a subtitle with coordinates. */
export function placesIn(source: Pick<SourceFile, 'subtitles' | 'format'>): (packet: Packet) => boolean {
  const codecs = new Map(
    source.subtitles.map((stream: Stream) => [stream.index, subtitleCodec(stream, source)]),
  )
  return ({ streamIndex, data }) => {
    const codec = codecs.get(streamIndex)
    if (codec === undefined || data === null || !isTextSubtitle(codec)) return false
    return hasCoordinates(plainText(codec, data))
  }
}
