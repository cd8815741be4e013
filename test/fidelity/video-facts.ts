/** Reads videos with tools that the app doesn't use. */
import { readFile } from 'node:fs/promises'
import { isAnimation, type VideoRecipe } from '../../src/shared/preset/preset.ts'
import type { Facts, Property } from './judge.ts'
import { ffmpeg, probe, type Probe } from './tools.ts'

const changesKind = ({ codec }: VideoRecipe) => codec === 'none' || isAnimation(codec)
const removesMetadata = (recipe: VideoRecipe) => recipe.metadata === 'strip' || isAnimation(recipe.codec)
const removesLocation = (recipe: VideoRecipe) => recipe.metadata !== 'keep' || isAnimation(recipe.codec)
const isExact = ({ codec, crf }: VideoRecipe) => codec === 'copy' || crf === 0
const withoutAudio = (recipe: VideoRecipe) => changesKind(recipe) || recipe.audio === 'none'
const withoutSubtitles = (recipe: VideoRecipe) => changesKind(recipe) || recipe.subtitles === 'none'

export const VIDEO_PROPERTIES: readonly Property<VideoRecipe>[] = [
  {
    name: 'duration',
    codes: ['startSeconds', 'middleSeconds', 'endSeconds'],
    isAsked: ({ codec }) => codec === 'none',
    isKept: (was, is) => Math.abs(Number(was) - Number(is)) <= 0.25,
  },
  {
    name: 'shape',
    codes: ['dimensions', 'rotation'],
    isAsked: (recipe) => recipe.crop !== undefined || recipe.codec === 'none',
    isKept: (was, is) => Math.abs(Number(was) - Number(is)) <= 0.05,
  },
  { name: '10 bits', codes: ['bitDepth'], isAsked: (recipe) => !isExact(recipe) },
  { name: '4:2:2', codes: ['chroma'], isAsked: (recipe) => !isExact(recipe) },
  { name: 'fields', codes: ['fields'], isAsked: (recipe) => !isExact(recipe) },
  { name: 'alpha', codes: ['alpha'], isAsked: ({ codec }) => codec === 'none' },
  { name: 'HDR', codes: ['hdr'], isAsked: (recipe) => recipe.hdr === 'tone-map' || changesKind(recipe) },
  {
    name: 'audio tracks',
    codes: ['audioTrack'],
    isAsked: (recipe) => withoutAudio(recipe),
  },
  { name: 'channels', codes: ['audioChannels', 'audioTrack'], isAsked: withoutAudio },
  { name: 'languages', codes: ['trackLanguage', 'audioTrack', 'subtitles'], isAsked: withoutAudio },
  {
    name: 'titles',
    codes: ['trackTitle', 'audioTrack', 'subtitles'],
    isAsked: (recipe) => withoutAudio(recipe) || removesMetadata(recipe),
  },
  { name: 'flags', codes: ['trackFlags', 'audioTrack', 'subtitles'], isAsked: withoutAudio },
  { name: 'subtitles', codes: ['subtitles'], isAsked: withoutSubtitles },
  { name: 'styles of subtitles', codes: ['subtitles'], isAsked: withoutSubtitles },
  { name: 'places of subtitles', codes: ['subtitlePlaces', 'subtitles'], isAsked: withoutSubtitles },
  { name: 'varieties of languages', codes: ['trackLanguage', 'audioTrack'], isAsked: withoutAudio },
  { name: 'measurements', codes: ['dataTrack'], isAsked: removesLocation },
  { name: 'chapters', codes: ['chapters'], isAsked: changesKind },
  {
    name: 'attachments',
    codes: ['attachments'],
    isAsked: (recipe) => withoutSubtitles(recipe) || removesLocation(recipe),
  },
  { name: 'title', codes: ['tags'], isAsked: removesMetadata },
  { name: 'timecode', codes: ['tags'], isAsked: removesMetadata },
  { name: 'location', codes: ['location'], isAsked: removesLocation },
  {
    name: 'capture date',
    codes: ['captureDate'],
    isAsked: removesMetadata,
    isKept: (was, is) => Date.parse(was) === Date.parse(is),
  },
]

const LANGUAGES: Readonly<Record<string, string | undefined>> = { ger: 'deu', fre: 'fra', und: undefined }

export async function videoFacts(path: string): Promise<Facts> {
  const { streams, chapters = [], format } = await probe(path)
  const of = (kind: string) => streams.filter(({ codec_type }) => codec_type === kind)
  const video = of('video').find(({ disposition }) => disposition?.['attached_pic'] !== 1)
  const [audio, subtitles] = [of('audio'), of('subtitle')]
  const named = [...audio, ...subtitles]
  const text = subtitles.length === 0 ? '' : await subtitleText(path)
  const tags = lowerCase(format.tags)
  const facts = {
    duration: format.duration,
    shape: video && shapeOf(video),
    '10 bits': /p10|p12|p16/.test(video?.pix_fmt ?? '') ? 'yes' : undefined,
    '4:2:2': /422/.test(video?.pix_fmt ?? '') ? 'yes' : undefined,
    fields: ['tt', 'bb', 'tb', 'bt'].includes(video?.field_order ?? '') ? 'yes' : undefined,
    alpha:
      /yuva|rgba|bgra|argb/.test(video?.pix_fmt ?? '') || lowerCase(video?.tags)['alpha_mode'] === '1'
        ? 'yes'
        : undefined,
    HDR: ['smpte2084', 'arib-std-b67'].includes(video?.color_transfer ?? '')
      ? video?.color_transfer
      : undefined,
    'audio tracks': audio.length > 0 ? String(audio.length) : undefined,
    channels: listed(audio.map(({ channels }) => String(channels))),
    languages: listed(named.map(languageOf)),
    titles: listed(named.map((stream) => lowerCase(stream.tags)['title'] ?? handlerOf(stream))),
    flags: listed(named.map(flagsOf)),
    subtitles: subtitles.length > 0 ? String(subtitles.length) : undefined,
    'styles of subtitles': text.includes('<i>') ? 'italics' : undefined,
    'places of subtitles': text.includes('{\\an8}') || (await hasSettings(path)) ? 'top' : undefined,
    'varieties of languages': (await readFile(path)).includes('pt-BR') ? 'pt-BR' : undefined,
    measurements: listed(
      of('data').map(({ codec_tag_string: type }) => (type === 'gpmd' ? type : undefined)),
    ),
    chapters: listed(
      chapters.map(
        ({ start_time, tags: { title = '' } = {} }) => `${Number(start_time).toFixed(1)} ${title}`,
      ),
    ),
    attachments: of('attachment').length > 0 ? String(of('attachment').length) : undefined,
    title: tags['title'],
    timecode: [format, ...streams].map((part) => lowerCase(part.tags)['timecode']).find(Boolean),
    location: tags['location'] ?? tags['com.apple.quicktime.location.iso6709'],
    'capture date': tags['com.apple.quicktime.creationdate'] ?? tags['creation_time'] ?? tags['date'],
  }
  return new Map(Object.entries(facts).flatMap(([name, fact]) => (fact === undefined ? [] : [[name, fact]])))
}

/** Returns the first subtitles as SubRip. FFmpeg can't read WebVTT in Matroska. */
const subtitleText = (path: string): Promise<string> =>
  ffmpeg('-i', path, '-map', '0:s:0', '-f', 'srt', '-').catch(() => '')

/** Whether WebVTT has settings for the places of lines. Only results with a place have any. */
async function hasSettings(path: string): Promise<boolean> {
  const { packets = [] } = await probe(path, '-show_packets', '-select_streams', 's')
  return packets.some(({ side_data_list: data = [] }) =>
    data.some(({ side_data_type: type }) => type === 'WebVTT Settings'),
  )
}

const lowerCase = (
  tags: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(tags).map(([name, value]) => [name.toLowerCase(), value]))

/** Returns nothing if all are missing. */
const listed = (facts: readonly (string | undefined)[]): string | undefined =>
  facts.every((fact) => fact === undefined || fact === '')
    ? undefined
    : facts.map((fact) => fact ?? '').join(', ')

type Stream = Probe['streams'][number]

/** As shown: pixels may not be square. */
function shapeOf(stream: Stream): string {
  const { width = 0, height = 1, sample_aspect_ratio: aspect = '1:1', side_data_list: data = [] } = stream
  const [across = 1, down = 1] = aspect.split(':').map(Number)
  const turn = Number(data.find((one) => 'rotation' in one)?.['rotation'] ?? 0)
  const shown = (width * (across > 0 ? across : 1)) / (down > 0 ? down : 1)
  const ratio = turn % 180 === 0 ? shown / height : height / shown
  return ratio.toFixed(2)
}

function languageOf({ tags }: Stream): string | undefined {
  const { language = 'und' } = lowerCase(tags)
  return language in LANGUAGES ? LANGUAGES[language] : language
}

/** MP4 has the title of a track in its handler's name. */
function handlerOf({ tags }: Stream): string | undefined {
  const name = lowerCase(tags)['handler_name']
  return name === undefined || /handler|^(sound|video|subtitle)/i.test(name) ? undefined : name
}

const flagsOf = ({ disposition = {} }: Stream): string =>
  ['forced', 'comment'].filter((flag) => disposition[flag] === 1).join('+')
