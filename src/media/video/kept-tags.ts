/** Chooses which tags of a Matroska file a result keeps, and names the tags that only Matroska can hold. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { Chapters } from './chapter.ts'
import { type Container, isMatroska, keepsTag, keptFileMetadata } from './container.ts'
import { bodyOf, type Element, element, elementsIn, textIn } from './matroska-elements.ts'
import {
  CHAPTER,
  type Metadata,
  MOST_DEPTH,
  NAME,
  type Named,
  SIMPLE,
  TAG,
  TAGS,
  TARGETS,
  TEXT,
  withoutTags,
} from './matroska-tags.ts'
import type { SourceFile } from './source-file.ts'

type Wanted = VideoRecipe['metadata']

const BINARY = 0x4485

const PREFIXES = { file: '', chapters: 'chapter', track: 'track ' }

/**
 * Returns the tags that aren't in the file's metadata. Prefixes the names with `chapter` for chapters, with `track` and the level for
 * tracks, and with the level for the file.
 */
export const tagsBeside = ({ metadata, tags }: Pick<SourceFile, 'metadata' | 'tags'>): readonly Named[] =>
  tags.flatMap(({ level, of, named }) =>
    named
      .filter(({ name, value }) => keepsTag(name, value, 'keep'))
      .filter(({ name, value }) => of !== 'file' || metadata[name] !== value)
      .map(({ name, value }) => ({
        name: `${PREFIXES[of]}${of === 'chapters' ? '' : level}/${name}`,
        value,
      })),
  )

/**
 * Returns the metadata and tags for a result. Matroska gets the wanted tags of the file at any level and of its chapters. Other containers
 * get only the metadata of the file itself.
 */
export function keptTags(
  { metadata, tags }: Pick<SourceFile, 'metadata' | 'tags'>,
  container: Container,
  wanted: Wanted,
  chapters: Chapters,
): { readonly metadata: Metadata; readonly tags?: Buffer | undefined } {
  const ofFile = keptFileMetadata(metadata, wanted)
  if (!isMatroska(container)) return { metadata: ofFile }
  const { title } = ofFile
  const kept = tags
    // Tracks have new IDs, so leave their tags to FFmpeg, which writes them without their levels.
    .filter(({ of, body }) => of === 'file' || (of === 'chapters' && hasTargets(body, chapters)))
    .map(({ body }) => wantedParts(elementsIn(body), wanted))
    .filter((parts) => parts.some(({ id }) => id === SIMPLE))
    .map((parts) => element(TAG, ...parts.map(({ id, body }) => element(id, body))))
  return {
    metadata: { ...withoutTags(ofFile, tags), ...(title === undefined ? {} : { title }) },
    tags: kept.length === 0 ? undefined : element(TAGS, ...kept),
  }
}

/** Returns whether the result has the chapter that a tag describes. Chapters that are written again keep their IDs, but editions don't. */
function hasTargets(body: Buffer, { element: known, list }: Chapters): boolean {
  const chapter = bodyOf(bodyOf(body, TARGETS) ?? body, CHAPTER)
  return known !== undefined || (chapter !== undefined && list.some(({ id }) => id?.equals(chapter) === true))
}

const wantedParts = (parts: readonly Element[], wanted: Wanted, depth = 0): readonly Element[] =>
  parts.flatMap(({ id, body }) => {
    if (id !== SIMPLE) return [{ id, body }]
    const value = bodyOf(body, BINARY) === undefined ? (textIn(body, TEXT) ?? '') : undefined
    if (depth === MOST_DEPTH || !keepsTag(textIn(body, NAME) ?? '', value, wanted)) return []
    const rest = wantedParts(elementsIn(body), wanted, depth + 1)
    return [{ id, body: Buffer.concat(rest.map((part) => element(part.id, part.body))) }]
  })
