import { useSignal } from '@preact/signals'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { UNSAFE_IN_NAMES } from '../../shared/paths.ts'
import { subfolderProblem } from '../../shared/subfolder.ts'
import { useViewTranslation } from '../store/app.ts'
import './subfolder-field.css'

/** The name of a subfolder next to each original. Names are checked as they are typed; an invalid one is kept, so that it can be fixed. */
export function SubfolderField(props: {
  /** null for the folder of the original itself. */
  readonly subfolder: string | null
  readonly onChange: (subfolder: string | null) => void
  readonly describedBy?: string
}) {
  const { subfolder, onChange, describedBy } = props
  const t = useViewTranslation()
  // Spaces at the ends aren't part of the name, but they can be typed.
  const typed = useSignal(subfolder ?? '')
  const value = typed.value.trim() === (subfolder ?? '') ? typed.value : (subfolder ?? '')
  return (
    <input
      class="field subfolder-field"
      autocomplete="off"
      spellcheck={false}
      maxLength={255}
      aria-label={t.newJob.subfolder}
      placeholder={t.newJob.subfolder}
      value={value}
      aria-invalid={subfolderFault(subfolder, t) !== null}
      aria-describedby={describedBy ?? 'originals-hint'}
      onInput={(event) => {
        typed.value = event.currentTarget.value
        onChange(typed.value.trim() === '' ? null : typed.value.trim())
      }}
    />
  )
}

/** Returns what is wrong with a subfolder's name; null if it is valid. */
export function subfolderFault(subfolder: string | null, t: ViewTranslation): string | null {
  const problem = subfolder === null ? undefined : subfolderProblem(subfolder)
  if (subfolder === null || problem === undefined) return null
  const [character] = /[/\\]/.exec(subfolder) ?? UNSAFE_IN_NAMES.exec(subfolder) ?? []
  // The message can't show an invisible character.
  const isVisible = character !== undefined && !/[\p{C}\p{Z}\uFFFD]/u.test(character)
  return isVisible ? t.newJob.nameHasCharacter({ character }) : t.newJob.nameInvalid
}
