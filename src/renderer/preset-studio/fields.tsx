/** The controls of the preset form. Each shows and changes the value at its path. */
import { useState } from 'preact/hooks'
import { hdrLossOf, type HdrLoss } from '../../shared/preset/hdr-loss.ts'
import { listOf } from '../../shared/preset/languages.ts'
import { choiceName } from '../../shared/preset/preset-summary.ts'
import type { PresetControl } from '../../shared/preset/preset-controls.ts'
import { schemaFields } from '../../shared/preset/schema-fields.ts'
import { decimalOf, readNumber } from '../../shared/typed-number.ts'
import { useTranslation } from '../store/app.ts'
import { LinkButton } from '../ui/button.tsx'
import { Select } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { AmberNote } from './amber-note.tsx'
import { faultAt, faultId, fieldId, sayFault, useStudio } from './studio-context.ts'
import '../ui/number-field.css'

/** The error message for a field that has an error, with a link that fixes it if possible. */
export function FaultNote(props: {
  readonly path: string
  /** `field-column`: below the control. `full-width`: across the whole form. `inline`: where the note is rendered. */
  readonly place?: 'field-column' | 'full-width' | 'inline'
}) {
  const { path, place = 'field-column' } = props
  const { document, t } = useStudio()
  const { punctuation } = useTranslation()
  const fault = faultAt(document.faults.value, path)
  if (fault === undefined) return null
  const { words, wayOut } = sayFault(fault, t)
  return (
    <p class={`${place} hint error`} id={faultId(path)} role="alert">
      <Icon name="warn" />
      <span>
        {words}
        {punctuation.betweenSentences}
        {wayOut && <LinkButton label={wayOut.words} onPress={() => document.change([wayOut.change])} />}
      </span>
    </p>
  )
}

/** Returns the ARIA attributes of a field that may have an error. */
export function useFaultProps(path: string) {
  const { document } = useStudio()
  return faultAt(document.faults.value, path) === undefined
    ? {}
    : { 'aria-invalid': true, 'aria-describedby': faultId(path) }
}

/** A number field with a unit. Invalid input reverts to the last number. */
export function NumberInput(props: {
  readonly id: string
  readonly value: number | undefined
  readonly unit: string
  readonly label?: string
  readonly class?: string
  readonly 'aria-invalid'?: boolean
  readonly 'aria-describedby'?: string
  readonly onChange: (value: number) => void
}) {
  const { t } = useStudio()
  const [typed, setTyped] = useState<string | null>(null)
  const take = (text: string): void => {
    setTyped(text)
    const number = readNumber(text, decimalOf(t))
    if (!Number.isNaN(number)) props.onChange(number)
  }
  return (
    <span class={`number-field ${props.unit === '' ? 'without-unit' : ''} ${props.class ?? ''}`}>
      <input
        id={props.id}
        inputMode="decimal"
        autocomplete="off"
        aria-label={props.label}
        aria-invalid={props['aria-invalid']}
        aria-describedby={props['aria-describedby']}
        value={typed ?? (props.value === undefined ? '' : t.typedNumber(props.value))}
        onInput={(event) => take(event.currentTarget.value)}
        onBlur={() => setTyped(null)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
          event.preventDefault()
          setTyped(null)
          props.onChange((props.value ?? 0) + (event.key === 'ArrowUp' ? 1 : -1))
        }}
      />
      {props.unit !== '' && <span>{props.unit}</span>}
    </span>
  )
}

export function Field({ control }: { readonly control: PresetControl }) {
  const { t } = useStudio()
  const { path, widget, label } = control
  if (widget.kind === 'switch' || widget.kind === 'own') return null
  return (
    <>
      <label for={fieldId(path)}>{t.label[label]}</label>
      <div class="control-row">
        <Control control={control} />
      </div>
      <FieldHelp control={control} />
      <FaultNote path={path} />
    </>
  )
}

function FieldHelp({ control: { path, help, widget } }: { readonly control: PresetControl }) {
  const { document, videoIsHdr, t } = useStudio()
  const named: Readonly<Record<string, string>> = t.choiceHelp
  const value = document.form.value.read(path)
  const ofChoice =
    widget.kind === 'choice'
      ? named[`${path.split('.').at(-1) ?? ''}_${String(value).replaceAll('-', '_')}`]
      : undefined
  const words = help === undefined ? ofChoice : t.help[help]
  const id = `${fieldId(path)}-help`
  if (words === undefined || faultAt(document.faults.value, path) !== undefined) return null
  const loss = path === 'video.codec' && videoIsHdr.value ? hdrLossOf(document.form.value.read) : null
  if (loss !== null) return <HdrNote id={id} loss={loss} />
  return (
    <p class="field-column hint" id={id}>
      {words}
    </p>
  )
}

/** Warns that the codec would remove the HDR of the video in the preview. */
function HdrNote({ id, loss: { codec, instead } }: { readonly id: string; readonly loss: HdrLoss }) {
  const { document, t } = useStudio()
  const path = 'video.codec'
  const named = (one: string) => ({ codec: choiceName(t, path, one) })
  return (
    <AmberNote
      id={id}
      place="field-column"
      words={t.note.hdrLost(named(codec))}
      wayOut={
        instead === null
          ? null
          : {
              words: t.note.useCodec(named(instead)),
              onPress: () => document.change([{ path, value: instead }]),
            }
      }
    />
  )
}

function Control({ control }: { readonly control: PresetControl }) {
  switch (control.widget.kind) {
    case 'choice':
      return <ChoiceControl control={control} />
    case 'number':
      return <NumberControl control={control} {...control.widget} />
    case 'limit':
      return <LimitControl control={control} {...control.widget} />
    case 'colour':
      return <ColorControl control={control} />
    case 'text':
      return <TextControl control={control} />
    case 'list':
      return <ListControl control={control} />
    case 'switch':
    case 'own':
      return null
  }
}

function ChoiceControl({ control: { path } }: { readonly control: PresetControl }) {
  const { document, t } = useStudio()
  const choices = schemaFields().get(path)?.choices ?? []
  return (
    <Select
      id={fieldId(path)}
      value={String(document.form.value.read(path))}
      options={choices.map((one) => ({ value: String(one), label: choiceName(t, path, one) }))}
      aria-describedby={`${fieldId(path)}-help`}
      {...useFaultProps(path)}
      onChoose={(chosen) =>
        document.change([{ path, value: choices.find((one) => String(one) === chosen) ?? chosen }])
      }
    />
  )
}

/** Removes floating-point noise: 0.04 · 100 is 4, not 4.000000000000001. */
const rounded = (value: number): number => Number(value.toPrecision(12))

function NumberControl(
  props: { readonly control: PresetControl } & Extract<PresetControl['widget'], { kind: 'number' }>,
) {
  const { control, unit, scale } = props
  const { path } = control
  const { document, t } = useStudio()
  const value = document.form.value.read(path)
  return (
    <NumberInput
      id={fieldId(path)}
      value={typeof value === 'number' ? rounded(value * scale) : undefined}
      unit={unit === null ? '' : t.fieldUnit[unit]}
      {...useFaultProps(path)}
      onChange={(next) => document.change([{ path, value: rounded(next / scale) }])}
    />
  )
}

function LimitControl(
  props: { readonly control: PresetControl } & Extract<PresetControl['widget'], { kind: 'limit' }>,
) {
  const { control, unit, start } = props
  const { path, label } = control
  const { document, t } = useStudio()
  const value = document.form.value.stands(path)
  const faultProps = useFaultProps(path)
  return (
    <>
      <Select
        id={fieldId(path)}
        value={value === undefined ? 'own' : 'most'}
        options={[
          { value: 'own', label: unit === 'pixels' ? t.dimension.ownHeight : t.dimension.ownRate },
          { value: 'most', label: t.dimension.atMost },
        ]}
        {...faultProps}
        onChoose={(chosen) => document.change([{ path, value: chosen === 'own' ? undefined : start }])}
      />
      {value !== undefined && (
        <NumberInput
          id={`${fieldId(path)}-number`}
          class="narrow"
          label={t.goal.numberOf({ label: t.label[label] })}
          value={typeof value === 'number' ? value : undefined}
          unit={unit === null ? '' : t.fieldUnit[unit]}
          {...faultProps}
          onChange={(next) => document.change([{ path, value: next }])}
        />
      )}
    </>
  )
}

function ColorControl({ control: { path } }: { readonly control: PresetControl }) {
  const { document } = useStudio()
  const value = String(document.form.value.read(path))
  const take = (next: string): void => document.change([{ path, value: next }])
  return (
    <span class="number-field color-field">
      <input
        id={fieldId(path)}
        class="mono"
        value={value}
        spellcheck={false}
        {...useFaultProps(path)}
        onInput={(event) => take(event.currentTarget.value)}
      />
      <input
        type="color"
        aria-labelledby={fieldId(path)}
        tabIndex={-1}
        value={value}
        onInput={(event) => take(event.currentTarget.value)}
      />
    </span>
  )
}

function TextControl({ control: { path } }: { readonly control: PresetControl }) {
  const { document } = useStudio()
  const value = document.form.value.read(path)
  return (
    <input
      id={fieldId(path)}
      class={`field selectable ${path === 'results.name' ? 'mono' : ''}`}
      value={typeof value === 'string' ? value : ''}
      spellcheck={path !== 'results.name'}
      {...useFaultProps(path)}
      onInput={(event) => document.change([{ path, value: event.currentTarget.value }])}
    />
  )
}

/** A field for a list. Changes the document only when the user leaves the field, so that a comma can be typed. */
function ListControl({ control: { path, help } }: { readonly control: PresetControl }) {
  const { document } = useStudio()
  const value = document.form.value.read(path)
  return (
    <input
      id={fieldId(path)}
      class="field selectable"
      value={Array.isArray(value) ? value.join(', ') : ''}
      spellcheck={false}
      aria-describedby={help === undefined ? undefined : `${fieldId(path)}-help`}
      {...useFaultProps(path)}
      onChange={(event) => document.change([{ path, value: listOf(event.currentTarget.value) }])}
    />
  )
}

/** Minimum number of switches for a layout in two columns. */
const MANY_SWITCHES = 4

export function Switches(props: { readonly label: string; readonly controls: readonly PresetControl[] }) {
  const { label, controls } = props
  const { document, t } = useStudio()
  const switches = controls.filter(({ widget }) => widget.kind === 'switch')
  if (switches.length === 0) return null
  return (
    <>
      <span class="label aligned-top">{label}</span>
      <div
        class={switches.length < MANY_SWITCHES ? 'check-list' : 'check-list two-columns'}
        role="group"
        aria-label={label}
      >
        {switches.map(({ path, label: name, widget }) => (
          <div key={path}>
            <label class="check">
              <input
                id={fieldId(path)}
                type="checkbox"
                checked={widget.kind === 'switch' && document.form.value.read(path) !== widget.off}
                {...useFaultProps(path)}
                onChange={(event) => {
                  if (widget.kind !== 'switch') return
                  document.change([{ path, value: event.currentTarget.checked ? widget.on : widget.off }])
                }}
              />
              <span>{t.label[name]}</span>
            </label>
            <FaultNote path={path} place="inline" />
          </div>
        ))}
      </div>
    </>
  )
}
