/**
 * Reads the tags of MP4 and QuickTime files from each of their boxes separately. FFmpeg joins values of the same name from several boxes
 * with a semicolon, and looks up the names of all boxes in the first table of names.
 */
import { open } from 'node:fs/promises'
import { AVSEEK_CUR, AVSEEK_SET, AVSEEK_SIZE } from 'node-av/constants'
import { Dictionary, FormatContext, InputFormat, IOContext } from 'node-av/lib'
import { sumOf } from '../../shared/sum.ts'
import { makeBox } from '../make-box.ts'
import type { Metadata, Named } from './matroska-tags.ts'
import { partAt, type Part, partsOf, readMovie, rebuilt, rootBoxes, trackId, tracksOf } from './mp4-boxes.ts'
import { unlessCutOff } from '../read-part.ts'

/** Maximum number of boxes to read in all. Cameras write a few for each track. */
const MOST_BOXES = 100

/** Maximum size of the headers that are read again with each box. They take about 100 bytes. */
const MOST_HEAD_BYTES = 4_096

/** Names that FFmpeg takes from a track's header, too. */
const OF_HEADER = new Set(['language', 'handler_name', 'vendor_id', 'encoder', 'creation_time'])

/** Names that FFmpeg takes from the file's header. */
const OF_FILE = new Set(['major_brand', 'minor_version', 'compatible_brands', 'creation_time'])

/**
 * Replaces the tags that FFmpeg has read from several boxes, in the file's metadata and in that of its tracks.
 * @returns tags that a result can't keep, because another box has a different value for the same name, or the boxes can't be read
 */
export async function separateTags(context: FormatContext, path: string): Promise<readonly Named[]> {
  if (context.iformat?.name?.startsWith('mov') !== true) return []
  const found = await unlessCutOff(() => boxesWithTags(path))
  if (found === undefined) return dropTags(context)
  const { file, tracks, head } = found
  const mixed = file.boxes.length > 1 ? [file] : []
  const named = new Map([...tracks].filter(([, track]) => track.names.length > 0))
  const all = [...mixed, ...named.values()]
  if (all.length === 0) return []
  if (sumOf(all.map(({ boxes }) => boxes.length)) > MOST_BOXES) return dropTags(context)
  const names = new Set([file, ...named.values()].flatMap((one) => one.names))
  const none = await metadataOf([], head)
  const others: Named[] = []
  for (const { boxes } of mixed) {
    const { merged, hidden } = await tagsIn(boxes, head, none)
    others.push(...hidden)
    context.metadata = Dictionary.fromObject(
      replaced(context.metadata?.getAll() ?? {}, { ...none, ...merged }, names),
    )
  }
  for (const stream of context.streams) {
    const track = named.get(stream.id)
    if (track === undefined) continue
    const { merged, hidden } = await tagsIn(track.boxes, head, none)
    others.push(...hidden)
    const { language, ...known } = stream.metadata?.getAll() ?? {}
    const tags = replaced(known, merged, names)
    const spoken = language === undefined ? {} : { language: language.split(';')[0] ?? '' }
    stream.metadata = Dictionary.fromObject({ ...tags, ...spoken })
  }
  return others
}

/**
 * Removes the tags of a file whose boxes can't be read or are too many, because values could be under the wrong names. Keeps the values
 * from the file's header and, for tracks, everything except titles and cameras' tags.
 * @returns the removed tags
 */
function dropTags(context: FormatContext): readonly Named[] {
  const dropped: Named[] = []
  const without = (metadata: Dictionary | null, isKept: (name: string) => boolean): Dictionary => {
    const entries = Object.entries(metadata?.getAll() ?? {})
    dropped.push(...entries.filter(([name]) => !isKept(name)).map(([name, value]) => ({ name, value })))
    return Dictionary.fromObject(Object.fromEntries(entries.filter(([name]) => isKept(name))))
  }
  context.metadata = without(context.metadata, (name) => OF_FILE.has(name))
  for (const stream of context.streams)
    stream.metadata = without(stream.metadata, (name) => name !== 'title' && !/^com\./i.test(name))
  return dropped
}

async function boxesWithTags(path: string) {
  await using opened = await open(path)
  const movie = await readMovie(opened)
  if (movie === undefined) return undefined
  const parts = partsOf(movie.body)
  const roots = await rootBoxes(opened, ['ftyp', 'meta'])
  return {
    head: [...shortFirst('ftyp', roots), ...shortFirst('mvhd', parts)],
    file: tagged([...roots, ...parts]),
    tracks: new Map(tracksOf(movie.body).map((body) => [trackId(body), tagged(partsOf(body))])),
  }
}

/** Returns the first box of a type, unless it is too large. */
function shortFirst(wanted: string, parts: readonly Part[]): readonly Part[] {
  const found = parts.find(({ type }) => type === wanted)
  return found !== undefined && found.body.length <= MOST_HEAD_BYTES ? [found] : []
}

/** Returns the boxes with tags, from the least to the most important one, and the lowercase names in their tables of names. */
function tagged(parts: readonly Part[]) {
  const inMedia = parts.filter(({ type }) => type === 'mdia').flatMap(({ body }) => partsOf(body))
  const userData = parts.filter(({ type }) => type === 'udta').map(({ body }) => partsOf(body))
  const [plain, inUserData] = [userData.flatMap(withoutTables), userData.flatMap(tables)]
  const found = [...tables(inMedia), ...inUserData, ...tables(parts)]
  return {
    boxes: [
      ...(plain.length === 0 ? [] : [makeBox('udta', ...plain.map(rebuilt))]),
      ...inUserData.map((part) => makeBox('udta', rebuilt(part))),
      ...[...tables(inMedia), ...tables(parts)].map(rebuilt),
    ],
    names: found.flatMap(namesIn),
  }
}

const tables = (parts: readonly Part[]): readonly Part[] =>
  parts.filter((part) => part.type === 'meta' && partAt(contentOf(part), 'ilst') !== undefined)

const withoutTables = (parts: readonly Part[]): readonly Part[] => parts.filter(({ type }) => type !== 'meta')

/** Returns the boxes in a `meta` box, which has a version in MP4, but not in QuickTime. */
const contentOf = ({ body }: Part): Buffer =>
  body.toString('latin1', 4, 8) === 'hdlr' ? body : body.subarray(4)

const NAME_HEADER_BYTES = 8

function namesIn(part: Part): readonly string[] {
  const table = partAt(contentOf(part), 'keys')
  if (table === undefined) return []
  const names: string[] = []
  for (let at = 8; at + NAME_HEADER_BYTES <= table.length;) {
    const size = table.readUInt32BE(at)
    if (size < NAME_HEADER_BYTES) break
    names.push(table.toString('utf8', at + NAME_HEADER_BYTES, at + size).toLowerCase())
    at += size
  }
  return names
}

/** Replaces the tags that FFmpeg may have mixed up with those that were read box by box. */
function replaced(known: Metadata, tags: Metadata, names: ReadonlySet<string>): Metadata {
  const found = new Set(Object.keys(tags).map((name) => name.toLowerCase()))
  const isTag = (name: string): boolean => found.has(name) || (names.has(name) && !OF_HEADER.has(name))
  const others = Object.entries(known).filter(([name]) => !isTag(name.toLowerCase()))
  return { ...Object.fromEntries(others), ...tags }
}

/**
 * Reads each box, and merges the tags. The value in the most important box takes precedence.
 * @param none what FFmpeg returns without these boxes
 * @returns `hidden`: the other values
 */
async function tagsIn(boxes: readonly Buffer[], head: readonly Part[], none: Metadata) {
  const tags = new Map<string, Named>()
  const hidden: Named[] = []
  for (const box of boxes)
    for (const [name, value] of Object.entries(await metadataOf([box], head))) {
      const before = tags.get(name.toLowerCase())
      if (none[name] === value || value.trim() === '') continue
      if (before !== undefined && before.value !== value) hidden.push(before)
      tags.set(name.toLowerCase(), { name, value })
    }
  const all = [...tags.values()]
  const values = new Set(all.map(({ value }) => value))
  return {
    merged: Object.fromEntries(all.map(({ name, value }) => [name, value])),
    hidden: hidden.filter(({ value }) => !values.has(value)),
  }
}

/** Reads a file that consists only of these boxes. FFmpeg reads some tags only if there is a track. */
async function metadataOf(boxes: readonly Buffer[], head: readonly Part[]): Promise<Metadata> {
  const [type, header] = ['ftyp', 'mvhd'].map((one) => head.filter((part) => part.type === one).map(rebuilt))
  const movie = makeBox('moov', ...(header ?? []), makeBox('trak'), ...boxes)
  const bytes = Buffer.concat([...(type ?? []), movie])
  const io = new IOContext()
  const context = new FormatContext()
  let at = 0
  io.allocContextWithCallbacks(
    BUFFER_BYTES,
    0,
    (length) => {
      const part = bytes.subarray(at, at + length)
      at += part.length
      return part.length === 0 ? null : part
    },
    null,
    (offset, whence) => {
      if (whence === AVSEEK_SIZE) return bytes.length
      const from = whence === AVSEEK_SET ? 0 : whence === AVSEEK_CUR ? at : bytes.length
      return (at = from + Number(offset))
    },
  )
  context.allocContext()
  context.pb = io
  try {
    return (await context.openInput('', InputFormat.findInputFormat('mov'), null)) < 0
      ? {}
      : (context.metadata?.getAll() ?? {})
  } finally {
    await context.closeInput()
    io.freeContext()
  }
}

const BUFFER_BYTES = 65_536
