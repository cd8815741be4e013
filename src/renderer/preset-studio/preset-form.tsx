import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import {
  controlsIn,
  groupOf,
  type ControlGroup,
  type PresetControl,
} from '../../shared/preset/preset-controls.ts'
import { Segments } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { FaultNote, Field, Switches } from './fields.tsx'
import { GoalField } from './goal-field.tsx'
import { CropField, SizeField } from './size-field.tsx'
import { faultAt, useStudio } from './studio-context.ts'

/** What you want: the same document as the text, control by control. */
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
        <FaultNote path="name" place="all" />
        <WholeFault />
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

/** What no control of the form is about: unknown fields, and what concerns the document as a whole. */
function WholeFault() {
  const { document } = useStudio()
  const first = document.faults.value.find(({ path }) => groupOf(path) === undefined)
  return first === undefined ? null : <FaultNote path={first.path} place="all" />
}

function Kinds() {
  const { document, part, t } = useStudio()
  const { parts } = document.form.value
  const kind = parts.length === 2 ? 'both' : (parts[0] ?? 'image')
  return (
    <>
      <span class="label">{t.studio.for}</span>
      <Segments
        label={t.studio.for}
        value={kind}
        options={[
          { value: 'image', label: t.studio.photos },
          { value: 'video', label: t.studio.videos },
          { value: 'both', label: t.studio.both },
        ]}
        onChoose={(chosen) => document.choose(chosen === 'both' ? ['image', 'video'] : [chosen])}
      />
      {kind === 'both' && (
        <>
          <hr />
          <div class="all">
            <Segments
              label={t.studio.part}
              value={part.value}
              options={[
                { value: 'image', label: t.studio.photos },
                { value: 'video', label: t.studio.videos },
              ]}
              onChoose={(chosen) => {
                part.value = chosen
              }}
            />
          </div>
        </>
      )}
    </>
  )
}

/** The controls of a group that the document calls for, and those with something wrong in them in any case. */
function useControls(group: ControlGroup): readonly PresetControl[] {
  const { document, part } = useStudio()
  const { read } = document.form.value
  const faults = document.faults.value
  return controlsIn(group, part.value, document.has, read, (path) => faultAt(faults, path) !== undefined)
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

/** Opens by itself when something in it can't stay as it is. */
function MoreFields() {
  const { document, part, t } = useStudio()
  const open = useSignal(false)
  const mustOpen = document.faults.value.some(({ path }) => {
    const group = groupOf(path)
    return group !== undefined && group !== 'main' && group !== 'keep' && group !== 'goal' && path !== 'name'
  })
  useEffect(() => {
    if (mustOpen) open.value = true
  }, [mustOpen])
  return (
    <details
      open={open.value}
      onToggle={(event) => {
        open.value = event.currentTarget.open
      }}
    >
      <summary>
        <Icon name="forward" class="small" />
        {t.studio.groupMore}
      </summary>
      {open.value && (
        <div class="more-fields" key={part.value}>
          <Group title={t.studio.picture} group="picture" switches={t.studio.also}>
            <CropField part={part.value} />
          </Group>
          <Group title={t.studio.encoder} group="encoder" switches={t.studio.also} />
          <Group title={t.studio.results} group="results" switches={t.studio.keep} />
          <Group title={t.studio.variations} group="variations" switches={t.studio.also} />
          <Group title="" group="document" switches="" />
        </div>
      )}
    </details>
  )
}

type GroupProps = {
  readonly title: string
  readonly group: ControlGroup
  /** What stands before its ticks. */
  readonly switches: string
  readonly children?: ComponentChildren
}

function Group({ title, group, switches, children }: GroupProps) {
  const controls = useControls(group)
  if (controls.length === 0 && children === undefined) return null
  return (
    <>
      {title !== '' && <h2>{title}</h2>}
      {children}
      {controls.map((control) => (
        <Field key={control.path} control={control} />
      ))}
      <Switches label={switches} controls={controls} />
    </>
  )
}
