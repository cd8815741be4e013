import { wordOf } from '../../shared/preset/preset-summary.ts'
import type { FieldChange } from '../../shared/preset/preset-goal.ts'
import type { ReadField } from '../../shared/preset/read-field.ts'
import { Select } from '../ui/form-controls.tsx'
import { FaultNote, NumberInput } from './fields.tsx'
import { useStudio } from './studio-context.ts'

const KINDS = ['own', 'longest', 'width', 'height', 'inside', 'contain', 'cover'] as const
type SizeKind = (typeof KINDS)[number]

/** Size modes with two numbers. The numbers are shown below the select. */
const BOXES: readonly SizeKind[] = ['inside', 'contain', 'cover']

const DEFAULT_PIXELS = 2_048

/** Returns how the size is limited: by one side, by a box, or not at all. */
function sizeKind(stands: ReadField): SizeKind {
  const width = stands('image.size.width')
  const height = stands('image.size.height')
  const fit = stands('image.size.fit')
  if (width === undefined && height === undefined) return 'own'
  if (height === undefined) return 'width'
  if (width === undefined) return 'height'
  if (fit === 'contain' || fit === 'cover') return fit
  return width === height ? 'longest' : 'inside'
}

function chooseSize(kind: SizeKind, stands: ReadField): readonly FieldChange[] {
  if (kind === 'own') return [{ path: 'image.size', value: undefined }]
  const side = stands('image.size.width') ?? stands('image.size.height') ?? DEFAULT_PIXELS
  const other = stands('image.size.height') ?? side
  // A square `inside` box is a limit for the longest side, so start an `inside` box that would be square with 4:3.
  const boxed = kind === 'inside' && other === side ? Math.round((Number(side) * 3) / 4) : other
  return [
    { path: 'image.size.width', value: kind === 'height' ? undefined : side },
    { path: 'image.size.height', value: kind === 'width' ? undefined : kind === 'longest' ? side : boxed },
    { path: 'image.size.fit', value: kind === 'contain' || kind === 'cover' ? kind : undefined },
  ]
}

export function SizeField() {
  const { document, t } = useStudio()
  const { stands } = document.form.value
  const kind = sizeKind(stands)
  const names: Readonly<Record<SizeKind, string>> = t.dimension
  const set = (paths: readonly string[], value: number): void =>
    document.change(paths.map((path) => ({ path, value })))
  const side = (path: 'image.size.width' | 'image.size.height', paths: readonly string[], label: string) => (
    <NumberInput
      id={`preset-${path.replaceAll('.', '-')}`}
      class="narrow"
      unit={t.fieldUnit.pixels}
      label={label}
      value={Number(stands(path))}
      onChange={(value) => set(paths, value)}
    />
  )
  const both = ['image.size.width', 'image.size.height'] as const
  return (
    <>
      <label for="preset-size">{t.dimension.label}</label>
      <div class={`control-row wrap ${BOXES.includes(kind) ? 'with-dimensions' : ''}`}>
        <Select
          id="preset-size"
          value={kind}
          options={KINDS.map((one) => ({ value: one, label: names[one] }))}
          onChoose={(chosen) => document.change(chooseSize(chosen, stands))}
        />
        {kind === 'longest' && side(both[0], both, t.dimension.pixels)}
        {kind !== 'longest' && kind !== 'own' && kind !== 'height' && side(both[0], [both[0]], t.label.width)}
        {kind !== 'longest' && kind !== 'own' && kind !== 'width' && side(both[1], [both[1]], t.label.height)}
      </div>
      <FaultNote path="image.size" />
    </>
  )
}

/** Common aspect ratios, rounded as documented. */
const ASPECTS = [
  ['1:1', 1],
  ['4:5', 0.8],
  ['3:2', 1.5],
  ['16:9', 1.7778],
  ['9:16', 0.5625],
] as const

const OTHER = 'other'
const NONE = 'none'
const DEFAULT_ASPECT = 1.25

export function CropField({ part }: { readonly part: 'image' | 'video' }) {
  const { document, t } = useStudio()
  const path = `${part}.crop.aspect`
  const aspect = document.form.value.stands(path)
  const known = ASPECTS.find(([, value]) => value === aspect)
  const value = aspect === undefined ? NONE : (known?.[0] ?? OTHER)
  return (
    <>
      <label for={`preset-${part}-crop`}>{t.label.crop}</label>
      <div class="control-row">
        <Select
          id={`preset-${part}-crop`}
          value={value}
          options={[
            { value: NONE, label: t.dimension.noCrop },
            ...ASPECTS.map(([name]) => ({ value: name, label: name })),
            { value: OTHER, label: t.dimension.otherCrop },
          ]}
          onChoose={(chosen) =>
            document.change([
              chosen === NONE
                ? { path: `${part}.crop`, value: undefined }
                : { path, value: ASPECTS.find(([name]) => name === chosen)?.[1] ?? DEFAULT_ASPECT },
            ])
          }
        />
        {value === OTHER && (
          <NumberInput
            id={`preset-${part}-aspect`}
            class="narrow"
            unit=": 1"
            label={t.dimension.aspect}
            value={Number(wordOf(aspect))}
            onChange={(next) => document.change([{ path, value: next }])}
          />
        )}
      </div>
      <FaultNote path={`${part}.crop`} />
    </>
  )
}
