/** Chooses tracks by their languages. */
import { AV_DISPOSITION_ORIGINAL } from 'node-av/constants'
import type { Stream } from 'node-av/lib'
import { isLanguage, ORIGINAL } from '../../shared/preset/languages.ts'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { languageOf } from './language-tags.ts'
import { isDefault, type SourceFile } from './source-file.ts'

export type LanguageMarks = {
  readonly language?: string | undefined
  readonly isDefault: boolean
  /** Whether the file marks the track's language as the original language of the video. */
  readonly isOriginal?: boolean | undefined
}

type Recipe = Pick<VideoRecipe, 'audioLanguages' | 'subtitleLanguages'>

/** Returns the tracks in any of the wanted languages; all tracks if none matches, or if the recipe doesn't name a language. */
export function chosenAudio<T extends LanguageMarks>(
  tracks: readonly T[],
  { audioLanguages: wanted }: Recipe,
): readonly T[] {
  return chosen(tracks, wanted, originalOf(tracks))
}

/**
 * Returns the subtitle tracks in any of the wanted languages, by the same rules as `chosenAudio`.
 * @param audio all audio tracks, one of which determines the original language if no subtitle track is marked as original
 */
export function chosenSubtitles<T extends LanguageMarks>(
  tracks: readonly T[],
  audio: readonly LanguageMarks[],
  { subtitleLanguages: wanted }: Recipe,
): readonly T[] {
  const marked = tracks.find(({ isOriginal }) => isOriginal)
  return chosen(tracks, wanted, marked ?? originalOf(audio))
}

/** Returns a track in the original language. In files without a marked track, that is the default track, or the first. */
const originalOf = (tracks: readonly LanguageMarks[]): LanguageMarks | undefined =>
  tracks.find(({ isOriginal }) => isOriginal) ?? tracks.find(({ isDefault }) => isDefault) ?? tracks[0]

function chosen<T extends LanguageMarks>(
  tracks: readonly T[],
  wanted: readonly string[],
  original: LanguageMarks | undefined,
): readonly T[] {
  const isWanted = (track: T, tag: string): boolean => {
    if (tag !== ORIGINAL) return isLanguage(track.language, tag)
    if (track === original || track.isOriginal === true) return true
    return original?.language !== undefined && isLanguage(track.language, original.language)
  }
  const found = tracks.filter((track) => wanted.some((tag) => isWanted(track, tag)))
  return found.length === 0 ? tracks : found
}

export const wantedAudio = (streams: readonly Stream[], recipe: Recipe): readonly Stream[] =>
  chosenAudio(streams.map(marksOf), recipe).map(({ stream }) => stream)

export function withWantedTracks(source: SourceFile, recipe: Recipe): SourceFile {
  if (recipe.audioLanguages.length === 0 && recipe.subtitleLanguages.length === 0) return source
  const audio = source.audioStreams.map(marksOf)
  const audioStreams = wantedAudio(source.audioStreams, recipe)
  return {
    ...source,
    audioStreams,
    mainAudio: audioStreams.find(isDefault) ?? audioStreams[0],
    subtitles: chosenSubtitles(source.subtitles.map(marksOf), audio, recipe).map(({ stream }) => stream),
  }
}

const marksOf = (stream: Stream) => ({
  stream,
  language: languageOf(stream),
  isDefault: isDefault(stream),
  isOriginal: (stream.disposition & AV_DISPOSITION_ORIGINAL) !== 0,
})
