import type { RuleTranslation } from '../../shared/i18n/rules.ts'
import { IconButton } from '../ui/button.tsx'
import { Select } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { TOPICS, type ConditionForm, emptyForm, faultOf, FIELDS } from './condition-form.ts'

type ConditionRowProps = {
  readonly form: ConditionForm
  readonly t: RuleTranslation
  readonly onChange: (form: ConditionForm) => void
  readonly onRemove: () => void
}

/** One condition, and below it how to fix its value. */
export function ConditionRow({ form, t, onChange, onRemove }: ConditionRowProps) {
  const texts = t.editor
  const fault = faultOf(form)
  const faultId = fault === undefined ? undefined : `condition-${form.key}-fault`
  return (
    <>
      <div class="condition">
        <Select
          id={`condition-${form.key}`}
          label={texts.condition}
          value={form.about}
          options={TOPICS.map((about) => ({ value: about, label: texts[about] }))}
          onChoose={(value) => {
            const about = TOPICS.find((one) => one === value)
            if (about !== undefined) onChange(emptyForm(form.key, about))
          }}
        />
        <Select
          id={`condition-${form.key}-comparison`}
          label={texts.comparison}
          value={form.comparison}
          options={FIELDS[form.about].comparisons.map((name) => ({ value: name, label: textNamed(t, name) }))}
          onChoose={(comparison) => onChange({ ...form, comparison, value: keepsValue(form, comparison) })}
        />
        <ValueFields form={form} t={t} faultId={faultId} onChange={onChange} />
        <IconButton icon="close" label={texts.removeCondition} onPress={onRemove} />
      </div>
      {fault !== undefined && (
        <p class="hint error" id={faultId} role="alert">
          <Icon name="warn" />
          <span>{t.fault[fault]}</span>
        </p>
      )}
    </>
  )
}

function textNamed({ editor }: RuleTranslation, name: string): string {
  const text: unknown = Reflect.get(editor, name)
  return typeof text === 'string' ? text : name
}

/** A subfolder's name isn't a number of subfolders. */
const keepsValue = ({ about, comparison, value }: ConditionForm, next: string): string =>
  about === 'subfolder' && (comparison === 'is') !== (next === 'is') ? '' : value

type ValueFieldsProps = Pick<ConditionRowProps, 'form' | 't' | 'onChange'> & {
  readonly faultId: string | undefined
}

function ValueFields({ form, t, faultId, onChange }: ValueFieldsProps) {
  const texts = t.editor
  const id = `condition-${form.key}-value`
  const label = texts[form.about]
  const { units } = FIELDS[form.about]
  if (form.about === 'kind')
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
  const isText = form.about === 'name' || form.comparison === 'is'
  const after = form.about === 'dimensions' ? 'px' : isText || units.length > 0 ? undefined : texts.levels
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
        placeholder={form.about === 'name' ? texts.pattern : isText ? texts.path : '0'}
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
          options={units.map((unit) => ({ value: unit, label: textNamed(t, unit) }))}
          onChoose={(unit) => onChange({ ...form, unit })}
        />
      )}
      {after !== undefined && <span class="hint">{after}</span>}
    </span>
  )
}
