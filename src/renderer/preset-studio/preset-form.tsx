import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import {
  controlsIn,
  groupOf,
  type ControlGroup,
  type PresetControl,
} from '../../shared/preset/preset-controls.ts'
import { Check, Segments } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { FaultNote, Field, Switches } from './fields.tsx'
import { FineLosses } from './fine-losses.tsx'
import { GoalField } from './goal-field.tsx'
import { KeepOriginalField } from './keep-original-field.tsx'
import { CropField, SizeField } from './size-field.tsx'
import { faultAt, useStudio } from './studio-context.ts'
import './preset-form.css'

export function PresetForm() {
  const { t, part } = useStudio()
  return (
    <form
      class="studio-form"
      aria-label={t.studio.formLabel}
      data-region="side"
      onSubmit={(event) => event.preventDefault()}
    >
      <div class="preset-form">
        <FaultNote path="name" place="full-width" />
        <DocumentFault />
        <Kinds />
        <hr />
        <GoalField />
        <hr />
        <MainFields key={part.value} />
        <hr />
        <MoreFields />
      </div>
    </form>
  )
}

/** The first error that doesn't belong to a control, but to an unknown field or the whole document. */
function DocumentFault() {
  const { document } = useStudio()
  const first = document.faults.value.find(({ path }) => groupOf(path) === undefined)
  return first === undefined ? null : <FaultNote path={first.path} place="full-width" />
}

function Kinds() {
  const { document, part, t } = useStudio()
  const { parts } = document.form.value
  const kind = parts.length === 2 ? 'both' : (parts[0] ?? 'image')
  const each = { image: t.studio.photos, video: t.studio.videos }
  return (
    <>
      <span class="label">{t.studio.for}</span>
      <Segments
        label={t.studio.for}
        value={kind}
        options={{ ...each, both: t.studio.both }}
        onChoose={(chosen) => document.choose(chosen === 'both' ? ['image', 'video'] : [chosen])}
      />
      {kind === 'both' && (
        <>
          <hr />
          <div class="full-width">
            <Segments
              label={t.studio.part}
              value={part.value}
              options={each}
              onChoose={(chosen) => (part.value = chosen)}
            />
          </div>
        </>
      )}
    </>
  )
}

/** Returns the controls of a group that apply to the document, plus those with errors. */
function useControls(group: ControlGroup): readonly PresetControl[] {
  const { document, part } = useStudio()
  const { read } = document.form.value
  const faults = document.faults.value
  return controlsIn(group, part.value, read, (path) => faultAt(faults, path) !== undefined)
}

function MainFields() {
  const { part, t } = useStudio()
  return (
    <>
      {part.value === 'image' && <SizeField />}
      {useControls('main').map((control) => (
        <Field key={control.path} control={control} />
      ))}
      <Switches label={t.studio.keep} controls={useControls('keep')} />
    </>
  )
}

/** The collapsed options. They open when one of them has an error. */
function MoreFields() {
  const { document, part, t } = useStudio()
  const open = useSignal(false)
  const box = useRef<HTMLDetailsElement>(null)
  const mustOpen = document.faults.value.some(({ path }) => {
    const group = groupOf(path)
    return group !== undefined && group !== 'main' && group !== 'keep' && group !== 'goal' && path !== 'name'
  })
  useLayoutEffect(() => {
    if (mustOpen) open.value = true
  }, [mustOpen])
  // The options may open below the visible part, so scroll to them, unless an error opened them while the user is elsewhere in the form.
  useLayoutEffect(() => {
    if (open.value && box.current?.matches(':focus-within')) box.current.scrollIntoView()
  }, [open.value])
  return (
    <details ref={box} open={open.value} onToggle={(event) => (open.value = event.currentTarget.open)}>
      <summary>
        <Icon name="forward" class="small" />
        {t.studio.groupMore}
      </summary>
      {open.value && (
        <div class="more-fields" key={part.value}>
          <Group title={t.studio.picture} group="picture" switches={t.studio.also} hasCrop />
          <Group title={t.studio.encoder} group="encoder" switches={t.studio.also} />
          <Group title={t.studio.results} group="results" switches={t.studio.keep} />
          <KeepOriginalField />
          <FineLosses />
          <Variations />
          <Group title="" group="document" switches="" />
        </div>
      )}
    </details>
  )
}

/** Sets whether the preset makes variations, and how much they differ. Switching them on again restores the ranges. */
function Variations() {
  const { document, t } = useStudio()
  const ranges = document.form.value.stands('variations')
  const parked = useRef<unknown>({})
  const isOn = ranges !== undefined
  return (
    <>
      <h2>{t.studio.variations}</h2>
      <span class="label aligned-top">{t.studio.forEachFile}</span>
      <div>
        <Check
          id="preset-variations"
          label={t.studio.makeVariations}
          checked={isOn}
          describedBy={isOn ? 'preset-variations-hint' : undefined}
          onChange={() => {
            if (isOn) parked.current = ranges
            document.change([{ path: 'variations', value: isOn ? undefined : parked.current }])
          }}
        />
        {isOn && (
          <p class="hint" id="preset-variations-hint">
            {t.studio.makeVariationsHint}
          </p>
        )}
      </div>
      {isOn && <Group title="" group="variations" switches={t.studio.also} />}
    </>
  )
}

function Group(props: {
  readonly title: string
  readonly group: ControlGroup
  /** The label of the group's checkboxes. */
  readonly switches: string
  readonly hasCrop?: boolean
}) {
  const { title, group, switches, hasCrop = false } = props
  const { part } = useStudio()
  const controls = useControls(group)
  const crop = `${part.value}.crop.aspect`
  if (controls.length === 0) return null
  return (
    <>
      {title !== '' && <h2>{title}</h2>}
      {hasCrop && controls.some(({ path }) => path === crop) && <CropField part={part.value} />}
      {controls.map((control) => (
        <Field key={control.path} control={control} />
      ))}
      <Switches label={switches} controls={controls} />
    </>
  )
}
