/**
 * Reads the tags of Matroska and WebM files with what each describes: a season, an episode, a chapter (RFC 9559, 5.1.8).
 * FFmpeg reads them as if all described the file.
 */
import { open } from 'node:fs/promises'
import { Dictionary, type FormatContext } from 'node-av/lib'
import { bodyOf, type Element, elementsIn, numberIn, readElement, textIn } from './matroska-elements.ts'
import { listedElements } from './matroska-segment.ts'
import { unlessCutOff } from '../read-part.ts'

const INFO = 0x1549a966
const TITLE = 0x7ba9
export const TAGS = 0x1254c367
export const TAG = 0x7373
export const TARGETS = 0x63c0
const LEVEL = 0x68ca
const TRACK = 0x63c5
const ATTACHMENT = 0x63c6
export const CHAPTER = 0x63c4
const EDITION = 0x63c9
export const SIMPLE = 0x67c8
export const NAME = 0x45a3
export const TEXT = 0x4487
const LANGUAGE = 0x447a
const IS_DEFAULT = 0x4484

const NOTHING = Buffer.alloc(0)

/** The level of a movie or an episode. A season has 60, a show 70. */
const USUAL_LEVEL = 50

export type Named = { readonly name: string; readonly value: string }

/** A tag of the file at any level, of its chapters, or of a track at an unusual level. FFmpeg handles all other tags. */
export type MatroskaTag = {
  readonly body: Buffer
  readonly level: number
  readonly of: 'file' | 'chapters' | 'track'
  readonly named: readonly Named[]
}

export type Metadata = Readonly<Record<string, string>>

/**
 * Replaces the metadata that FFmpeg has read with the metadata of the file itself: its title, the tags of the lowest level, and the tags of
 * higher levels that also apply to the file. Returns the tags of the file and its chapters, and those of tracks at unusual levels.
 */
export async function readMatroskaTags(
  context: FormatContext,
  path: string,
): Promise<readonly MatroskaTag[]> {
  const { iformat, metadata } = context
  if (iformat?.name?.startsWith('matroska') !== true) return []
  await using file = await open(path)
  const tags = await unlessCutOff(async () => (await listedElements(file, TAGS)).flatMap(tagsIn))
  const title = await unlessCutOff(async () => {
    const info = await readElement(file, INFO, 'cluster')
    return info && textIn(info.body, TITLE)
  })
  const others = withoutTags(metadata?.getAll() ?? {}, tags ?? [])
  const described = { ...others, ...ofTheFile(tags ?? []), ...(title === undefined ? {} : { title }) }
  context.metadata = Dictionary.fromObject(described)
  return tags ?? []
}

const tagsIn = (list: Buffer): readonly MatroskaTag[] =>
  elementsIn(list)
    .filter(({ id }) => id === TAG)
    .flatMap(({ body }) => {
      const targets = bodyOf(body, TARGETS) ?? NOTHING
      const isOf = (...ids: readonly number[]) => ids.some((id) => (numberIn(targets, id) ?? 0) > 0)
      const level = numberIn(targets, LEVEL) || USUAL_LEVEL
      const isOfTrack = isOf(TRACK)
      if (isOf(ATTACHMENT) || (isOfTrack && level === USUAL_LEVEL)) return []
      const of = isOfTrack ? 'track' : isOf(CHAPTER, EDITION) ? 'chapters' : 'file'
      return [{ body, level, of, named: namedIn(body) }]
    })

/** Maximum nesting depth. Deeper tags are ignored. */
export const MOST_DEPTH = 8

const namedIn = (body: Buffer, above = '', depth = 0): readonly Named[] =>
  elementsIn(depth < MOST_DEPTH ? body : NOTHING)
    .filter(({ id }) => id === SIMPLE)
    .flatMap((simple) => {
      const name = nameOf(simple, above)
      return [
        { name: NAMES_IN_FFMPEG.get(name) ?? name, value: textIn(simple.body, TEXT) ?? '' },
        ...namedIn(simple.body, `${name}/`, depth + 1),
      ]
    })
    .filter(({ value }) => value !== '')

/** Names a tag as FFmpeg does: with the names of the tags that contain it, and with its language if that isn't the default one. */
function nameOf({ body }: Element, above: string): string {
  const language = numberIn(body, IS_DEFAULT) === 0 ? textIn(body, LANGUAGE) : undefined
  const suffix = language === undefined || language === 'und' ? '' : `-${language}`
  return `${above}${textIn(body, NAME) ?? ''}${suffix}`
}

const NAMES_IN_FFMPEG: ReadonlyMap<string, string> = new Map([
  ['TITLE', 'title'],
  ['PART_NUMBER', 'track'],
  ['LEAD_PERFORMER', 'performer'],
])

/** Tags that only name or count the parts of one level. All other tags also apply to lower levels. */
const ONLY_OF_LEVEL = /^(?:title|subtitle|track|total_parts|part_offset)\b/i

function ofTheFile(tags: readonly MatroskaTag[]): Metadata {
  const ofFile = tags.filter(({ of }) => of === 'file')
  const lowest = Math.min(...ofFile.map(({ level }) => level))
  const chosen = ofFile
    .toSorted((one, other) => one.level - other.level)
    .flatMap(({ level, named }) => named.filter(({ name }) => level === lowest || !ONLY_OF_LEVEL.test(name)))
  // The first value of several is the most important one.
  return Object.fromEntries(chosen.toReversed().map(({ name, value }) => [name, value]))
}

export function withoutTags(metadata: Metadata, tags: readonly MatroskaTag[]): Metadata {
  const ofFile = tags.filter(({ of }) => of !== 'track')
  const names = new Set(ofFile.flatMap(({ named }) => named.map(({ name }) => name.toLowerCase())))
  // FFmpeg prefixes the names of tags with the name of their level.
  const isOfTags = (name: string) => names.has(name) || names.has(name.slice(name.indexOf('/') + 1))
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !isOfTags(name.toLowerCase())))
}
