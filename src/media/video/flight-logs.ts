/** Finds subtitle tracks with coordinates. Drones and cameras write them as a log, which isn't meant for viewers. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { FileJob } from '../protocol.ts'
import type { Packet, Stream } from 'node-av/lib'
import { newPacket } from '../ffmpeg/ffmpeg.ts'
import { hasCoordinates } from '../metadata/coordinates.ts'
import { isFlightLog, subtitleCodec } from './container.ts'
import { openSourceFile, type SourceFile } from './source-file.ts'
import { isTextSubtitle, plainText } from './subtitle-text.ts'

/** Number of packets to search. A log starts with the video. */
const PACKETS_SEARCHED = 500
/**
 * A track counts as a log if at least this share of its lines has coordinates. Other tracks lose only their lines with coordinates, because
 * conversations also contain such numbers.
 */
const SHARE_OF_LOG = 0.5

/**
 * Finds the logs by the names of the tracks, and by reading the beginning of the file.
 * @returns the indexes of their tracks
 */
export async function findFlightLogs(source: SourceFile): Promise<ReadonlySet<number>> {
  const logs = new Set(source.subtitles.filter(isFlightLog).map(({ index }) => index))
  const isPlace = placesIn(source)
  if (source.subtitles.every(({ index }) => logs.has(index))) return logs
  using packet = newPacket()
  const lines = new Map(source.subtitles.map(({ index }) => [index, { all: 0, places: 0 }]))
  for (let read = 0; read < PACKETS_SEARCHED && (await source.read(packet)); read++) {
    const counted = lines.get(packet.streamIndex)
    if (counted !== undefined) {
      counted.all += 1
      if (isPlace(packet)) counted.places += 1
    }
    packet.unref()
  }
  for (const [index, { all, places }] of lines)
    if (places > 0 && places >= all * SHARE_OF_LOG) logs.add(index)
  return logs
}

/** Creates a function that checks whether a packet is a subtitle with coordinates. */
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

/** Returns the subtitles that the recipe keeps. Omits flight logs unless it keeps all metadata. */
export async function keptSubtitles(
  { recipe: { subtitles, metadata }, inputPath, signal }: FileJob<VideoRecipe>,
  source: SourceFile,
): Promise<readonly Stream[]> {
  if (subtitles === 'none') return []
  if (metadata === 'keep' || source.subtitles.length === 0) return source.subtitles
  await using beginning = await openSourceFile(inputPath, signal)
  const logs = await findFlightLogs(beginning)
  return source.subtitles.filter(({ index }) => !logs.has(index))
}
