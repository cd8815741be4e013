/** The options that change a preset for one command. They have the names of the fields in the preset editor. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { FieldChange } from '../../shared/preset/preset-goal.ts'
import { listOf } from '../../shared/preset/languages.ts'
import type { PresetPart } from '../../shared/preset/read-field.ts'
import { schemaFields } from '../../shared/preset/schema-fields.ts'

/** A setting that the user has given. */
export type OneOffSetting = {
  /** As given, such as `--quality`. */
  readonly option: string
  /** For the name of the changed preset, such as "quality 80". */
  readonly words: string
  /** The parts that have the field. `video` and `image` alone need a preset with this part. */
  readonly parts: readonly PresetPart[]
  /** Paths inside the part, or of the document if there are no parts. */
  readonly fields: readonly FieldChange[]
}

type Definition = {
  readonly flags: string
  readonly description: string
  readonly parts: readonly PresetPart[]
  readonly fields: (text: string) => readonly FieldChange[]
}

const PHOTOS: readonly PresetPart[] = ['image']
const VIDEOS: readonly PresetPart[] = ['video']
const BOTH: readonly PresetPart[] = ['image', 'video']

const field =
  (path: string, read: (text: string) => unknown = numberOrText) =>
  (text: string): readonly FieldChange[] => [{ path, value: read(text) }]

const DEFINITIONS: readonly Definition[] = [
  {
    flags: '--format <format>',
    description: 'photos: same, jpeg, png, webp, avif, jxl or tiff',
    parts: PHOTOS,
    fields: field('format'),
  },
  {
    flags: '--quality <n>',
    description: 'photos: 1 to 100, on the JPEG scale for every format',
    parts: PHOTOS,
    fields: field('quality'),
  },
  {
    flags: '--max-size <pixels>',
    description: 'photos: maximum length of the longest side, in pixels',
    parts: PHOTOS,
    fields: (text) => [{ path: 'size', value: { width: numberOrText(text), height: numberOrText(text) } }],
  },
  {
    flags: '--lossless',
    description: 'photos: lossless compression',
    parts: PHOTOS,
    fields: () => [{ path: 'lossless', value: true }],
  },
  {
    flags: '--background <color>',
    description: 'photos: color for transparent areas, such as #ffffff',
    parts: PHOTOS,
    fields: field('background', String),
  },
  {
    flags: '--codec <codec>',
    description: 'videos: h264, hevc, vp9, av1, webp, gif, copy or none',
    parts: VIDEOS,
    fields: field('codec'),
  },
  {
    flags: '--crf <n>',
    description: 'videos: constant quality, 0 (lossless) to 63',
    parts: VIDEOS,
    fields: field('crf'),
  },
  {
    flags: '--bitrate <rate>',
    description: 'videos: bits per second, such as 5M',
    parts: VIDEOS,
    fields: field('bitrate', rateOf),
  },
  {
    flags: '--max-height <pixels>',
    description: 'videos: maximum height, or width of portrait videos, in pixels',
    parts: VIDEOS,
    fields: field('height'),
  },
  { flags: '--fps <n>', description: 'videos: maximum frame rate', parts: VIDEOS, fields: field('fps') },
  {
    flags: '--audio <codec>',
    description: 'videos: keep, aac, opus or none',
    parts: VIDEOS,
    fields: field('audio'),
  },
  {
    flags: '--audio-languages <list>',
    description: 'videos: languages to keep, such as original,de',
    parts: VIDEOS,
    fields: field('audioLanguages', listOf),
  },
  {
    flags: '--subtitle-languages <list>',
    description: 'videos: languages to keep, such as de,en',
    parts: VIDEOS,
    fields: field('subtitleLanguages', listOf),
  },
  {
    flags: '--container <format>',
    description: 'videos: same, mp4, mov, mkv, webm, webp or gif',
    parts: VIDEOS,
    fields: field('container'),
  },
  {
    flags: '--visual-quality <level>',
    description: 'identical, high, medium, low, or 30 to 100',
    parts: BOTH,
    fields: field('look'),
  },
  {
    flags: '--under <size>',
    description: 'best quality within this file size, such as 500kB',
    parts: BOTH,
    fields: field('maxBytes', bytesOf),
  },
  {
    flags: '--reduce-dimensions',
    description: 'with --under, if the quality would otherwise be poor',
    parts: BOTH,
    fields: () => [{ path: 'mayShrink', value: true }],
  },
  {
    flags: '--metadata <what>',
    description: 'keep, strip-location or strip',
    parts: BOTH,
    fields: field('metadata'),
  },
  {
    flags: '--remove-location',
    description: 'the same as --metadata strip-location',
    parts: BOTH,
    fields: () => [{ path: 'metadata', value: 'strip-location' }],
  },
  {
    flags: '--crop <aspect>',
    description: 'crop to an aspect ratio, such as 16:9 or 1.5',
    parts: BOTH,
    fields: field('crop', (text) => ({ aspect: aspectOf(text) })),
  },
  {
    flags: '--rotate <degrees>',
    description: 'rotate clockwise: 0, 90, 180 or 270',
    parts: BOTH,
    fields: field('rotate'),
  },
  {
    flags: '--grayscale',
    description: 'black and white',
    parts: BOTH,
    fields: () => [{ path: 'grayscale', value: true }],
  },
  {
    flags: '--result-name <template>',
    description: 'file name, with {name}, {width}, {height}, {date}, {taken} and {number}',
    parts: [],
    fields: field('results.name', String),
  },
]

const GROUP = 'Settings for this command only (built-in service):'

/** Adds the options to a command. Use `settingsIn` to read them. */
export function addOneOffSettings(command: Command): void {
  for (const { flags, description } of DEFINITIONS)
    command.addOption(new Option(flags, description).helpGroup(GROUP))
  command.addOption(
    new Option('--set <field=value>', 'any other field of “presets --fields”; repeatable')
      .helpGroup(GROUP)
      .argParser((text: string, before: readonly string[] | undefined) => {
        if (!/^[A-Za-z]+(\.[A-Za-z]+)+=/.test(text))
          throw new InvalidArgumentError('Must be a field and its value, such as image.effort=small.')
        return [...(before ?? []), text]
      }),
  )
}

/** Returns the settings that were given to a command. */
export function settingsIn(command: Command): readonly OneOffSetting[] {
  const given = command.opts<Readonly<Record<string, unknown>>>()
  const known = DEFINITIONS.flatMap(({ flags, parts, fields }): OneOffSetting[] => {
    const option = new Option(flags)
    const value = given[option.attributeName()]
    if (value === undefined) return []
    const text = typeof value === 'string' ? value : ''
    const words = text === '' ? option.name() : `${option.name()} ${text}`
    return [{ option: `--${option.name()}`, words, parts, fields: fields(text) }]
  })
  const others = Array.isArray(given['set']) ? given['set'].map(String) : []
  return [...known, ...others.map(settingOf)]
}

function settingOf(text: string): OneOffSetting {
  const [path = '', ...rest] = text.split('=')
  const typed = rest.join('=')
  const value = schemaFields().get(path)?.types.has('array') === true ? listOf(typed) : literalOf(typed)
  const part = (['image', 'video'] as const).find((one) => path.startsWith(`${one}.`))
  const inside = part === undefined ? path : path.slice(part.length + 1)
  return {
    option: `--set ${path}`,
    words: text,
    parts: part === undefined ? [] : [part],
    fields: [{ path: inside, value }],
  }
}

function literalOf(text: string): unknown {
  return text === 'true' ? true : text === 'false' ? false : numberOrText(text)
}

/** An invalid number stays text, which the schema reports with the field's limits. */
function numberOrText(text: string): number | string {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
}

function bytesOf(text: string): number | string {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text) ?? []
  const factor = UNITS[unit.toLowerCase()]
  return number === undefined || factor === undefined ? text : Math.round(Number(number) * factor)
}

function rateOf(text: string): number | string {
  return bytesOf(text.replace(/(bps|bit\/s)$/i, ''))
}

function aspectOf(text: string): number | string {
  const [, width, height] = /^(\d+(?:\.\d+)?)[:/](\d+(?:\.\d+)?)$/.exec(text) ?? []
  return width === undefined ? numberOrText(text) : Number(width) / Number(height)
}
