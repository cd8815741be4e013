/**
 * Reads the languages of tracks as BCP 47 tags, such as `pt-BR` or `zh-Hans`, and writes them to finished files. FFmpeg only knows an older
 * field, a three-letter code.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { Dictionary, type Stream } from 'node-av/lib'
import { boxAt, findBox } from '../../node/media-header/iso-boxes.ts'
import { createWindow, type ReadPart } from '../../node/media-header/window.ts'
import { canonicalLanguage } from '../../shared/preset/languages.ts'
import { uint32 } from '../big-endian.ts'
import { makeBox } from '../make-box.ts'
import { type Element, element, elementsIn, textIn } from './matroska-elements.ts'
import { changeTracks, describedTracks } from './matroska-tracks.ts'
import { readUpTo, unlessCutOff } from '../read-part.ts'

/** Internal metadata key for a stream's BCP 47 tag. It isn't written to files. */
export const LANGUAGE_TAG = 'mediatray-language'

const MOST_LENGTH = 100
const isTag = (text: string): boolean =>
  text.length <= MOST_LENGTH && /^[a-z0-9]+(?:-[a-z0-9]+)*$/i.test(text)

/** Returns the language of a track, as precisely as the file states it. */
export const languageOf = ({ metadata }: Pick<Stream, 'metadata'>): string | undefined => {
  const language = metadata?.get(LANGUAGE_TAG) ?? metadata?.get('language')
  // Containers write `und` for a track without a language.
  return language === null || language === '' || language === 'und' ? undefined : language
}

/**
 * Adds the tags that differ from the codes that FFmpeg has read.
 * @param format FFmpeg's name of the container
 */
export async function addLanguageTags(
  path: string,
  format: string,
  streams: readonly Stream[],
): Promise<void> {
  for (const { stream, tag } of await readLanguageTags(path, format, streams)) {
    const { metadata } = stream
    if (!isTag(tag)) continue
    if (canonicalLanguage(tag) === canonicalLanguage(metadata?.get('language') ?? 'und')) continue
    stream.metadata = Dictionary.fromObject({ ...metadata?.getAll(), [LANGUAGE_TAG]: tag })
  }
}

type Tagged = { readonly stream: Stream; readonly tag: string }

async function readLanguageTags(
  path: string,
  format: string,
  streams: readonly Stream[],
): Promise<readonly Tagged[]> {
  const isMatroska = format.startsWith('matroska')
  if (!isMatroska && !format.startsWith('mov')) return []
  await using file = await open(path)
  const read = isMatroska ? readMatroskaTags : readMp4Tags
  return (await unlessCutOff(() => read(file, streams))) ?? []
}

/** The extended language tag of a track's media (ISO/IEC 14496-12, 8.4.6). */
const EXTENDED = 'elng'

async function readMp4Tags(file: FileHandle, streams: readonly Stream[]): Promise<readonly Tagged[]> {
  const { part: read } = createWindow((at, length) => readUpTo(file, at, length))
  const tags: Tagged[] = []
  const movie = await boxAt(read, 0, ['moov'])
  if (movie === undefined) return tags
  await findBox(read, movie.body, movie.end, async ({ type, body, end }) => {
    const found = type === 'trak' ? await extendedTag(read, body, end) : undefined
    const stream = found && streams.find(({ id }) => id === found.track)
    if (found !== undefined && stream !== undefined) tags.push({ stream, tag: found.tag })
    return undefined
  })
  return tags
}

async function extendedTag(read: ReadPart, from: number, to: number) {
  const header = await boxAt(read, from, ['tkhd'], to)
  const media = await boxAt(read, from, ['mdia'], to)
  const tag = media && (await boxAt(read, media.body, [EXTENDED], media.end))
  if (header === undefined || tag === undefined) return undefined
  const fields = await read(header.body, 24)
  const text = await read(tag.body + 4, Math.min(tag.end - tag.body - 4, MOST_LENGTH + 1))
  const track = fields.readUInt32BE(fields[0] === 1 ? 20 : 12)
  return { track, tag: text.toString('latin1').replace(/\0.*$/s, '') }
}

/** Returns the boxes to add to a track's `mdia` box, so that it contains the full language tag. */
export const languageBoxes = (tag: string | undefined): readonly Buffer[] =>
  tag === undefined ? [] : [makeBox(EXTENDED, uint32(0), Buffer.from(`${tag}\0`, 'latin1'))]

const LANGUAGE = 0x22b59c
const LANGUAGE_BCP47 = 0x22b59d

async function readMatroskaTags(file: FileHandle, streams: readonly Stream[]): Promise<readonly Tagged[]> {
  return (await describedTracks(file, streams)).flatMap(({ stream, body }) => {
    const tag = textIn(body, LANGUAGE_BCP47)
    return tag === undefined ? [] : [{ stream, tag }]
  })
}

/** Placeholder with the length of the second element's header. */
const GAP = '----'

/** Joins a language code and its tag to one code for FFmpeg's muxer. `splitLanguages` later splits the resulting element into two. */
export const roomForTag = (language: string, tag: string): string => `${language}${GAP}${tag}`

/** Splits what FFmpeg has written for `roomForTag` into two elements. */
export const splitLanguages = (path: string): Promise<void> =>
  changeTracks(path, (tracks) => {
    for (const track of tracks) for (const part of elementsIn(track)) if (part.id === LANGUAGE) split(part)
  })

/** Bytes of a short element before its content. */
const HEADER_BYTES = 4
const MOST_SHORT = 126

/** Overwrites the element in the buffer that contains it. */
function split({ body }: Element): void {
  // An unusual code may contain the gap, but no tag does.
  const gap = body.lastIndexOf(GAP)
  if (gap < 0 || body.length > MOST_SHORT) return
  const both = Buffer.concat([
    element(LANGUAGE, body.subarray(0, gap)),
    element(LANGUAGE_BCP47, body.subarray(gap + GAP.length)),
  ])
  both.copy(Buffer.from(body.buffer, body.byteOffset - HEADER_BYTES, both.length))
}
