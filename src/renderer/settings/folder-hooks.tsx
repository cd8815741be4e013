import { NO_HOOKS, type Hooks } from '../../shared/model/after-job.ts'
import { useSettingsTranslation } from '../store/app.ts'
import { Select } from '../ui/form-controls.tsx'
import { useSignal } from '@preact/signals'
import { OutcomeChecks, ProgramField, UrlField } from './hook-fields.tsx'

export function FolderHooks(props: {
  /** undefined: the same as after all other jobs. */
  readonly hooks: Hooks | undefined
  /** Receives the changed fields; undefined for the same as after all other jobs. */
  readonly onChange: (change: Partial<Hooks> | undefined) => void
  readonly onFault: (isFaulty: boolean) => void
}) {
  const { hooks, onChange, onFault } = props
  const texts = useSettingsTranslation().afterJob
  const wantsOther = useSignal(false)
  const isUsed = hooks !== undefined && (hooks.program !== null || hooks.url !== null)
  const value = hooks === undefined ? 'same' : isUsed || wantsOther.value ? 'other' : 'nothing'
  // Keep the fields if the user clears one of them, because the user may fill in the other next.
  const keepOther = (change: Partial<Hooks>): void => {
    wantsOther.value = true
    onChange(change)
  }
  return (
    <>
      <label for="watch-hooks">{texts.forFolder}</label>
      <Select
        id="watch-hooks"
        value={value}
        options={[
          { value: 'same', label: texts.same },
          { value: 'nothing', label: texts.nothing },
          { value: 'other', label: texts.other },
        ]}
        onChoose={(next) => {
          wantsOther.value = next === 'other'
          onFault(false)
          if (next === 'same') onChange(undefined)
          else if (next === 'nothing' || hooks === undefined) onChange(NO_HOOKS)
        }}
      />
      {value === 'other' && hooks !== undefined && (
        <>
          <label for="watch-program">{texts.program}</label>
          <ProgramField id="watch-program" hooks={hooks} onChange={keepOther} />
          <label for="watch-url">{texts.url}</label>
          <div class="stack">
            <UrlField id="watch-url" hooks={hooks} onChange={keepOther} onFault={onFault} />
          </div>
          <span class="label">{texts.outcomes}</span>
          <OutcomeChecks id="watch-outcome" hooks={hooks} onChange={onChange} />
        </>
      )}
    </>
  )
}
