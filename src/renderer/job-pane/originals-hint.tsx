import { useSignal } from '@preact/signals'
import type { Draft, DraftOutput } from '../../shared/model/draft.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { baseName } from '../../shared/paths.ts'
import { chooseOutputFolder, replaceReason, type OriginalsReasons } from '../pickers/output-picker.tsx'
import { subfolderFault } from '../pickers/subfolder-field.tsx'
import { type App, viewTranslation, useView } from '../store/app.ts'
import { draftParts } from '../store/draft-contents.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Fault } from '../ui/fault.tsx'

export function originalsReasons(app: App, draft: Draft): OriginalsReasons {
  const { notForDrive, notUploaded } = viewTranslation(app).newJob
  const seesFiles = app.state.draftConnection.value.seesFiles
  return {
    nextTo: draft.source.kind === 'drive' ? notForDrive : seesFiles ? null : notUploaded,
    replace: replaceReason(app, draft),
  }
}

/** Shows what is wrong with the subfolder's name, which folders can't be written, or where the results are saved. */
export function OriginalsHint(props: {
  readonly output: Extract<DraftOutput, { readonly kind: 'beside' }>
  readonly onTake: (output: DraftOutput) => unknown
}) {
  const { output, onTake } = props
  const { subfolder, presetFolder } = output
  const { app, t } = useView()
  const fault = subfolderFault(subfolder, t)
  const folders = resultsByFolder(app)
  const unwritable = unwritableFolders(app, folders)
  if (fault !== null) return <Fault class="field-column" id="originals-hint" text={fault} hasIcon />
  if (unwritable.length > 0) return <Unwritable unwritable={unwritable} onTake={onTake} />
  const sentences = [
    ...(folders.size < 2 ? [] : [t.newJob.originalsHint({ count: folders.size })]),
    ...(presetFolder === undefined ? [] : [t.newJob.presetFolderHint({ name: presetFolder })]),
  ]
  if (sentences.length === 0) return null
  return (
    <p class="field-column hint" id="originals-hint">
      {t.sentences(sentences)}
    </p>
  )
}

/** Counts the draft's results by the folders of their originals. Files that are skipped have none. */
function resultsByFolder(app: App): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { items } of draftParts(app))
    for (const { path } of items) {
      const folder = path.slice(0, -baseName(path).length)
      counts.set(folder, (counts.get(folder) ?? 0) + app.state.draft.value.variations)
    }
  return counts
}

type UnwritableFolder = { readonly folder: string; readonly results: number }

/** Returns the folders in which results can't be saved, and how many results go to another folder instead. */
function unwritableFolders(app: App, counts: ReadonlyMap<string, number>): readonly UnwritableFolder[] {
  return app.state.draftFacts.value.unwritable.flatMap((folder) => {
    const results = ['/', '\\', ''].map((separator) => counts.get(folder + separator)).find((count) => count)
    return results === undefined ? [] : [{ folder, results }]
  })
}

/** Maximum number of folders that are named immediately. A longer list is collapsed completely. */
const NAMED = 2

function Unwritable(props: {
  readonly unwritable: readonly UnwritableFolder[]
  readonly onTake: (output: DraftOutput) => unknown
}) {
  const { unwritable, onTake } = props
  const { app, t } = useView()
  const shown = useSignal(false)
  const { defaultOutput } = app.state.settings.value
  const target =
    defaultOutput?.kind === 'folder'
      ? shortPath(defaultOutput.path, app.facts.homeFolder)
      : t.newJob.automaticFolder
  const folds = unwritable.length > NAMED
  const named = folds && !shown.value ? [] : unwritable
  return (
    <div class="field-column hint warning" id="originals-hint" role="status">
      <Icon name="warn" />
      <span>
        {folds && (
          <>
            {t.newJob.unwritableFolders({ count: unwritable.length })}
            {t.punctuation.betweenSentences}
            <LinkButton
              label={shown.value ? t.newJob.hide : t.newJob.show}
              onPress={() => (shown.value = !shown.value)}
            />
            {shown.value ? ' ' : ' · '}
          </>
        )}
        {named.map(({ folder, results }) => (
          <span key={folder} class={folds ? 'block' : ''}>
            {t.newJob.unwritable({
              folder: shortPath(folder, app.facts.homeFolder),
              count: results,
              target,
            })}
            {t.punctuation.betweenSentences}
          </span>
        ))}
        <LinkButton label={t.newJob.chooseAnother} onPress={() => void chooseOutputFolder(app, onTake)} />
      </span>
    </div>
  )
}
