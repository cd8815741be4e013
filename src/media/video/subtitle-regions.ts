/**
 * Keeps the region of the video in which an MP4 or QuickTime file shows a track of subtitles, often a strip at the bottom. FFmpeg's muxer
 * would put this region at the top, in the dimensions of the original.
 */
import { type Extent, turnedExtent } from '../../shared/extent.ts'
import { open } from 'node:fs/promises'
import { Dictionary } from 'node-av/lib'
import { partAt, readMovie, trackId, tracksOf } from './mp4-boxes.ts'
import { unlessCutOff } from '../read-part.ts'
import type { SourceFile } from './source-file.ts'

/** Internal metadata key for a stream's region. It isn't written to files. */
export const REGION = 'mediatray-region'

/** Where a track header (ISO/IEC 14496-12, 8.3.2) has its matrix. */
const matrixAt = (header: Buffer): number => (header[0] === 1 ? 52 : 40)
const SIZE_AFTER_MATRIX = 36
const isShort = (header: Buffer): boolean => header.length < matrixAt(header) + SIZE_AFTER_MATRIX + 8
/** Offsets of the matrix's entries for horizontal and for vertical positions, in bytes. */
const ACROSS = [0, 12, 24]
const DOWN = [4, 16, 28]

export async function addRegions(
  path: string,
  { format, subtitles, video }: Pick<SourceFile, 'format' | 'subtitles' | 'video'>,
): Promise<void> {
  if (!format.startsWith('mov') || subtitles.length === 0) return
  // FFmpeg may accept an index that ends early.
  const headers = await unlessCutOff(() => headersIn(path))
  const picture = headers?.get(video.id)
  for (const stream of subtitles) {
    const header = headers?.get(stream.id)
    if (header === undefined || picture === undefined || isShort(header) || isShort(picture)) continue
    const matrix = header.subarray(matrixAt(header), matrixAt(header) + SIZE_AFTER_MATRIX)
    const { width, height } = shownSize(picture)
    const region = `${width}x${height} ${matrix.toString('hex')}`
    stream.metadata = Dictionary.fromObject({ ...stream.metadata?.getAll(), [REGION]: region })
  }
}

async function headersIn(path: string): Promise<ReadonlyMap<number | undefined, Buffer | undefined>> {
  await using file = await open(path)
  const movie = await readMovie(file)
  const tracks = tracksOf(movie?.body ?? Buffer.alloc(0))
  return new Map(tracks.map((track) => [trackId(track), partAt(track, 'tkhd')]))
}

/** Returns the upright dimensions of a video track as its header states them: in 1/65,536 of a pixel. */
function shownSize(header: Buffer): Extent {
  const at = matrixAt(header)
  const sizeAt = at + SIZE_AFTER_MATRIX
  const [width, height] = [header.readUInt32BE(sizeAt), header.readUInt32BE(sizeAt + 4)]
  const isSideways = Math.abs(header.readInt32BE(at + 4)) > Math.abs(header.readInt32BE(at))
  return turnedExtent({ width, height }, isSideways)
}

const FIXED_POINT = 0x1_00_00

/**
 * Moves the region of a track to where it was in the original's video.
 * @param header of the result's track. This function changes the header
 * @param region as `addRegions` notes it
 * @param picture the result's dimensions in pixels
 */
export function moveRegion(header: Buffer, region: string, picture: Extent): void {
  const [, width, height, hex = ''] = /^(\d+)x(\d+) (\w+)$/.exec(region) ?? []
  const matrix = Buffer.from(hex, 'hex')
  const across = (picture.width / Number(width)) * FIXED_POINT
  const down = (picture.height / Number(height)) * FIXED_POINT
  if (matrix.length !== SIZE_AFTER_MATRIX || !(across > 0 && down > 0)) return
  for (const [offsets, share] of [
    [ACROSS, across],
    [DOWN, down],
  ] as const)
    for (const at of offsets) matrix.writeInt32BE(scaled(matrix.readInt32BE(at), share), at)
  matrix.copy(header, matrixAt(header))
}

const MOST = 0x7f_ff_ff_ff
const scaled = (value: number, share: number): number =>
  Math.max(-MOST, Math.min(MOST, Math.round(value * share)))
