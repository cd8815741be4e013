/** The kinds of fields that a preset is made of. Each shows what stands at its path, and changes that only. */
import { useState } from 'preact/hooks'
import { hdrLossOf, type HdrLoss } from '../../shared/preset/hdr-loss.ts'
import { choiceName } from '../../shared/preset/preset-summary.ts'
import type { PresetControl } from '../../shared/preset/preset-controls.ts'
import { schemaFields } from '../../shared/preset/schema-fields.ts'
import { LinkButton } from '../ui/button.tsx'
import { Select } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { AmberNote } from './amber-note.tsx'
import { faultAt, faultId, fieldId, sayFault, useStudio } from './studio-context.ts'

type FaultNoteProps = {
  readonly path: string
  /** Below the control, as wide as the form, or wherever it stands. */
  readonly place?: 'wide' | 'all' | 'here'
}

/** What is wrong at a field, with its way out. */
export function FaultNote({ path, place = 'wide' }: FaultNoteProps) {
  const { document, t } = useStudio()
  const fault = faultAt(document.faults.value, path)
  if (fault === undefined) return null
  const { words, wayOut } = sayFault(fault, t)
  return (
    <p class={`${place} hint bad`} id={faultId(path)} role="alert">
      <Icon name="warn" />
      <span>
        {words}{' '}
        {wayOut && <LinkButton label={wayOut.words} onPress={() => document.change([wayOut.change])} />}
      </span>
    </p>
  )
}

/** For the element that a fault is about. */
export function useFaultProps(path: string) {
  const { document } = useStudio()
  return faultAt(document.faults.value, path) === undefined
    ? {}
    : { 'aria-invalid': true, 'aria-describedby': faultId(path) }
}

type NumberInputProps = {
  readonly id: string
  readonly value: number | undefined
  readonly unit: string
  readonly label?: string
  readonly class?: string
  readonly describedBy?: string | undefined
  readonly invalid?: boolean
  readonly disabled?: boolean
  readonly onChange: (value: number) => void
}

/** A number with its unit inside the field. What is no number goes back to the last one that was. */
export function NumberInput(props: NumberInputProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const take = (text: string): void => {
    setTyped(text)
    const number = Number(text.replace(',', '.'))
    if (text.trim() !== '' && Number.isFinite(number)) props.onChange(number)
  }
  return (
    <span class={`unit ${props.unit === '' ? 'bare' : ''} ${props.class ?? ''}`}>
      <input
        id={props.id}
        inputMode="decimal"
        autocomplete="off"
        aria-label={props.label}
        aria-invalid={props.invalid ? true : undefined}
        aria-describedby={props.describedBy}
        disabled={props.disabled}
        value={typed ?? (props.value === undefined ? '' : String(props.value))}
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

type FieldProps = { readonly control: PresetControl }

/** The label and the control of a field that stands by itself. */
export function Field({ control }: FieldProps) {
  const { t } = useStudio()
  const { path, widget, label } = control
  if (widget.kind === 'switch' || widget.kind === 'own') return null
  return (
    <>
      <label for={fieldId(path)}>{t.label[label]}</label>
      <div class="line">
        <Control control={control} />
      </div>
      <FieldHelp control={control} />
      <FaultNote path={path} />
    </>
  )
}

function FieldHelp({ control: { path, help, widget } }: FieldProps) {
  const { document, filmIsHdr, t } = useStudio()
  const named: Readonly<Record<string, string>> = t.choiceHelp
  const value = document.form.value.read(path)
  const ofChoice =
    widget.kind === 'choice' ? named[`${path.split('.').at(-1) ?? ''}_${String(value)}`] : undefined
  const words = help === undefined ? ofChoice : t.help[help]
  const id = `${fieldId(path)}-help`
  if (words === undefined || faultAt(document.faults.value, path) !== undefined) return null
  const loss = path === 'video.codec' && filmIsHdr.value ? hdrLossOf(document.form.value.read) : null
  if (loss !== null) return <HdrNote id={id} loss={loss} />
  return (
    <p class="wide hint" id={id}>
      {words}
    </p>
  )
}

/** The film in the preview has what the codec would take away. */
function HdrNote({ id, loss: { codec, instead } }: { readonly id: string; readonly loss: HdrLoss }) {
  const { document, t } = useStudio()
  const path = 'video.codec'
  const named = (one: string) => ({ codec: choiceName(t, path, one) })
  return (
    <AmberNote
      id={id}
      place="wide"
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

function Control({ control }: FieldProps) {
  switch (control.widget.kind) {
    case 'choice':
      return <ChoiceControl control={control} />
    case 'number':
      return <NumberControl control={control} {...control.widget} />
    case 'limit':
      return <LimitControl control={control} {...control.widget} />
    case 'colour':
      return <ColourControl control={control} />
    case 'text':
      return <TextControl control={control} />
    case 'switch':
    case 'own':
      return null
  }
}

function ChoiceControl({ control: { path } }: FieldProps) {
  const { document, t } = useStudio()
  const choices = schemaFields().get(path)?.choices ?? []
  const value = document.form.value.read(path)
  const isFaulty = faultAt(document.faults.value, path) !== undefined
  return (
    <Select
      id={fieldId(path)}
      value={String(value)}
      groups={[{ options: choices.map((one) => ({ value: String(one), label: choiceName(t, path, one) })) }]}
      invalid={isFaulty}
      describedBy={isFaulty ? faultId(path) : `${fieldId(path)}-help`}
      onChoose={(chosen) =>
        document.change([{ path, value: choices.find((one) => String(one) === chosen) ?? chosen }])
      }
    />
  )
}

/** So that 0.04 · 100 is 4 and not 4.000000000000001. */
const rounded = (value: number): number => Number(value.toPrecision(12))

function NumberControl({ control: { path }, unit, scale }: FieldProps & { unit: string; scale: number }) {
  const { document } = useStudio()
  const value = document.form.value.read(path)
  const isFaulty = faultAt(document.faults.value, path) !== undefined
  return (
    <NumberInput
      id={fieldId(path)}
      value={typeof value === 'number' ? rounded(value * scale) : undefined}
      unit={unit}
      invalid={isFaulty}
      describedBy={isFaulty ? faultId(path) : undefined}
      onChange={(next) => document.change([{ path, value: rounded(next / scale) }])}
    />
  )
}

function LimitControl({
  control: { path, label },
  unit,
  start,
}: FieldProps & { unit: string; start: number }) {
  const { document, t } = useStudio()
  const value = document.form.value.stands(path)
  const isFaulty = faultAt(document.faults.value, path) !== undefined
  return (
    <>
      <Select
        id={fieldId(path)}
        value={value === undefined ? 'own' : 'most'}
        groups={[
          {
            options: [
              { value: 'own', label: unit === 'px' ? t.dimension.ownHeight : t.dimension.ownRate },
              { value: 'most', label: t.dimension.atMost },
            ],
          },
        ]}
        invalid={isFaulty}
        {...(isFaulty ? { describedBy: faultId(path) } : {})}
        onChoose={(chosen) => document.change([{ path, value: chosen === 'own' ? undefined : start }])}
      />
      {value !== undefined && (
        <NumberInput
          id={`${fieldId(path)}-number`}
          class="narrow"
          label={t.goal.numberOf({ label: t.label[label] })}
          value={typeof value === 'number' ? value : undefined}
          unit={unit}
          invalid={isFaulty}
          describedBy={isFaulty ? faultId(path) : undefined}
          onChange={(next) => document.change([{ path, value: next }])}
        />
      )}
    </>
  )
}

function ColourControl({ control: { path } }: FieldProps) {
  const { document } = useStudio()
  const value = String(document.form.value.read(path))
  const take = (next: string): void => document.change([{ path, value: next }])
  return (
    <span class="unit colour">
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

function TextControl({ control: { path } }: FieldProps) {
  const { document } = useStudio()
  const value = document.form.value.read(path)
  return (
    <input
      id={fieldId(path)}
      class={`field pick ${path === 'results.name' ? 'mono' : ''}`}
      value={typeof value === 'string' ? value : ''}
      spellcheck={path !== 'results.name'}
      {...useFaultProps(path)}
      onInput={(event) => document.change([{ path, value: event.currentTarget.value }])}
    />
  )
}

/** From here on they stand in two columns. */
const MANY_SWITCHES = 4

/** Several yes-or-no fields under one label. */
export function Switches({
  label,
  controls,
}: {
  readonly label: string
  readonly controls: readonly PresetControl[]
}) {
  const { document, t } = useStudio()
  const switches = controls.filter(({ widget }) => widget.kind === 'switch')
  if (switches.length === 0) return null
  return (
    <>
      <span class="label top">{label}</span>
      <div class={switches.length < MANY_SWITCHES ? 'checks' : 'checks two'} role="group" aria-label={label}>
        {switches.map(({ path, label: name, widget }) => (
          <div key={path}>
            <label class="check">
              <input
                id={fieldId(path)}
                type="checkbox"
                checked={widget.kind === 'switch' && document.form.value.read(path) === widget.on}
                {...useFaultProps(path)}
                onChange={(event) => {
                  if (widget.kind !== 'switch') return
                  document.change([{ path, value: event.currentTarget.checked ? widget.on : widget.off }])
                }}
              />
              <span>{t.label[name]}</span>
            </label>
            <FaultNote path={path} place="here" />
          </div>
        ))}
      </div>
    </>
  )
}
