import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { StudioTranslation } from '../../shared/i18n/i18n.ts'
import { choiceName } from '../../shared/preset/preset-summary.ts'
import {
  chooseGoal,
  CRF_AT_FIRST,
  goalOf,
  goalsFor,
  noGoalOf,
  QUALITY_AT_FIRST,
  visualQualityOf,
  type GoalKind,
} from '../../shared/preset/preset-goal.ts'
import { bandOf } from '../../shared/quality/quality.ts'
import { promisedSize } from '../preview/preview-model.ts'
import { Check, Select, type Option } from '../ui/form-controls.tsx'
import { AmberNote } from './amber-note.tsx'
import { FaultNote, NumberInput, useFaultProps } from './fields.tsx'
import { fieldId, useStudio } from './studio-context.ts'
import '../ui/range.css'

/** Chooses the goal: visual quality, a size limit, fixed settings or, for videos, limits. Only the chosen goal shows its controls. */
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
      {nothing !== null &&
        GOAL_FIELDS.map((field) => <FaultNote key={field} path={`${part.value}.${field}`} place="inline" />)}
      {goalsFor(part.value).map((goal) => (
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
            <div class="goal-fields">
              <GoalControl goal={goal} />
            </div>
          )}
        </div>
      ))}
    </fieldset>
  )
}

/** Fields that conflict with an output for which no goal can be set. Their errors are shown here. */
const GOAL_FIELDS = ['look', 'maxBytes', 'bitrate'] as const

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
      return <VisualQualityControl />
    case 'size':
      return <SizeGoal />
    case 'fixed':
      return part.value === 'image' ? <QualityControl /> : <FixedVideoQuality />
    case 'limits':
      return <p class="hint">{t.goal.limitsHint}</p>
  }
}

/** The maximum of both sliders. */
const MOST = 100
const PAGE = 10

function SliderLine(props: {
  readonly path: string
  readonly label: string
  readonly value: number
  readonly min: number
  readonly valueText: string
  readonly below?: ComponentChildren
}) {
  const { path, label, value, min, valueText, below } = props
  const { document, t } = useStudio()
  const slider = useRef<HTMLInputElement>(null)
  const set = (next: number): void =>
    document.change([{ path, value: Math.max(min, Math.min(MOST, Math.round(next))) }])
  useLayoutEffect(() => {
    slider.current?.style.setProperty('--filled', `${((value - min) / (MOST - min)) * 100}%`)
  }, [value])
  return (
    <>
      <div class="control-row slider-line">
        <div class="slider">
          <input
            ref={slider}
            type="range"
            class="range"
            id={fieldId(path)}
            min={min}
            max={MOST}
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
      <FaultNote path={path} place="inline" />
    </>
  )
}

function VisualQualityControl() {
  const { document, part, t } = useStudio()
  const path = `${part.value}.look`
  const quality = visualQualityOf(document.form.value.stands(path))
  const words = t.goal[bandOf(quality)]
  return (
    <>
      <SliderLine
        path={path}
        label={t.label.look}
        value={quality}
        min={30}
        valueText={t.goal.sliderText({ value: String(quality), words })}
        below={
          <p class="slider-labels" aria-hidden="true">
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

/** "500 kB" */
function sizeIn(bytes: number, t: StudioTranslation): string {
  const [unit, factor] = unitFor(bytes)
  return t.sizeIn(bytes / factor, unit)
}

function NumberWithUnit(props: {
  readonly path: string
  readonly label: string
  readonly value: number
  readonly onChange: (value: number) => void
  readonly unit: string
  readonly units: readonly Option[]
  readonly onUnit: (unit: string) => void
}) {
  const { path, label, value, onChange, unit, units, onUnit } = props
  const { t } = useStudio()
  return (
    <div class="control-row">
      <NumberInput
        id={fieldId(path)}
        unit=""
        class="narrow"
        label={label}
        value={value}
        {...useFaultProps(path)}
        onChange={onChange}
      />
      <div class="unit-choice">
        <Select
          id={`${fieldId(path)}-unit`}
          label={t.dimension.unit}
          value={unit}
          options={units}
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
  // Keep the unit while the user is typing: on the way to 10000 kB, 1000 kB must not turn into megabytes.
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
        units={UNITS.map(([name]) => ({ value: name, label: t.sizeUnit(name) }))}
        onUnit={(name) => {
          const chosen = UNITS.find(([one]) => one === name) ?? UNITS[0]
          setUnit(chosen)
          set((bytes / factor) * chosen[1])
        }}
      />
      <div class="common-sizes" role="group" aria-label={t.goal.commonSizes}>
        {COMMON[part.value].map((size) => (
          <button
            key={size}
            type="button"
            class="button"
            aria-pressed={size === bytes}
            onClick={() => {
              setUnit(unitFor(size))
              set(size)
            }}
          >
            {sizeIn(size, t)}
          </button>
        ))}
      </div>
      <FaultNote path={path} place="inline" />
      <LeastNote shrinks={shrinks} />
      <p class="hint">{t.goal.sizeHint}</p>
      <Check
        id={fieldId(shrinks)}
        label={t.label.mayShrink}
        checked={document.form.value.read(shrinks) === true}
        onChange={(checked) => document.change([{ path: shrinks, value: checked ? true : undefined }])}
      />
    </>
  )
}

function LeastNote({ shrinks }: { readonly shrinks: string }) {
  const { document, least, t } = useStudio()
  if (least.value === null) return null
  const { width, height } = least.value
  const canShrink = document.form.value.read(shrinks) !== true
  return (
    <AmberNote
      place="inline"
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

/** Fixed quality on the encoder's own scale, or a bit rate. */
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
      <FaultNote path="video.crf" place="inline" />
      <FaultNote path="video.bitrate" place="inline" />
      {!byRate && <p class="hint">{t.goal.crfHint}</p>}
    </>
  )
}
