/**
 * Reads and changes the descriptions of tracks in Matroska and WebM files. Keeps tracks off that are off in the original, because FFmpeg
 * ignores their flag.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import {
  AV_DISPOSITION_DEFAULT,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_SUBTITLE,
  AVMEDIA_TYPE_VIDEO,
  type AVDisposition,
  type AVMediaType,
} from 'node-av/constants'
import { Dictionary, type Stream } from 'node-av/lib'
import { CHECKSUM, elementsIn, numberIn, readElement } from './matroska-elements.ts'
import { unlessCutOff } from '../read-part.ts'

const TRACKS = 0x1654ae6b
const TRACK = 0xae
const TRACK_TYPE = 0x83
const IS_ENABLED = 0xb9
const IS_LACED = 0x9c
const CHECKSUM_BYTES = 6

/** FFmpeg's media types, by Matroska's types of the tracks that FFmpeg reads. Its streams are in the order of the tracks. */
const STREAM_TYPES: ReadonlyMap<number | undefined, AVMediaType> = new Map([
  [0x01, AVMEDIA_TYPE_VIDEO],
  [0x02, AVMEDIA_TYPE_AUDIO],
  [0x11, AVMEDIA_TYPE_SUBTITLE],
  [0x21, AVMEDIA_TYPE_SUBTITLE],
])

export async function describedTracks(file: FileHandle, streams: readonly Stream[]) {
  const described = await readElement(file, TRACKS, 'cluster')
  const tracks = elementsIn(described?.body ?? Buffer.alloc(0))
    .filter(({ id }) => id === TRACK)
    .map(({ body }) => ({ type: STREAM_TYPES.get(numberIn(body, TRACK_TYPE)), body }))
    .filter(({ type }) => type !== undefined)
  // FFmpeg doesn't return track numbers, and omits damaged tracks.
  if (tracks.some(({ type }, index) => streams[index]?.codecpar.codecType !== type)) return []
  return tracks.flatMap(({ body }, index) => {
    const stream = streams[index]
    return stream === undefined ? [] : [{ stream, body }]
  })
}

/**
 * Overwrites the descriptions of the tracks in a finished file.
 * @param change changes the descriptions of the tracks, in their order, but not their lengths
 */
export async function changeTracks(path: string, change: (tracks: readonly Buffer[]) => void): Promise<void> {
  await using file = await open(path, 'r+')
  const tracks = await readElement(file, TRACKS, 'cluster')
  if (tracks === undefined) return
  const { body, from } = tracks
  const parts = elementsIn(body)
  change(parts.filter(({ id }) => id === TRACK).map((track) => track.body))
  const [checksum] = parts
  if (checksum?.id === CHECKSUM) checksum.body.writeUInt32LE(crc32(body.subarray(CHECKSUM_BYTES)))
  await file.write(body, 0, body.length, from)
}

/** Internal metadata key for a track that is off. It isn't written to files. */
export const OFF = 'mediatray-off'

/** Marks the tracks that are off, and clears their default flag. Players don't play them, even with that flag. */
export async function markTracksOff(path: string, format: string, streams: readonly Stream[]): Promise<void> {
  if (!format.startsWith('matroska')) return
  await using file = await open(path)
  for (const { stream, body } of (await unlessCutOff(() => describedTracks(file, streams))) ?? []) {
    if (numberIn(body, IS_ENABLED) !== 0) continue
    stream.disposition = (stream.disposition & ~AV_DISPOSITION_DEFAULT) as AVDisposition
    stream.metadata = Dictionary.fromObject({ ...stream.metadata?.getAll(), [OFF]: '1' })
  }
}

/**
 * Turns off a track that FFmpeg has written: overwrites the optional flag for lacing with the one for enabled tracks, which has the same
 * length.
 */
export function turnOff(track: Buffer): void {
  const laced = elementsIn(track).find(
    ({ id, body }) => id === IS_LACED && body.length === 1 && body[0] === 0,
  )
  if (laced !== undefined)
    track.writeUInt8(IS_ENABLED, laced.body.byteOffset - track.byteOffset - HEADER_BYTES)
}

/** Bytes of a flag before its value. */
const HEADER_BYTES = 2
