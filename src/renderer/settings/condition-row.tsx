import type { RuleTranslation } from '../../shared/i18n/i18n.ts'
import { IconButton } from '../ui/button.tsx'
import { Select } from '../ui/form-controls.tsx'
import { decimalOf } from '../../shared/typed-number.ts'
import { useTranslation } from '../store/app.ts'
import { Fault } from '../ui/fault.tsx'
import {
  type ConditionForm,
  countIn,
  emptyForm,
  faultOf,
  ROW_NAMES,
  rowOf,
  type Words,
} from './conditions.ts'
import { useRuleTranslation } from './translations.ts'

export function ConditionRow(props: {
  readonly form: ConditionForm
  readonly onChange: (form: ConditionForm) => void
  readonly onRemove: () => void
}) {
  const { form, onChange, onRemove } = props
  const t = useRuleTranslation()
  const texts = t.editor
  const fault = faultOf(form, decimalOf(useTranslation()))
  const faultId = fault === undefined ? undefined : `condition-${form.key}-fault`
  return (
    <>
      <div class="condition">
        <Select
          id={`condition-${form.key}`}
          label={texts.condition}
          value={form.about}
          options={ROW_NAMES.map((about) => ({ value: about, label: texts[about] }))}
          onChoose={(about) => onChange(emptyForm(form.key, about))}
        />
        <Select
          id={`condition-${form.key}-comparison`}
          label={texts.comparison}
          value={form.comparison}
          options={rowOf(form).comparisons.map((name) => ({ value: name, label: textNamed(t, name) }))}
          onChoose={(comparison) => onChange({ ...form, comparison, value: keepsValue(form, comparison) })}
        />
        <ValueFields form={form} faultId={faultId} onChange={onChange} />
        <IconButton icon="close" label={texts.removeCondition} onPress={onRemove} />
      </div>
      <Fault id={`condition-${form.key}-fault`} text={fault && t.fault[fault]} hasIcon />
    </>
  )
}

function textNamed({ editor }: RuleTranslation, name: string): string {
  const text: unknown = Reflect.get(editor, name)
  return typeof text === 'string' ? text : name
}

const SIZES = ['kB', 'MB', 'GB'] as const
const TIMES = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const

/** "MB", "hours" */
function unitName(unit: string, count: number, { t, rules }: Words): string {
  const size = SIZES.find((one) => one === unit)
  if (size !== undefined) return t.sizeUnit(size)
  const time = TIMES.find((one) => one === unit)
  return time === undefined ? unit : rules.editor[time]({ count })
}

/**
 * Returns the value after a change of the comparison; '' if the new comparison needs a different type, such as a number instead of a path.
 */
function keepsValue(form: ConditionForm, next: string): string {
  const { input } = rowOf(form)
  return input(form.comparison) === input(next) ? form.value : ''
}

function ValueFields(props: {
  readonly form: ConditionForm
  readonly faultId: string | undefined
  readonly onChange: (form: ConditionForm) => void
}) {
  const { form, faultId, onChange } = props
  const t = useRuleTranslation()
  const texts = t.editor
  const words = useTranslation()
  const count = countIn(form, decimalOf(words))
  const id = `condition-${form.key}-value`
  const label = texts[form.about]
  const { units = [], input, example, behind } = rowOf(form)
  const kind = input(form.comparison)
  if (kind === 'choice')
    return (
      <Select
        id={id}
        label={label}
        value={form.value}
        options={[
          { value: 'image', label: texts.photo, icon: 'photo' },
          { value: 'video', label: texts.video, icon: 'video' },
        ]}
        onChoose={(value) => onChange({ ...form, value })}
      />
    )
  const isText = kind === 'text'
  return (
    <span class="condition-value">
      <input
        id={id}
        class={`field ${isText ? '' : 'numeric'}`}
        inputMode={isText ? 'text' : 'decimal'}
        autocomplete="off"
        spellcheck={false}
        maxLength={isText ? 255 : 12}
        aria-label={label}
        placeholder={isText && example !== undefined ? textNamed(t, example) : '0'}
        value={form.value}
        aria-invalid={faultId !== undefined}
        aria-describedby={faultId}
        onInput={(event) => onChange({ ...form, value: event.currentTarget.value })}
      />
      {units.length > 0 && (
        <Select
          id={`${id}-unit`}
          label={texts.unit}
          value={form.unit}
          options={units.map((unit) => ({
            value: unit,
            label: unitName(unit, count, { t: words, rules: t }),
          }))}
          onChoose={(unit) => onChange({ ...form, unit })}
        />
      )}
      {!isText && behind !== undefined && <span class="hint">{behind(t, count)}</span>}
    </span>
  )
}
