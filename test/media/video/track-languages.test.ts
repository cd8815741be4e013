import { AV_DISPOSITION_DEFAULT } from 'node-av/constants'
import { describe, expect, it } from 'vitest'
import { videoInventory } from '../../../src/media/inventory/video-inventory.ts'
import { openSourceFile } from '../../../src/media/video/source-file.ts'
import { chosenAudio, chosenSubtitles, type LanguageMarks } from '../../../src/media/video/track-languages.ts'
import { Preset, VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { clip, runJob, useClipFolder } from './run-job.ts'
import { makeTracks } from './several-tracks.ts'

useClipFolder()

const track = (language?: string, more: Partial<LanguageMarks> = {}): LanguageMarks => ({
  language,
  isDefault: false,
  ...more,
})

const languagesOf = (tracks: readonly LanguageMarks[]) => tracks.map(({ language }) => language)

const kept = (tracks: readonly LanguageMarks[], ...audioLanguages: readonly string[]) =>
  languagesOf(chosenAudio(tracks, VideoRecipe.parse({ audioLanguages })))

describe('audio tracks', () => {
  const tracks = [track('ger'), track('eng', { isDefault: true }), track('pt-BR'), track()]

  it('are chosen by languages, as codes of two or three letters', () => {
    expect(kept(tracks, 'de', 'pt')).toEqual(['ger', 'pt-BR'])
    expect(kept(tracks, 'deu')).toEqual(['ger'])
    expect(kept(tracks, 'und')).toEqual([undefined])
  })

  it('stay if the preset names no language, and if a file has none of the languages', () => {
    expect(kept(tracks)).toHaveLength(4)
    expect(kept(tracks, 'fr', 'pt-PT')).toHaveLength(4)
  })

  it('are original if the file marks them, otherwise in the language of the default one', () => {
    expect(kept(tracks, 'original')).toEqual(['eng'])
    expect(kept([...tracks, track('jpn', { isOriginal: true })], 'original', 'de')).toEqual(['ger', 'jpn'])
  })
})

it('subtitles are in the original language if the audio is', () => {
  const recipe = VideoRecipe.parse({ subtitleLanguages: ['original'] })
  const subtitles = [track('eng'), track('ja')]
  expect(languagesOf(chosenSubtitles(subtitles, [track('jpn')], recipe))).toEqual(['ja'])
})

it('only the wanted tracks are in a result, which lost nothing', async () => {
  const original = await makeTracks(await clip({ width: 64, height: 64, sound: 0.3 }), [
    { tags: { language: 'eng' }, disposition: AV_DISPOSITION_DEFAULT },
    { tags: { language: 'ger', title: 'Kommentar' } },
  ])
  const { temporaryPath, losses } = await runJob(original, { audioLanguages: ['de'], container: 'mkv' })
  await using source = await openSourceFile(temporaryPath, new AbortController().signal)
  const { audio } = await videoInventory(temporaryPath, source)
  expect([languagesOf(audio), losses]).toEqual([['ger'], []])
})

const isPreset = (audioLanguages: readonly unknown[]) =>
  Preset.safeParse({ name: 'Mine', video: { audioLanguages } }).success

it('a preset with anything other than languages is refused', () => {
  expect([['de', 'original', 'zh-Hant'], ['deutsch!'], [3]].map(isPreset)).toEqual([true, false, false])
})
