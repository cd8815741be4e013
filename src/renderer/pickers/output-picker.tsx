import type { DraftOutput, OutputTarget } from '../../shared/model/draft.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { useApp, type App } from '../store/app.ts'
import { Select, type Option, type OptionGroup } from '../ui/form-controls.tsx'

const FOLDER = 'folder:'
const DRIVE = 'drive'
const CHOOSE = 'choose'

type OutputPickerProps = {
  readonly id: string
  readonly output: DraftOutput
  readonly onTake: (output: OutputTarget) => unknown
}

export function OutputPicker({ id, output, onTake }: OutputPickerProps) {
  const app = useApp()
  return (
    <Select
      id={id}
      value={outputValue(output)}
      groups={outputGroups(app, output)}
      onChoose={(value) => void chooseOutput(app, value, onTake)}
    />
  )
}

export const outputValue = (output: DraftOutput): string =>
  output.kind === 'folder' ? FOLDER + output.path : DRIVE

/** Returns the current, default and recent folders, then Drive. */
export function outputGroups(app: App, output: DraftOutput): readonly OptionGroup[] {
  const t = app.t.value
  const { defaultOutput, recentOutputs } = app.state.settings.value
  const standard = defaultOutput?.kind === 'folder' ? defaultOutput.path : null
  const shown = output.kind === 'folder' ? output.path : null
  const paths = [...new Set([standard, shown, ...recentOutputs])].filter(
    (path): path is string => path !== null && path !== '',
  )
  const folders = paths.map((path): Option => ({
    value: FOLDER + path,
    label: shortPath(path, app.facts.homeFolder),
    icon: 'folder',
    ...(path === standard ? { why: t.newJob.isDefault } : {}),
  }))
  return [
    {
      label: t.newJob.thisComputer,
      options: [...folders, { value: CHOOSE, label: t.newJob.chooseFolderOption, icon: 'plus' }],
    },
    { label: t.newJob.drive, options: [{ value: DRIVE, label: t.newJob.driveTarget, icon: 'drive' }] },
  ]
}

/** Opens the system's dialog to choose a folder. */
export const chooseOutputFolder = (app: App, take: (output: OutputTarget) => unknown): Promise<void> =>
  chooseOutput(app, CHOOSE, take)

/** Applies the chosen option. "Choose folder…" opens the system's dialog first. */
export async function chooseOutput(
  app: App,
  value: string,
  take: (output: OutputTarget) => unknown,
): Promise<void> {
  if (value === DRIVE) await take({ kind: 'drive', folderId: '' })
  else if (value.startsWith(FOLDER)) await take({ kind: 'folder', path: value.slice(FOLDER.length) })
  else {
    const chosen = await app.attempt(app.bridge.draft.chooseOutput())
    if (chosen) await take(chosen)
  }
}
