/** The conditions of a rule as they are edited: texts that may still be invalid. */
import { AGE_UNITS, DURATION_UNITS, type RuleCondition, SIZE_UNITS } from '../../shared/model/folder-rules.ts'
import type { RuleTranslation } from '../../shared/i18n/rules.ts'

/** What a row of the editor is about. */
export type About = 'kind' | 'name' | 'size' | 'dimensions' | 'duration' | 'age' | 'subfolder'

export type ConditionForm = {
  /** Stays the same while the condition is edited. */
  readonly key: number
  readonly about: About
  readonly comparison: string
  /** The number or text as typed; for a kind, `image` or `video`. */
  readonly value: string
  /** Empty if the condition has no units. */
  readonly unit: string
}

type EditorTexts = keyof RuleTranslation['editor']

/** The comparisons of each row, as names of texts, and its units. */
export const FIELDS: Readonly<
  Record<About, { readonly comparisons: readonly EditorTexts[]; readonly units: readonly string[] }>
> = {
  kind: { comparisons: ['is'], units: [] },
  name: { comparisons: ['matches', 'matchesNot'], units: [] },
  size: { comparisons: ['isLarger', 'isSmaller'], units: Object.keys(SIZE_UNITS) },
  dimensions: { comparisons: ['isWider', 'isNarrower', 'isTaller', 'isShorter'], units: [] },
  duration: { comparisons: ['isMore', 'isLess'], units: Object.keys(DURATION_UNITS) },
  age: { comparisons: ['isMore', 'isLess'], units: Object.keys(AGE_UNITS) },
  subfolder: { comparisons: ['is', 'isDeeper', 'isLessDeep'], units: [] },
}

export const TOPICS = Object.keys(FIELDS) as readonly About[]

const DEFAULT_UNITS: Readonly<Partial<Record<About, string>>> = {
  size: 'MB',
  duration: 'minutes',
  age: 'days',
}

export const emptyForm = (key: number, about: About): ConditionForm => ({
  key,
  about,
  comparison: FIELDS[about].comparisons[0] ?? '',
  value: about === 'kind' ? 'image' : '',
  unit: DEFAULT_UNITS[about] ?? '',
})

/** Returns the form of the first kind of condition that isn't used yet. */
export function nextForm(forms: readonly ConditionForm[], key: number): ConditionForm {
  const unused = TOPICS.find((about) => !forms.some((form) => form.about === about))
  return emptyForm(key, unused ?? 'name')
}

export function formOf(condition: RuleCondition, key: number): ConditionForm {
  const is = (more: string, less: string) =>
    'compare' in condition && condition.compare === 'less' ? less : more
  switch (condition.about) {
    case 'kind':
      return { key, about: 'kind', comparison: 'is', value: condition.is, unit: '' }
    case 'name':
      return {
        key,
        about: 'name',
        comparison: condition.matches ? 'matches' : 'matchesNot',
        value: condition.pattern,
        unit: '',
      }
    case 'size':
      return { key, about: 'size', comparison: is('isLarger', 'isSmaller'), ...amountOf(condition) }
    case 'duration':
    case 'age':
      return { key, about: condition.about, comparison: is('isMore', 'isLess'), ...amountOf(condition) }
    case 'dimensions': {
      const comparison =
        condition.side === 'width' ? is('isWider', 'isNarrower') : is('isTaller', 'isShorter')
      return { key, about: 'dimensions', comparison, value: String(condition.pixels), unit: '' }
    }
    case 'subfolder':
      return { key, about: 'subfolder', comparison: 'is', value: condition.path, unit: '' }
    case 'depth':
      return {
        key,
        about: 'subfolder',
        comparison: is('isDeeper', 'isLessDeep'),
        value: String(condition.levels),
        unit: '',
      }
  }
}

const amountOf = ({ amount, unit }: { readonly amount: number; readonly unit: string }) => ({
  value: String(amount),
  unit,
})

/** Returns undefined if the value is invalid. */
export function conditionOf({ about, comparison, value, unit }: ConditionForm): RuleCondition | undefined {
  const text = value.trim()
  const compare = /^is(?:Smaller|Less|Narrower|Shorter|LessDeep)$/.test(comparison) ? 'less' : 'more'
  const amount = numberIn(text)
  switch (about) {
    case 'kind':
      return { about, is: value === 'video' ? 'video' : 'image' }
    case 'name':
      return text === '' ? undefined : { about, matches: comparison === 'matches', pattern: text }
    case 'size':
      return isKey(SIZE_UNITS, unit) && isAmount(amount) ? { about, compare, amount, unit } : undefined
    case 'duration':
      return isKey(DURATION_UNITS, unit) && isAmount(amount) ? { about, compare, amount, unit } : undefined
    case 'age':
      return isKey(AGE_UNITS, unit) && isAmount(amount) ? { about, compare, amount, unit } : undefined
    case 'dimensions': {
      const side = comparison === 'isWider' || comparison === 'isNarrower' ? 'width' : 'height'
      return isWhole(amount, 1, MOST) ? { about, side, compare, pixels: amount } : undefined
    }
    case 'subfolder':
      if (comparison === 'is') return text === '' ? undefined : { about, path: text }
      return isWhole(amount, 0, 1_000) ? { about: 'depth', compare, levels: amount } : undefined
  }
}

/** Returns the name of the text that says how to fix the value; undefined if it is valid. */
export function faultOf(form: ConditionForm): keyof RuleTranslation['fault'] | undefined {
  if (conditionOf(form) !== undefined) return undefined
  switch (form.about) {
    case 'kind':
      return undefined
    case 'name':
      return 'pattern'
    case 'size':
      return 'size'
    case 'dimensions':
      return 'pixels'
    case 'duration':
      return form.unit === 'seconds' ? 'seconds' : 'minutes'
    case 'age':
      return form.unit === 'hours' ? 'hours' : form.unit === 'weeks' ? 'weeks' : 'days'
    case 'subfolder':
      return form.comparison === 'is' ? 'path' : 'levels'
  }
}

/** The largest number that a rule can contain. */
const MOST = 1e9

/** Both decimal separators are accepted. */
const numberIn = (text: string): number =>
  /^\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN

const isAmount = (amount: number): boolean => amount > 0 && amount <= MOST
const isWhole = (amount: number, least: number, most: number): boolean =>
  Number.isInteger(amount) && amount >= least && amount <= most
const isKey = <Unit extends string>(units: Readonly<Record<Unit, number>>, unit: string): unit is Unit =>
  Object.hasOwn(units, unit)
