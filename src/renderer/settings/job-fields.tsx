import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { missingPresets } from '../../shared/preset/known-preset.ts'
import { taskOf } from '../../shared/preset/task-names.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import { OutputPicker, replaceReason } from '../pickers/output-picker.tsx'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { SizeRow } from '../pickers/size-row.tsx'
import { subfolderFault, SubfolderField } from '../pickers/subfolder-field.tsx'
import { type App, viewTranslation, useView } from '../store/app.ts'
import { connectionOf } from '../store/services.ts'
import { replaceProblem } from '../store/start-status.ts'
import { sizeFault } from '../store/typed-size.ts'
import { Fault } from '../ui/fault.tsx'
import type { WatchedOutput } from '../../shared/model/stored-output.ts'

/** The state of the fields for jobs of a watched folder or a rule. */
export type WatchedJob = {
  readonly service: string | undefined
  readonly presets: readonly string[]
  readonly output: WatchedOutput
  readonly variations: number
  /** The size that the user is typing for *Under a size*; null otherwise. */
  readonly typedSize: Signal<string | null>
}

/** Whether the size or the output has to be changed before the job can be saved. The field concerned shows the reason. */
export function hasJobFault(app: App, { output, typedSize, ...job }: WatchedJob): boolean {
  if (typedSize.value !== null && sizeFault(typedSize.value, viewTranslation(app)) !== null) return true
  if (output.kind === 'replace') return replaceProblem(app, job) !== null
  return output.kind === 'beside' && subfolderFault(output.subfolder, viewTranslation(app)) !== null
}

export function JobFields(
  props: WatchedJob & {
    readonly prefix: string
    readonly onPresets: (presets: readonly string[]) => void
    readonly onOutput: (output: WatchedOutput) => void
    /** Fields that follow the preset. */
    readonly children?: ComponentChildren
  },
) {
  const { prefix, output, typedSize, onPresets, onOutput, children, ...job } = props
  const { app, t } = useView()
  const service = connectionOf(app, job)
  const megabytes = taskOf(job.presets[0])?.megabytes
  const [missing] = missingPresets(service, job.presets)
  const problem = output.kind === 'replace' ? replaceProblem(app, job) : null
  return (
    <>
      <label for={`${prefix}-preset`}>{t.newJob.preset}</label>
      <PresetPicker
        id={`${prefix}-preset`}
        presets={job.presets}
        service={service}
        describedBy={missing === undefined ? undefined : `${prefix}-preset-missing`}
        onChoose={onPresets}
      />
      <Fault
        id={`${prefix}-preset-missing`}
        text={missing && t.draftProblems.presetUnknown({ preset: presetName(missing, t) })}
      />
      {megabytes !== undefined && (
        <>
          <span />
          <SizeRow
            id={`${prefix}-size`}
            megabytes={megabytes}
            typed={typedSize}
            onPreset={(preset) => onPresets([preset])}
          />
        </>
      )}
      {children}
      <label for={`${prefix}-output`}>{t.newJob.saveTo}</label>
      <OutputPicker
        id={`${prefix}-output`}
        output={output}
        originals={{ nextTo: null, replace: replaceReason(app, job) }}
        onTake={onOutput}
        describedBy={problem === null ? undefined : `${prefix}-replace-fault`}
      />
      <Fault id={`${prefix}-replace-fault`} text={problem && t.draftProblems[problem]} />
      {output.kind === 'beside' && (
        <>
          <span />
          <SubfolderField
            subfolder={output.subfolder}
            describedBy={`${prefix}-subfolder-fault`}
            onChange={(subfolder) => onOutput({ kind: 'beside', subfolder })}
          />
          <p class="hint error" id={`${prefix}-subfolder-fault`} role="alert">
            {subfolderFault(output.subfolder, t)}
          </p>
        </>
      )}
      {output.kind === 'drive' && (
        <>
          <label for={`${prefix}-drive`}>{t.newJob.folderId}</label>
          <input
            id={`${prefix}-drive`}
            class="field mono selectable"
            value={output.folderId}
            onInput={(event) => onOutput({ kind: 'drive', folderId: event.currentTarget.value.trim() })}
          />
        </>
      )}
    </>
  )
}
