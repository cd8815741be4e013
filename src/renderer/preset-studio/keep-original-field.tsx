import { bandOf } from '../../shared/quality/quality.ts'
import { Check } from '../ui/form-controls.tsx'
import { FaultNote, NumberInput, useFaultProps } from './fields.tsx'
import { fieldId, useStudio } from './studio-context.ts'

const PATH = 'results.keepBelowQuality'
/** The initial limit after the checkbox is turned on. */
const AT_FIRST = 70

/** Lets the user keep the original if the quality of the result is below a limit. */
export function KeepOriginalField() {
  const { document, t } = useStudio()
  const value = document.form.value.stands(PATH)
  const faultProps = useFaultProps(PATH)
  const isOn = value !== undefined
  const change = (next: number | undefined): void => document.change([{ path: PATH, value: next }])
  return (
    <>
      <div class="field-column control-row">
        <Check
          id={fieldId(PATH)}
          label={t.label.keepBelowQuality}
          checked={isOn}
          describedBy={isOn ? `${fieldId(PATH)}-help` : undefined}
          onChange={(checked) => change(checked ? AT_FIRST : undefined)}
        />
        {isOn && (
          <NumberInput
            id={`${fieldId(PATH)}-number`}
            class="narrow"
            label={t.label.keepBelowNumber}
            value={typeof value === 'number' ? value : undefined}
            unit=""
            {...faultProps}
            onChange={change}
          />
        )}
      </div>
      {isOn && (
        <p class="field-column hint" id={`${fieldId(PATH)}-help`}>
          {typeof value === 'number' && `${t.goal[bandOf(value)]} `}
          {t.help.keepBelowQuality}
        </p>
      )}
      <FaultNote path={PATH} />
    </>
  )
}
