import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { StudioTranslation } from '../../shared/i18n/studio.ts'
import { choiceName } from '../../shared/preset/preset-summary.ts'
import {
  chooseGoal,
  CRF_AT_FIRST,
  goalOf,
  goalsFor,
  lookOf,
  noGoalOf,
  QUALITY_AT_FIRST,
  type GoalKind,
} from '../../shared/preset/preset-goal.ts'
import { promisedSize } from '../preview/preview-model.ts'
import { Select, type Option } from '../ui/form-controls.tsx'
import { AmberNote } from './amber-note.tsx'
import { FaultNote, NumberInput } from './fields.tsx'
import { faultAt, faultId, fieldId, useStudio } from './studio-context.ts'

/** How good, or how small: one of several ways to say it, and only the chosen one shows its control. */
export function GoalField() {
  const { document, part, t } = useStudio()
  const { stands, read } = document.form.value
  const nothing = noGoalOf(part.value, read)
  const chosen = goalOf(part.value, stands)
  const why = nothing === null ? null : reasonWords(nothing, read(`${part.value}.format`), t)
  return (
    <fieldset class="goals" disabled={nothing !== null}>
      <legend>{t.goal.title}</legend>
      {why !== null && <p class="hint">{why}</p>}
      {nothing !== null && <FaultNote path={`${part.value}.maxBytes`} place="here" />}
      {goalsFor(part.value, document.has).map((goal) => (
        <div key={goal} class="goal">
          <label class="check">
            <input
              type="radio"
              name="goal"
              value={goal}
              checked={goal === chosen}
              onChange={() => document.change(chooseGoal(part.value, goal))}
            />
            <span>{t.goal[goal]}</span>
          </label>
          {goal === chosen && nothing === null && (
            <div class="under">
              <GoalControl goal={goal} />
            </div>
          )}
        </div>
      ))}
    </fieldset>
  )
}

const reasonWords = (
  reason: NonNullable<ReturnType<typeof noGoalOf>>,
  format: unknown,
  t: StudioTranslation,
): string =>
  reason === 'losslessFormat'
    ? t.goal.losslessFormat({ format: choiceName(t, 'image.format', format) })
    : t.goal[reason]

function GoalControl({ goal }: { readonly goal: GoalKind }) {
  const { part, t } = useStudio()
  switch (goal) {
    case 'look':
      return <LookControl />
    case 'size':
      return <SizeGoal />
    case 'fixed':
      return part.value === 'image' ? <QualityControl /> : <FixedVideoQuality />
    case 'limits':
      return <p class="hint">{t.goal.limitsHint}</p>
  }
}

type SliderProps = {
  readonly path: string
  readonly label: string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly valueText: string
  readonly below?: ComponentChildren
}

const PAGE = 10

/** A slider with the number beside it. */
function SliderLine({ path, label, value, min, max, valueText, below }: SliderProps) {
  const { document, t } = useStudio()
  const slider = useRef<HTMLInputElement>(null)
  const set = (next: number): void =>
    document.change([{ path, value: Math.max(min, Math.min(max, Math.round(next))) }])
  useLayoutEffect(() => {
    slider.current?.style.setProperty('--filled', `${((value - min) / (max - min)) * 100}%`)
  }, [value])
  return (
    <>
      <div class="line slider-line">
        <div class="slider">
          <input
            ref={slider}
            type="range"
            class="range"
            id={fieldId(path)}
            min={min}
            max={max}
            value={value}
            aria-label={label}
            aria-valuetext={valueText}
            onInput={(event) => set(event.currentTarget.valueAsNumber)}
            onKeyDown={(event) => {
              if (event.key !== 'PageUp' && event.key !== 'PageDown') return
              event.preventDefault()
              set(value + (event.key === 'PageUp' ? PAGE : -PAGE))
            }}
          />
          {below}
        </div>
        <NumberInput
          id={`${fieldId(path)}-number`}
          unit=""
          label={t.goal.numberOf({ label })}
          value={value}
          onChange={(next) => document.change([{ path, value: next }])}
        />
      </div>
      <FaultNote path={path} place="here" />
    </>
  )
}

/** From here on a look is said with these words. */
const LOOK_WORDS = [
  [90, 'same'],
  [80, 'zoomed'],
  [65, 'sideBySide'],
  [45, 'softer'],
] as const

const lookWords = (look: number, t: StudioTranslation): string =>
  t.goal[LOOK_WORDS.find(([from]) => look >= from)?.[1] ?? 'draft']

function LookControl() {
  const { document, part, t } = useStudio()
  const path = `${part.value}.look`
  const look = lookOf(document.form.value.stands(path))
  const words = lookWords(look, t)
  return (
    <>
      <SliderLine
        path={path}
        label={t.label.look}
        value={look}
        min={30}
        max={100}
        valueText={t.goal.sliderText({ value: String(look), words })}
        below={
          <p class="ends" aria-hidden="true">
            <span>{t.goal.smaller}</span>
            <span>{t.goal.closer}</span>
          </p>
        }
      />
      <p class="hint">{words}</p>
    </>
  )
}

function QualityControl() {
  const { document, t } = useStudio()
  const quality = Number(document.form.value.read('image.quality') ?? QUALITY_AT_FIRST)
  return (
    <>
      <SliderLine
        path="image.quality"
        label={t.label.quality}
        value={quality}
        min={1}
        max={100}
        valueText={String(quality)}
      />
      <p class="hint">{t.goal.qualityHint}</p>
    </>
  )
}

const UNITS = [
  ['kB', 1_000],
  ['MB', 1_000_000],
  ['GB', 1_000_000_000],
] as const

const COMMON: Readonly<Record<'image' | 'video', readonly number[]>> = {
  image: [500_000, 2_000_000, 8_000_000],
  video: [8_000_000, 25_000_000, 100_000_000],
}

const unitFor = (bytes: number): (typeof UNITS)[number] =>
  UNITS.findLast(([, least]) => bytes >= least) ?? UNITS[0]

type NumberWithUnitProps = {
  readonly path: string
  readonly label: string
  readonly value: number
  readonly onChange: (value: number) => void
  readonly unit: string
  readonly units: readonly Option[]
  readonly onUnit: (unit: string) => void
}

function NumberWithUnit({ path, label, value, onChange, unit, units, onUnit }: NumberWithUnitProps) {
  const { document, t } = useStudio()
  const isFaulty = faultAt(document.faults.value, path) !== undefined
  return (
    <div class="line">
      <NumberInput
        id={fieldId(path)}
        unit=""
        class="narrow"
        label={label}
        value={value}
        invalid={isFaulty}
        describedBy={isFaulty ? faultId(path) : undefined}
        onChange={onChange}
      />
      <div class="unit-choice">
        <Select
          id={`${fieldId(path)}-unit`}
          label={t.dimension.unit}
          value={unit}
          groups={[{ options: units }]}
          onChoose={onUnit}
        />
      </div>
    </div>
  )
}

function SizeGoal() {
  const { document, part, t } = useStudio()
  const path = `${part.value}.maxBytes`
  const bytes = Number(document.form.value.stands(path) ?? 0)
  const shrinks = `${part.value}.mayShrink`
  // It stays while a number is typed: 1000 kB on the way to 10000 kB are no megabyte.
  const [[unit, factor], setUnit] = useState(() => unitFor(bytes))
  const set = (value: number): void => document.change([{ path, value: Math.round(value) }])
  return (
    <>
      <NumberWithUnit
        path={path}
        label={t.label.maxBytes}
        value={bytes / factor}
        onChange={(next) => set(next * factor)}
        unit={unit}
        units={UNITS.map(([name]) => ({ value: name, label: name }))}
        onUnit={(name) => {
          const chosen = UNITS.find(([one]) => one === name) ?? UNITS[0]
          setUnit(chosen)
          set((bytes / factor) * chosen[1])
        }}
      />
      <div class="quick" role="group" aria-label={t.goal.commonSizes}>
        {COMMON[part.value].map((size) => (
          <button
            key={size}
            type="button"
            class="btn"
            aria-pressed={size === bytes}
            onClick={() => {
              setUnit(unitFor(size))
              set(size)
            }}
          >
            {t.size(size).replace(/[.,]0(?=\s)/, '')}
          </button>
        ))}
      </div>
      <FaultNote path={path} place="here" />
      <LeastNote shrinks={shrinks} />
      <p class="hint">{t.goal.sizeHint}</p>
      {document.has(shrinks) && (
        <label class="check">
          <input
            id={fieldId(shrinks)}
            type="checkbox"
            checked={document.form.value.read(shrinks) === true}
            onChange={(event) =>
              document.change([{ path: shrinks, value: event.currentTarget.checked ? true : undefined }])
            }
          />
          <span>{t.label.mayShrink}</span>
        </label>
      )}
    </>
  )
}

function LeastNote({ shrinks }: { readonly shrinks: string }) {
  const { document, least, t } = useStudio()
  if (least.value === null) return null
  const { width, height } = least.value
  const canShrink = document.has(shrinks) && document.form.value.read(shrinks) !== true
  return (
    <AmberNote
      place="here"
      words={t.goal.least({
        size: t.size(promisedSize(least.value)),
        width: String(width),
        height: String(height),
      })}
      wayOut={
        canShrink
          ? {
              words: t.goal.letShrink,
              onPress: () => document.change([{ path: shrinks, value: true }]),
            }
          : null
      }
    />
  )
}

const MEGABIT = 1_000_000
const RATE_AT_FIRST = 4 * MEGABIT

/** The encoder's own scale, or bits a second. */
function FixedVideoQuality() {
  const { document, t } = useStudio()
  const { stands } = document.form.value
  const bitrate = stands('video.bitrate')
  const byRate = bitrate !== undefined && stands('video.crf') === undefined
  const path = byRate ? 'video.bitrate' : 'video.crf'
  const value = byRate ? Number(bitrate) / MEGABIT : Number(stands('video.crf') ?? CRF_AT_FIRST)
  return (
    <>
      <NumberWithUnit
        path={path}
        label={t.label.quality}
        value={value}
        onChange={(next) => document.change([{ path, value: byRate ? Math.round(next * MEGABIT) : next }])}
        unit={byRate ? 'rate' : 'crf'}
        units={[
          { value: 'crf', label: 'CRF' },
          { value: 'rate', label: t.label.bitrate },
        ]}
        onUnit={(unit) =>
          document.change([
            { path: 'video.crf', value: unit === 'crf' ? CRF_AT_FIRST : undefined },
            { path: 'video.bitrate', value: unit === 'crf' ? undefined : RATE_AT_FIRST },
          ])
        }
      />
      <FaultNote path="video.crf" place="here" />
      <FaultNote path="video.bitrate" place="here" />
      {!byRate && <p class="hint">{t.goal.crfHint}</p>}
    </>
  )
}
