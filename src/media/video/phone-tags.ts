/** Reads the tags of phones' MP4 and 3GP files that FFmpeg ignores (3GPP TS 26.244, clause 8). */
import { open } from 'node:fs/promises'
import { Dictionary, type FormatContext } from 'node-av/lib'
import { type Part, partsOf, readMovie } from './mp4-boxes.ts'
import { unlessCutOff } from '../read-part.ts'

const NAMES: Readonly<Record<string, string>> = {
  titl: 'title',
  auth: 'author',
  cprt: 'copyright',
  perf: 'artist',
  dscp: 'description',
  gnre: 'genre',
  albm: 'album',
}
/** QuickTime's box for the location, which has all digits. FFmpeg prefers 3GP's location, which is coarser. */
const LOCATION = '\u00a9xyz'

/** Adds the tags under their usual names, unless FFmpeg has already read such a tag. Replaces the location with QuickTime's. */
export async function addPhoneTags(context: FormatContext, path: string): Promise<void> {
  const { iformat, metadata } = context
  if (iformat?.name?.startsWith('mov') !== true) return
  const parts = (await unlessCutOff(() => userDataIn(path))) ?? []
  const found = Object.fromEntries(parts.flatMap(tagIn))
  const location = parts.find(({ type }) => type === LOCATION)
  const exact = location === undefined ? {} : { location: textAfter(location.body, 4) }
  if (Object.keys({ ...found, ...exact }).length === 0) return
  // FFmpeg reads some tags as empty.
  const known = Object.entries(metadata?.getAll() ?? {}).filter(([, value]) => value.trim() !== '')
  context.metadata = Dictionary.fromObject({ ...found, ...Object.fromEntries(known), ...exact })
}

async function userDataIn(path: string): Promise<readonly Part[]> {
  await using file = await open(path)
  const movie = await readMovie(file)
  const parts = movie === undefined ? [] : partsOf(movie.body)
  return parts.filter(({ type }) => type === 'udta').flatMap(({ body }) => partsOf(body))
}

function tagIn({ type, body }: Part): readonly (readonly [string, string])[] {
  const name = NAMES[type]
  const text = name === undefined ? '' : textAfter(body, 6)
  return name === undefined || text === '' ? [] : [[name, text]]
}

/** Reads UTF-8, or UTF-16 with a byte order mark, up to the end or a zero. */
function textAfter(body: Buffer, start: number): string {
  const bytes = body.subarray(start)
  const isWide = bytes.length > 1 && bytes[0] === 0xfe && bytes[1] === 0xff
  const text = isWide ? new TextDecoder('utf-16be').decode(bytes) : bytes.toString('utf8')
  return text.split('\0')[0]?.trim() ?? ''
}
