/** Finds metadata in frames that are whole image files: Motion JPEG and PNG. */
import { isPixelChunk } from '../../image/bare/png.ts'
import { isForPixels, jpegParts } from '../../image/jpeg-parts.ts'
import { EXIF_NAME, MARKERS, segment } from '../../image/jpeg-segments.ts'
import { chunksOf } from '../../image/png-chunks.ts'
import { exifWithoutLocation } from '../../metadata/without-location.ts'
import { type Change, changeParts, type KeepsText } from './change-parts.ts'

const SOI = Buffer.from([0xff, MARKERS.SOI, 0xff])

/** Segments that decoders need: Adobe's color transform, and the order of the fields. Only their beginnings have a meaning. */
const NEEDED: readonly { readonly marker: number; readonly name: string; readonly bytes: number }[] = [
  { marker: MARKERS.APP0, name: 'AVI1', bytes: 14 },
  { marker: MARKERS.APP14, name: 'Adobe', bytes: 12 },
]

/** QuickTime's Motion JPEG A lists where the parts of a frame are, so none can be removed. */
const lists = (frame: Buffer): boolean => frame.toString('latin1', 0, 64).includes('mjpg')

/**
 * Removes metadata from a frame of Motion JPEG.
 * @param keepsCamera whether the camera's data stays, without the location
 * @returns undefined if metadata can't be removed
 */
export function cleanJpeg(frame: Buffer, keeps: KeepsText, keepsCamera: boolean): Buffer | undefined {
  const cleaned = changeParts(frame, metadataIn(frame, keeps, keepsCamera))
  return cleaned !== frame && lists(frame) ? undefined : cleaned
}

/** Finds the metadata of a frame. Interlaced frames consist of two JPEGs. */
function* metadataIn(frame: Buffer, keeps: KeepsText, keepsCamera: boolean): Generator<Change> {
  for (let from = frame.indexOf(SOI); from >= 0;) {
    let end = frame.length
    for (const { marker, body } of jpegParts(frame, from)) {
      if (marker === MARKERS.EOI) end = body - 2
      else if (!isForPixels(frame, marker, body)) yield* changed(frame, marker, body, keeps, keepsCamera)
    }
    const next = frame.indexOf(SOI, end)
    const to = next < 0 ? frame.length : next
    if (frame.subarray(end, to).some((byte) => byte !== 0 && byte !== 0xff)) yield { from: end, to }
    from = next
  }
}

function* changed(
  frame: Buffer,
  marker: number,
  body: number,
  keeps: KeepsText,
  keepsCamera: boolean,
): Generator<Change> {
  const to = Math.min(frame.length, body - 2 + frame.readUInt16BE(body - 2))
  const content = frame.subarray(body, to)
  const begins = (name: string, at = 0) => content.toString('latin1', at, at + name.length) === name
  if (marker === MARKERS.APP1 && begins('mjpg', 4)) return
  const needed = NEEDED.find((one) => one.marker === marker && begins(one.name))
  if (needed !== undefined) {
    const by = segment(marker, '', content.subarray(0, needed.bytes))
    if (content.length > needed.bytes) yield { from: body - 4, to, by }
    return
  }
  if (marker === MARKERS.COM && keeps(content)) return
  const isCamera = keepsCamera && marker === MARKERS.APP1 && begins(EXIF_NAME)
  const exif = isCamera ? exifWithoutLocation(content.subarray(EXIF_NAME.length)) : undefined
  const by = exif && segment(MARKERS.APP1, EXIF_NAME, exif)
  const from = body - 4
  if (by === undefined || !by.equals(frame.subarray(from, to))) yield { from, to, ...(by && { by }) }
}

export function cleanPng(frame: Buffer): Buffer {
  const chunks = [...chunksOf(frame)]
  const last = chunks.find(({ type }) => type === 'IEND') ?? chunks.at(-1)
  const end = last?.end ?? frame.length
  return changeParts(frame, [
    ...chunks.flatMap(({ type, at, end: to }) =>
      at >= end || isPixelChunk(type, to - at - 12) ? [] : [{ from: at, to }],
    ),
    ...(end < frame.length ? [{ from: end, to: frame.length }] : []),
  ])
}
