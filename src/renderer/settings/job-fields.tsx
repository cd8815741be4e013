import { OutputPicker, replaceReason } from '../pickers/output-picker.tsx'
import { PresetPicker } from '../pickers/preset-picker.tsx'
import { subfolderFault, SubfolderField } from '../pickers/subfolder-field.tsx'
import { useViewTranslation, useApp, type App, viewTranslation } from '../store/app.ts'
import { connectionOf } from '../store/services.ts'
import { replaceProblem } from '../store/start-status.ts'
import type { WatchedOutput } from '../../shared/model/stored-output.ts'

/** What happens to files of a watched folder. */
export type WatchedJob = {
  readonly service: string | undefined
  readonly presets: readonly string[]
  readonly output: WatchedOutput
  readonly variations: number
}

/** Whether the output has to be changed before the job can be saved. The field of the output shows the reason. */
export function hasJobFault(app: App, { output, ...job }: WatchedJob): boolean {
  if (output.kind === 'replace') return replaceProblem(app, job) !== null
  return output.kind === 'beside' && subfolderFault(output.subfolder, viewTranslation(app)) !== null
}

/** The presets and the output of a watched folder or a rule. */
export function JobFields(
  props: WatchedJob & {
    /** Prefix of the fields' IDs. */
    readonly prefix: string
    readonly onPresets: (presets: readonly string[]) => void
    readonly onOutput: (output: WatchedOutput) => void
  },
) {
  const { prefix, output, onPresets, onOutput, ...job } = props
  const app = useApp()
  const t = useViewTranslation()
  const problem = output.kind === 'replace' ? replaceProblem(app, job) : null
  return (
    <>
      <label for={`${prefix}-preset`}>{t.newJob.preset}</label>
      <PresetPicker
        id={`${prefix}-preset`}
        presets={job.presets}
        service={connectionOf(app, job)}
        hasTasks
        onChoose={onPresets}
      />
      <label for={`${prefix}-output`}>{t.newJob.saveTo}</label>
      <OutputPicker
        id={`${prefix}-output`}
        output={output}
        originals={{ nextTo: null, replace: replaceReason(app, job) }}
        onTake={onOutput}
        describedBy={problem === null ? undefined : `${prefix}-replace-fault`}
      />
      {problem !== null && (
        <p class="hint error" id={`${prefix}-replace-fault`} role="alert">
          {t.draftProblems[problem]}
        </p>
      )}
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
