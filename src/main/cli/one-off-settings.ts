/** The options that change a preset for one command. They have the same names and limits as the fields in the preset editor. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { listOf } from '../../shared/preset/languages.ts'
import { PRESET_CONTROLS } from '../../shared/preset/preset-controls.ts'
import type { FieldChange } from '../../shared/preset/preset-goal.ts'
import type { PresetPart } from '../../shared/preset/read-field.ts'
import { schemaFields } from '../../shared/preset/schema-fields.ts'
import { readSize } from '../../shared/i18n/typed-size.ts'
import { readNumber, terminalDecimals } from '../../shared/typed-number.ts'
import { t } from './output/language.ts'

export type OneOffSetting = {
  /** The option as the user gave it, such as `--quality`. */
  readonly option: string
  /** For the name of the changed preset, such as "quality 80". */
  readonly words: string
  /** The parts that have the field. The preset must contain at least one of them. Empty for a field of the document. */
  readonly parts: readonly PresetPart[]
  /** Paths inside each part, or inside the document if there are no parts. */
  readonly fields: readonly FieldChange[]
}

const PARTS: readonly PresetPart[] = ['image', 'video']

/**
 * Defines an option that changes a field of a preset.
 * @param path inside the parts that have the field, or inside the document
 * @param read converts the option's value. By default, numeric text becomes a number
 * @param about replaces or extends the preset editor's description of the field. `field` is the path of that field, by default `path`
 */
const setting = (
  flags: string,
  path: string,
  read: (text: string) => unknown = numberOrText,
  about: { readonly field?: string; readonly text?: () => string; readonly hint?: () => string } = {},
) => ({ flags, path, read, field: path, ...about })

const on = () => true

const SETTINGS = [
  setting('--format <format>', 'format'),
  setting('--quality <n>', 'quality', numberOrText, { hint: () => t().goal.qualityHint }),
  setting(
    '--max-size <pixels>',
    'size',
    (text) => ({ width: numberOrText(text), height: numberOrText(text) }),
    { field: 'size.width', text: () => t().settingHelp.maxSize },
  ),
  setting('--lossless', 'lossless', on),
  setting('--background <color>', 'background', String, { hint: () => t().help.background }),
  setting('--codec <codec>', 'codec'),
  setting('--crf <n>', 'crf', numberOrText, { hint: () => t().goal.crfHint }),
  setting('--bitrate <rate>', 'bitrate', rateOf, { text: () => t().settingHelp.bitrate }),
  setting('--max-height <pixels>', 'height', numberOrText, { text: () => t().settingHelp.maxHeight }),
  setting('--fps <n>', 'fps'),
  setting('--audio <codec>', 'audio'),
  setting('--audio-languages <list>', 'audioLanguages', listOf, { hint: () => t().settingHelp.languages }),
  setting('--subtitle-languages <list>', 'subtitleLanguages', listOf, {
    hint: () => t().settingHelp.languages,
  }),
  setting('--container <format>', 'container'),
  setting('--visual-quality <level>', 'look'),
  setting('--under <size>', 'maxBytes', bytesOf, { text: () => t().settingHelp.under }),
  setting('--reduce-dimensions', 'mayShrink', on),
  setting('--metadata <what>', 'metadata'),
  setting('--remove-location', 'metadata', () => 'strip-location', {
    text: () => t().settingHelp.removeLocation,
  }),
  setting('--crop <aspect>', 'crop', (text) => ({ aspect: aspectOf(text) }), {
    field: 'crop.aspect',
    text: () => t().settingHelp.crop,
  }),
  setting('--rotate <degrees>', 'rotate'),
  setting('--grayscale', 'grayscale', on),
  setting('--result-name <template>', 'results.name', String, { hint: () => t().help.resultName }),
]
type Setting = (typeof SETTINGS)[number]

const partsOf = ({ field }: Setting): readonly PresetPart[] =>
  PARTS.filter((part) => schemaFields().has(`${part}.${field}`))

/** Returns the field as the schema defines it for the first part that has it. */
function fieldOf(one: Setting) {
  const [part] = partsOf(one)
  const path = part === undefined ? one.field : `${part}.${one.field}`
  const { choices = [], min = null, max = null } = schemaFields().get(path) ?? {}
  return { path, choices, min, max }
}

/** Describes an option for the help, for example "photos: Quality, 1 to 100. Uses the JPEG scale for every format." */
function descriptionOf(one: Setting): string {
  const [part, ...others] = partsOf(one)
  const { path, min, max } = fieldOf(one)
  const label = PRESET_CONTROLS.find((control) => control.path === path)?.label
  const named = one.text?.() ?? (label === undefined ? path : t().label[label])
  const limited =
    one.text !== undefined || min === null || max === null
      ? named
      : t().settingHelp.limits({ named, min, max })
  const text =
    one.hint === undefined
      ? limited
      : `${t().sentence(limited)}${t().punctuation.betweenSentences}${one.hint()}`
  const isForBoth = part === undefined || others.length > 0
  return isForBoth ? text : t().settingHelp[part === 'image' ? 'photos' : 'videos']({ text })
}

function choicesOf(one: Setting, option: Option): readonly string[] | undefined {
  const { choices } = fieldOf(one)
  return option.isBoolean() || choices.length === 0 ? undefined : choices.map(String)
}

/** Adds the options to a command. Use `settingsIn` to read them. */
export function addOneOffSettings(command: Command): void {
  for (const one of SETTINGS) {
    const option = new Option(one.flags).helpGroup(t().settingHelp.title)
    // Computed on request, because only the help and completions need the schema.
    Object.defineProperties(option, {
      description: { get: () => descriptionOf(one) },
      argChoices: { get: () => choicesOf(one, option) },
    })
    command.addOption(option)
  }
  command.addOption(
    new Option('--set <field=value>', t().settingHelp.set)
      .helpGroup(t().settingHelp.title)
      .argParser((text: string, before: readonly string[] | undefined) => {
        if (!/^[A-Za-z]+(\.[A-Za-z]+)+=/.test(text)) throw new InvalidArgumentError(t().usage.fieldAndValue)
        return [...(before ?? []), text]
      }),
  )
}

export function settingsIn(command: Command): readonly OneOffSetting[] {
  const given = command.opts<Readonly<Record<string, unknown>>>()
  const known = SETTINGS.flatMap((one): OneOffSetting[] => {
    const option = new Option(one.flags)
    const value = given[option.attributeName()]
    if (value === undefined) return []
    const text = typeof value === 'string' ? value : ''
    const words = text === '' ? option.name() : `${option.name()} ${text}`
    const fields = [{ path: one.path, value: one.read(text) }]
    return [{ option: `--${option.name()}`, words, parts: partsOf(one), fields }]
  })
  const others = Array.isArray(given['set']) ? given['set'].map(String) : []
  return [...known, ...others.map(settingOf)]
}

function settingOf(text: string): OneOffSetting {
  const [path = '', ...rest] = text.split('=')
  const typed = rest.join('=')
  const value = schemaFields().get(path)?.types.has('array') === true ? listOf(typed) : literalOf(typed)
  const part = PARTS.find((one) => path.startsWith(`${one}.`))
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

/** Converts numeric text. Other text stays as it is, so that the schema reports it with the field's limits. */
function numberOrText(text: string): number | string {
  return orText(numberIn(text), text)
}

function bytesOf(text: string): number | string {
  return orText(Math.round(readSize(text, 'B', t(), terminalDecimals(t()))), text)
}

function rateOf(text: string): number | string {
  return bytesOf(text.replace(/(bps|bit\/s)$/i, ''))
}

const numberIn = (text: string): number => readNumber(text, terminalDecimals(t()))

const orText = (number: number, text: string): number | string => (Number.isNaN(number) ? text : number)

function aspectOf(text: string): number | string {
  const [width, height = 1, ...more] = text.split(/[:/]/).map(numberIn)
  return width === undefined || more.length > 0 ? text : orText(width / height, text)
}
