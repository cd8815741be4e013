/** The fields for a program, a URL and the outcomes after which they run, for all jobs and for a watched folder. */
import { useSignal } from '@preact/signals'
import { HOOK_OUTCOMES, outcomesOf, type HookOutcome, type Hooks } from '../../shared/model/after-job.ts'
import { urlFault } from '../../shared/model/hook-state.ts'
import { useApp, useSettingsTranslation } from '../store/app.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Check } from '../ui/form-controls.tsx'
import { Fault } from '../ui/fault.tsx'

type FieldProps = {
  readonly id: string
  readonly hooks: Hooks
  /** Receives only the changed fields, because other fields may have changed since the last render. */
  readonly onChange: (change: Partial<Hooks>) => void
}

/** The program, which can only be chosen in the system's dialog. */
export function ProgramField({ id, hooks, onChange }: FieldProps) {
  const app = useApp()
  const texts = useSettingsTranslation().afterJob
  async function choose(): Promise<void> {
    const program = await app.attempt(app.bridge.afterJob.chooseProgram())
    if (typeof program === 'string') onChange({ program })
  }
  return (
    <div class="control-row">
      <input
        id={id}
        class="field mono selectable"
        readOnly
        value={hooks.program ?? ''}
        placeholder={texts.noProgram}
        title={hooks.program ?? undefined}
        aria-describedby={`${id}-hint`}
      />
      <Button label={texts.choose} name={`${texts.choose} ${texts.program}`} onPress={() => void choose()} />
      {hooks.program !== null && (
        <IconButton
          icon="close"
          label={texts.removeProgram}
          onPress={() => {
            onChange({ program: null })
            document.getElementById(id)?.focus()
          }}
        />
      )}
    </div>
  )
}

/** The URL. It is saved when the user leaves the field or presses Enter. */
export function UrlField(
  props: FieldProps & {
    /** Called with whether the typed text is invalid. Invalid text isn't passed to `onChange`. */
    readonly onFault?: (isFaulty: boolean) => void
  },
) {
  const { id, hooks, onChange, onFault } = props
  const t = useSettingsTranslation()
  const typed = useSignal<string | null>(null)
  const fault = useSignal<ReturnType<typeof urlFault>>(undefined)
  function take(): void {
    const text = typed.value?.trim()
    if (text === undefined) return
    fault.value = text === '' ? undefined : urlFault(text)
    onFault?.(fault.value !== undefined)
    if (fault.value !== undefined) return
    typed.value = null
    const url = text === '' ? null : text
    if (url !== hooks.url) onChange({ url })
  }
  return (
    <>
      <input
        id={id}
        type="url"
        class="field mono selectable"
        value={typed.value ?? hooks.url ?? ''}
        placeholder="https://"
        spellcheck={false}
        aria-invalid={fault.value !== undefined}
        aria-describedby={fault.value === undefined ? `${id}-hint` : `${id}-fault`}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          if (fault.value !== undefined) fault.value = urlFault(event.currentTarget.value.trim())
        }}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
        }}
      />
      <Fault id={`${id}-fault`} text={fault.value && t.hookResult[fault.value]} />
    </>
  )
}

export const OUTCOME_TEXTS = { done: 'whenDone', problems: 'whenProblems', failed: 'whenFailed' } as const

/** Checkboxes for the outcomes after which a hook runs or a message is sent. */
export function OutcomeChecks(props: {
  readonly id: string
  readonly hooks: Pick<Hooks, 'on'>
  readonly onChange: (change: { readonly on: HookOutcome[] }) => void
  readonly label?: string
  /** Shown if no outcome is chosen. */
  readonly none?: string
}) {
  const { id, hooks, onChange } = props
  const texts = useSettingsTranslation().afterJob
  const { label = texts.outcomes, none = texts.noOutcome } = props
  const chosen = outcomesOf(hooks)
  return (
    <div class="check-list" role="group" aria-label={label}>
      {HOOK_OUTCOMES.map((outcome) => (
        <Check
          key={outcome}
          id={`${id}-${outcome}`}
          label={texts[OUTCOME_TEXTS[outcome]]}
          checked={chosen.includes(outcome)}
          onChange={() =>
            onChange({ on: HOOK_OUTCOMES.filter((one) => chosen.includes(one) !== (one === outcome)) })
          }
        />
      ))}
      {chosen.length === 0 && <p class="hint">{none}</p>}
    </div>
  )
}
