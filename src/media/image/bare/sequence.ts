/** Removes everything from the tracks of an image sequence that its frames don't need (ISO/IEC 14496-12, 8; ISO/IEC 23008-12, 7). */
import { type Box, boxesIn, createPartCount, readFrom } from '../../../node/media-header/heif-boxes.ts'
import type { Extent } from '../../../node/media-header/heif-items.ts'
import { clearUserData } from './coded-words.ts'
import { setOf } from '../../words.ts'

/** What each box may contain. Any other box may contain the user's data. */
const NEEDED: Readonly<Record<string, ReadonlySet<string>>> = {
  moov: setOf('mvhd trak'),
  trak: setOf('tkhd tref edts mdia'),
  edts: setOf('elst'),
  mdia: setOf('mdhd hdlr minf'),
  minf: setOf('vmhd dinf stbl'),
  stbl: setOf('stsd stts ctts cslg stss stsc stsz stco co64 sdtp'),
}
const CODINGS = setOf('av01 hvc1')
const PROPERTIES = setOf('av1C hvcC colr pasp ccst auxi clap irot imir clli mdcv cclv amve fiel btrt')
const [HANDLERS, CONFIGURATIONS] = [setOf('pict auxv'), setOf('av1C hvcC')]

/** Boxes that begin with the times at which a program made the file. */
const DATED = setOf('mvhd tkhd mdhd')
/** Offset and length of the encoder's name, and the length of a visual sample entry without its boxes. */
const [CODER_AT, CODER_BYTES, ENTRY_BYTES] = [42, 32, 78]
/** Length of a full box's version and flags, offset of the type in `hdlr`, and length of `hdlr` without its name. */
const [VERSION_BYTES, HANDLER_AT, HANDLER_BYTES] = [4, 8, 24]
const ENTRY_COUNT_BYTES = 4

/**
 * Overwrites what isn't needed. Nothing moves.
 * @returns where the data of the frames is; undefined if a track has anything other than images, or stores them in a rare way
 * @throws RangeError if a box ends before its content does
 */
export function clearSequence(file: Buffer, movie: Box): readonly Extent[] | undefined {
  clearBoxes(file, movie)
  const tracks = boxesIn(file, movie.body, movie.end).filter(({ type }) => type === 'trak')
  const places: Extent[] = []
  for (const track of tracks) {
    const frames = clearTrack(file, track)
    if (frames === undefined) return undefined
    places.push(...frames)
  }
  return places
}

/** Empties unknown boxes, and clears times and the names of handlers. */
function clearBoxes(file: Buffer, { type: parent, body, end }: Box): void {
  for (const box of boxesIn(file, body, end)) {
    if (NEEDED[parent]?.has(box.type) !== true) empty(file, box)
    else if (DATED.has(box.type)) {
      const bytes = file.readUInt8(box.body) === 1 ? 16 : 8
      file.fill(0, box.body + VERSION_BYTES, box.body + VERSION_BYTES + bytes)
    } else if (box.type === 'hdlr') file.fill(0, box.body + HANDLER_BYTES, box.end)
    else if (box.type in NEEDED) clearBoxes(file, box)
  }
}

/** Turns a box into padding. */
export function empty(file: Buffer, { start, body, end }: Box): void {
  file.write('free', start + 4, 'latin1')
  file.fill(0, body, end)
}

function clearTrack(file: Buffer, track: Box): readonly Extent[] | undefined {
  const inside = ({ body, end }: Box, type: string): Box => {
    const found = boxesIn(file, body, end).find((box) => box.type === type)
    if (found === undefined) throw new RangeError(`The track has no ${type}`)
    return found
  }
  const media = inside(track, 'mdia')
  const { body: handler } = inside(media, 'hdlr')
  if (!HANDLERS.has(file.toString('latin1', handler + HANDLER_AT, handler + HANDLER_AT + 4))) return undefined
  const table = inside(inside(media, 'minf'), 'stbl')
  const list = inside(table, 'stsd')
  const [entry, ...others] = boxesIn(file, list.body + VERSION_BYTES + ENTRY_COUNT_BYTES, list.end)
  if (entry === undefined || others.length > 0 || !CODINGS.has(entry.type)) return undefined
  file.fill(0, entry.body + CODER_AT, entry.body + CODER_AT + CODER_BYTES)
  const properties = boxesIn(file, entry.body + ENTRY_BYTES, entry.end)
  for (const property of properties) if (!PROPERTIES.has(property.type)) empty(file, property)
  const configuration = properties.find(({ type }) => CONFIGURATIONS.has(type))
  if (configuration === undefined) return undefined
  const parameters = file.subarray(configuration.body, configuration.end)
  const frames = framesOf(file, table)
  const areCleared = frames?.every(
    ({ offset, length }) =>
      offset + length <= file.length &&
      clearUserData(entry.type, file.subarray(offset, offset + length), parameters),
  )
  return areCleared === true ? frames : undefined
}

/** Returns where the samples of a track are (14496-12, 8.7). */
function framesOf(file: Buffer, table: Box): readonly Extent[] | undefined {
  const boxes = boxesIn(file, table.body, table.end)
  const read = (type: string) => {
    const box = boxes.find((one) => one.type === type)
    return box && readFrom(file, box.body + VERSION_BYTES, box.end)
  }
  const [sizes, chunks, short, long] = [read('stsz'), read('stsc'), read('stco'), read('co64')]
  const places = short ?? long
  if (sizes === undefined || chunks === undefined || places === undefined) return undefined
  const count = createPartCount()
  const list = (length: number, next: () => number): readonly number[] =>
    Array.from({ length }, () => {
      count()
      return next()
    })
  const same = sizes.number(4)
  const lengths = list(sizes.number(4), () => (same === 0 ? sizes.number(4) : same))
  const starts = list(places.number(4), () => places.number(short === undefined ? 8 : 4))
  const runs = list(chunks.number(4), () => 0).map(() => {
    const run = { first: chunks.number(4), samples: chunks.number(4) }
    // Skip the sample description index.
    chunks.number(4)
    return run
  })
  const frames: Extent[] = []
  let run = -1
  for (const [index, start] of starts.entries()) {
    let offset = start
    while ((runs[run + 1]?.first ?? Infinity) <= index + 1) run++
    for (let left = runs[run]?.samples ?? 0; left > 0 && frames.length < lengths.length; left--) {
      const length = lengths[frames.length] ?? 0
      frames.push({ offset, length })
      offset += length
    }
  }
  return frames.length === lengths.length ? frames : undefined
}

/**
 * Adjusts the tracks of a file to data that has moved.
 * @param by how far the data behind `behind` has moved
 */
export function moveFrames(file: Buffer, by: number, behind: number): void {
  const tables = boxesIn(file, 0, file.length)
    .filter(({ type }) => type === 'moov')
    .flatMap((movie) => tablesIn(file, movie))
  for (const { type, body, end } of tables) {
    const bytes = type === 'co64' ? 8 : 4
    for (let at = body + VERSION_BYTES + ENTRY_COUNT_BYTES; at + bytes <= end; at += bytes) {
      const place = readFrom(file, at, end).number(bytes)
      if (place < behind) continue
      if (bytes === 8) file.writeBigUInt64BE(BigInt(place + by), at)
      else file.writeUInt32BE(place + by, at)
    }
  }
}

const tablesIn = (file: Buffer, { body, end }: Box): readonly Box[] =>
  boxesIn(file, body, end).flatMap((box) => {
    if (box.type === 'stco' || box.type === 'co64') return [box]
    return box.type in NEEDED ? tablesIn(file, box) : []
  })
