/**
 * Edits and describes the conditions of rules. One table defines the editor's rows. The other defines how each condition is shown, in its
 * row and in sentences.
 */
import type { RuleTranslation, WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { RuleCondition } from '../../shared/model/rule-conditions.ts'
import { AGE_UNITS, DURATION_UNITS, SIZE_UNITS } from '../../shared/model/rule-units.ts'
import { readNumber } from '../../shared/typed-number.ts'

export type Words = { readonly t: WindowTranslation; readonly rules: RuleTranslation }

/** A condition while it is edited. Its texts may still be invalid. */
export type ConditionForm = {
  /** Doesn't change while the condition is edited. */
  readonly key: number
  readonly about: RowName
  readonly comparison: string
  /** The number or text as typed; for a kind, `image` or `video`. */
  readonly value: string
  /** Empty if the condition has no units. */
  readonly unit: string
}

type Text = keyof RuleTranslation['editor']

type Entered = Pick<ConditionForm, 'comparison' | 'unit'> & {
  readonly text: string
  /** NaN if it isn't a number. */
  readonly amount: number
  readonly compare: 'more' | 'less'
}

type Row = {
  /** Names of the comparisons' texts. Those that mean "less" are in `LESS`. */
  readonly comparisons: readonly [Text, ...Text[]]
  /** The first unit isn't necessarily the default. */
  readonly units?: readonly string[]
  readonly defaultUnit?: string
  /** How the value is entered with this comparison. `choice`: photo or video. */
  readonly input: (comparison: string) => 'choice' | 'text' | 'number'
  /** Name of the placeholder text. */
  readonly example?: Text
  /** Shown after the number; the count selects its plural form. */
  readonly behind?: (t: RuleTranslation, count: number) => string
  /** Returns the condition that the user entered; undefined if its value is invalid. */
  readonly condition: (entered: Entered) => RuleCondition | undefined
  /** The text that explains how to fix an invalid value. */
  readonly fault: (form: ConditionForm) => keyof RuleTranslation['fault']
}

/** The number that selects the unit's plural form while the field doesn't contain a number. */
const USUAL_COUNT = 10
const LESS: readonly string[] = ['isSmaller', 'isLess', 'isNarrower', 'isShorter', 'isLessDeep']
/** The largest number that a rule can contain. */
const MOST = 1e9
const isAmount = (amount: number): boolean => amount > 0 && amount <= MOST
const isWhole = (amount: number, least: number, most: number): boolean =>
  Number.isInteger(amount) && amount >= least && amount <= most
const isKey = <Unit extends string>(units: Readonly<Record<Unit, number>>, unit: string): unit is Unit =>
  Object.hasOwn(units, unit)
const isUnitOf = <Unit extends string>(
  units: Readonly<Record<Unit, number>>,
  unit: string,
  otherwise: Unit,
) => (isKey(units, unit) ? unit : otherwise)
const number = () => 'number' as const

const ROWS = {
  kind: {
    comparisons: ['is'],
    input: () => 'choice',
    condition: ({ text }) => ({ about: 'kind', is: text === 'video' ? 'video' : 'image' }),
    fault: () => 'pattern',
  },
  name: {
    comparisons: ['matches', 'matchesNot'],
    input: () => 'text',
    example: 'pattern',
    condition: ({ text, comparison }) =>
      text === '' ? undefined : { about: 'name', matches: comparison === 'matches', pattern: text },
    fault: () => 'pattern',
  },
  size: {
    comparisons: ['isLarger', 'isSmaller'],
    units: Object.keys(SIZE_UNITS),
    defaultUnit: 'MB',
    input: number,
    condition: ({ amount, compare, unit }) =>
      isKey(SIZE_UNITS, unit) && isAmount(amount) ? { about: 'size', compare, amount, unit } : undefined,
    fault: () => 'size',
  },
  dimensions: {
    comparisons: ['isWider', 'isNarrower', 'isTaller', 'isShorter'],
    input: number,
    behind: ({ editor }) => editor.pixels,
    condition({ amount, compare, comparison }) {
      const side = comparison === 'isWider' || comparison === 'isNarrower' ? 'width' : 'height'
      return isWhole(amount, 1, MOST) ? { about: 'dimensions', side, compare, pixels: amount } : undefined
    },
    fault: () => 'pixels',
  },
  duration: {
    comparisons: ['isMore', 'isLess'],
    units: Object.keys(DURATION_UNITS),
    defaultUnit: 'minutes',
    input: number,
    condition: ({ amount, compare, unit }) =>
      isKey(DURATION_UNITS, unit) && isAmount(amount)
        ? { about: 'duration', compare, amount, unit }
        : undefined,
    fault: ({ unit }) => isUnitOf(DURATION_UNITS, unit, 'minutes'),
  },
  age: {
    comparisons: ['isMore', 'isLess'],
    units: Object.keys(AGE_UNITS),
    defaultUnit: 'days',
    input: number,
    condition: ({ amount, compare, unit }) =>
      isKey(AGE_UNITS, unit) && isAmount(amount) ? { about: 'age', compare, amount, unit } : undefined,
    fault: ({ unit }) => isUnitOf(AGE_UNITS, unit, 'days'),
  },
  subfolder: {
    comparisons: ['is', 'isDeeper', 'isLessDeep'],
    input: (comparison) => (comparison === 'is' ? 'text' : 'number'),
    example: 'path',
    behind: ({ editor }, count) => editor.levels({ count }),
    condition({ text, amount, compare, comparison }) {
      if (comparison === 'is') return text === '' ? undefined : { about: 'subfolder', path: text }
      return isWhole(amount, 0, 1_000) ? { about: 'depth', compare, levels: amount } : undefined
    },
    fault: ({ comparison }) => (comparison === 'is' ? 'path' : 'levels'),
  },
} satisfies Record<string, Row>

export type RowName = keyof typeof ROWS
export const ROW_NAMES = Object.keys(ROWS) as readonly RowName[]
export const rowOf = (form: ConditionForm): Row => ROWS[form.about]

type Shown<Condition> = {
  readonly row: RowName
  readonly form: (condition: Condition) => {
    readonly comparison: Text
    readonly value: string | number
    readonly unit?: string
  }
  /** "larger than 1 GB" */
  readonly phrase: (condition: Condition, words: Words) => string
  /** Where the phrase goes in a sentence: instead of the kind of file, next to the kind, or after a comma. */
  readonly joins: 'asKind' | 'withKind' | 'afterComma'
}

type Compared = { readonly compare: 'more' | 'less' }
const either = <Value>({ compare }: Compared, more: Value, less: Value): Value =>
  compare === 'less' ? less : more
const inUnits =
  (more: Text, less: Text) =>
  ({ amount, unit, ...one }: Compared & { readonly amount: number; readonly unit: string }) => ({
    comparison: either(one, more, less),
    value: amount,
    unit,
  })

const SHOWN: {
  readonly [About in RuleCondition['about']]: Shown<Extract<RuleCondition, { readonly about: About }>>
} = {
  kind: {
    row: 'kind',
    form: ({ is }) => ({ comparison: 'is', value: is }),
    phrase: ({ is }, { rules }) => rules.condition[is === 'image' ? 'photos' : 'videos'],
    joins: 'asKind',
  },
  name: {
    row: 'name',
    form: ({ matches, pattern }) => ({ comparison: matches ? 'matches' : 'matchesNot', value: pattern }),
    phrase: ({ matches, pattern }, { rules: { condition: texts } }) =>
      matches ? texts.nameMatches({ pattern }) : texts.nameDiffers({ pattern }),
    joins: 'afterComma',
  },
  size: {
    row: 'size',
    form: inUnits('isLarger', 'isSmaller'),
    phrase: ({ amount, unit, ...one }, { t, rules: { condition: texts } }) =>
      either(one, texts.sizeMore, texts.sizeLess)({ size: t.sizeIn(amount, unit) }),
    joins: 'withKind',
  },
  dimensions: {
    row: 'dimensions',
    form: ({ side, pixels, ...one }) => ({
      comparison:
        side === 'width' ? either(one, 'isWider', 'isNarrower') : either(one, 'isTaller', 'isShorter'),
      value: pixels,
    }),
    phrase({ side, pixels, ...one }, { rules: { condition: texts } }) {
      const [more, less] =
        side === 'width' ? [texts.widthMore, texts.widthLess] : [texts.heightMore, texts.heightLess]
      return either(one, more, less)({ pixels: String(pixels) })
    },
    joins: 'withKind',
  },
  duration: {
    row: 'duration',
    form: inUnits('isMore', 'isLess'),
    phrase: ({ amount, unit, ...one }, { rules: { condition: texts } }) =>
      either(one, texts.durationMore, texts.durationLess)({ time: texts[unit]({ amount }) }),
    joins: 'withKind',
  },
  age: {
    row: 'age',
    form: inUnits('isMore', 'isLess'),
    phrase: ({ amount, unit, ...one }, { rules: { condition: texts } }) =>
      either(one, texts.ageMore, texts.ageLess)({ time: texts[unit]({ count: amount }) }),
    joins: 'withKind',
  },
  subfolder: {
    row: 'subfolder',
    form: ({ path }) => ({ comparison: 'is', value: path }),
    phrase: ({ path }, { rules }) => rules.condition.subfolder({ path }),
    joins: 'afterComma',
  },
  depth: {
    row: 'subfolder',
    form: ({ levels, ...one }) => ({
      comparison: either(one, 'isDeeper', 'isLessDeep'),
      value: levels,
    }),
    phrase: ({ levels, ...one }, { rules: { condition: texts } }) =>
      either(one, texts.depthMore, texts.depthLess)({ count: levels }),
    joins: 'afterComma',
  },
}

// The entry matches the condition's kind, but TypeScript can't infer that.
const shownAs = ({ about }: RuleCondition) => SHOWN[about] as unknown as Shown<RuleCondition>

export function phraseOf(
  condition: RuleCondition,
  words: Words,
): Pick<Shown<never>, 'joins'> & { readonly text: string } {
  const { phrase, joins } = shownAs(condition)
  return { text: phrase(condition, words), joins }
}

export function emptyForm(key: number, about: RowName): ConditionForm {
  const { comparisons, defaultUnit = '', input }: Row = ROWS[about]
  const [comparison] = comparisons
  return { key, about, comparison, value: input(comparison) === 'choice' ? 'image' : '', unit: defaultUnit }
}

/** Returns an empty form of the first row that isn't used yet; of the row for names if all are used. */
export function nextForm(forms: readonly ConditionForm[], key: number): ConditionForm {
  const unused = ROW_NAMES.find((about) => !forms.some((form) => form.about === about))
  return emptyForm(key, unused ?? 'name')
}

export function formOf(
  condition: RuleCondition,
  key: number,
  t: Pick<WindowTranslation, 'typedNumber'>,
): ConditionForm {
  const { row, form } = shownAs(condition)
  const { value, ...rest } = form(condition)
  const text = typeof value === 'number' ? t.typedNumber(value) : value
  return { key, about: row, unit: '', ...rest, value: text }
}

/**
 * Returns the condition of a form; undefined if its value is invalid.
 * @param decimal the language's decimal separator
 */
export function conditionOf(form: ConditionForm, decimal: string): RuleCondition | undefined {
  const { comparison, unit } = form
  const text = form.value.trim()
  const compare = LESS.includes(comparison) ? 'less' : 'more'
  return rowOf(form).condition({ comparison, unit, text, amount: readNumber(text, decimal), compare })
}

/** Returns the name of the text that explains how to fix the value; undefined if it is valid. */
export const faultOf = (form: ConditionForm, decimal: string): keyof RuleTranslation['fault'] | undefined =>
  conditionOf(form, decimal) === undefined ? rowOf(form).fault(form) : undefined

/** Returns the number that selects the plural form of the field's unit. */
export const countIn = ({ value }: ConditionForm, decimal: string): number => {
  const amount = readNumber(value.trim(), decimal)
  return Number.isNaN(amount) ? USUAL_COUNT : amount
}
