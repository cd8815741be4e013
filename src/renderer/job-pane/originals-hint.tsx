import { useSignal } from '@preact/signals'
import type { Draft, DraftOutput } from '../../shared/model/draft.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { chooseOutputFolder, replaceReason, type OriginalsReasons } from '../pickers/output-picker.tsx'
import { subfolderFault } from '../pickers/subfolder-field.tsx'
import { useApp, useViewTranslation, type App, viewTranslation } from '../store/app.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

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
  const {
    output: { subfolder, presetFolder },
    onTake,
  } = props
  const app = useApp()
  const t = useViewTranslation()
  const fault = subfolderFault(subfolder, t)
  const { folders, unwritable } = app.state.draftFacts.value
  if (fault !== null) {
    return (
      <p class="field-column hint error" id="originals-hint" role="alert">
        <Icon name="warn" />
        <span>{fault}</span>
      </p>
    )
  }
  if (unwritable.length > 0) return <Unwritable onTake={onTake} />
  const sentences = [
    ...(folders < 2 ? [] : [t.newJob.originalsHint({ count: folders })]),
    ...(presetFolder === undefined ? [] : [t.newJob.presetFolderHint({ name: presetFolder })]),
  ]
  if (sentences.length === 0) return null
  return (
    <p class="field-column hint" id="originals-hint">
      {t.sentences(sentences)}
    </p>
  )
}

/** Number of folders that are named before the user expands the list. */
const NAMED = 2

function Unwritable({ onTake }: { readonly onTake: (output: DraftOutput) => unknown }) {
  const app = useApp()
  const t = useViewTranslation()
  const shown = useSignal(false)
  const { unwritable } = app.state.draftFacts.value
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
            {t.newJob.unwritableFolders({ count: unwritable.length })}{' '}
            <LinkButton
              label={shown.value ? t.newJob.hide : t.newJob.show}
              onPress={() => {
                shown.value = !shown.value
              }}
            />
            {shown.value ? ' ' : ' · '}
          </>
        )}
        {named.map(({ folder, files }) => (
          <span key={folder} class={folds ? 'block' : ''}>
            {t.newJob.unwritable({
              folder: shortPath(folder, app.facts.homeFolder),
              count: files,
              target,
            })}{' '}
          </span>
        ))}
        <LinkButton label={t.newJob.chooseAnother} onPress={() => void chooseOutputFolder(app, onTake)} />
      </span>
    </div>
  )
}
