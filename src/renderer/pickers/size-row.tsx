import type { Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { underSize } from '../../shared/preset/task-names.ts'
import { useTranslation } from '../store/app.ts'
import { readMegabytes, sizeFault } from '../store/typed-size.ts'
import { Fault } from '../ui/fault.tsx'
import '../ui/number-field.css'
import './size-row.css'

const COMMON_SIZES = [2, 8, 25] as const

/** The maximum size of each result of *Under a size*. */
export function SizeRow(props: {
  readonly id: string
  readonly megabytes: number
  /** The text while the user types, and afterward if it isn't an allowed size; null otherwise. */
  readonly typed: Signal<string | null>
  /** Called with the preset of an allowed size. */
  readonly onPreset: (preset: string) => void
  readonly onEnter?: () => void
}) {
  const { id, megabytes, typed, onPreset, onEnter } = props
  const t = useTranslation()
  const text = typed.value ?? t.typedNumber(megabytes)
  const fault = sizeFault(text, t)
  useEffect(() => () => (typed.value = null), [])
  return (
    <div class="size-row">
      <label for={id}>{t.tasks.atMost}</label>
      <span class="number-field narrow">
        <input
          id={id}
          inputMode="decimal"
          autocomplete="off"
          value={text}
          aria-invalid={fault !== null}
          aria-describedby={fault === null ? `${id}-unit` : `${id}-unit ${id}-fault`}
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => {
            const { value } = event.currentTarget
            typed.value = value
            if (sizeFault(value, t) === null) onPreset(underSize(readMegabytes(value, t)))
          }}
          onBlur={() => {
            if (fault === null) typed.value = null
          }}
          onKeyDown={(event) => {
            if (onEnter === undefined || event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
            event.preventDefault()
            if (!event.repeat) onEnter()
          }}
        />
        <span>{t.sizeUnit('MB')}</span>
      </span>
      <span class="hint" id={`${id}-unit`}>
        {t.tasks.forEach}
      </span>
      <div class="common-sizes" role="group" aria-label={t.tasks.sizes}>
        {COMMON_SIZES.map((size) => (
          <button
            key={size}
            type="button"
            class="button"
            aria-pressed={fault === null && size === megabytes}
            onClick={() => {
              typed.value = null
              onPreset(underSize(size))
            }}
          >
            {t.sizeIn(size, 'MB')}
          </button>
        ))}
      </div>
      <Fault id={`${id}-fault`} text={fault} />
    </div>
  )
}
