import type { DraftOutput } from '../../shared/model/draft.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { Combobox } from '../ui/combobox.tsx'
import type { Option, OptionGroup } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'

const FOLDER = 'folder:'
const DRIVE = 'drive'
const NEXT_TO_ORIGINALS = 'beside'
const CHOOSE = 'choose'

type OutputPickerProps = {
  readonly id: string
  readonly output: DraftOutput
  readonly onTake: (output: DraftOutput) => unknown
  /** Why results can't be saved next to the originals; null if they can. Without it, this isn't offered. */
  readonly originalsReason?: string | null
  /** An additional first option. */
  readonly first?: { readonly option: Option; readonly isChosen: boolean; readonly onChoose: () => void }
  readonly describedBy?: string | undefined
}

/** Chooses where results are saved. "Choose folder…" opens the system's dialog. */
export function OutputPicker({ id, output, onTake, originalsReason, first, describedBy }: OutputPickerProps) {
  const app = useApp()
  const t = useTranslation()
  const groups = [
    ...(first === undefined ? [] : [{ options: [first.option] }]),
    ...outputGroups(app, output, originalsReason),
  ]
  const chosen = first?.isChosen ? first.option.value : outputValue(output)
  const shown = groups.flatMap(({ options }) => options).find(({ value }) => value === chosen)
  return (
    <Combobox
      id={id}
      label={t.newJob.saveTo}
      groups={groups}
      chosen={[chosen]}
      aria-describedby={describedBy}
      onChoose={(value) =>
        value === first?.option.value ? first.onChoose() : void chooseOutput(app, value, output, onTake)
      }
    >
      {shown?.icon && <Icon name={shown.icon} />}
      <bdi class="truncate">{shown?.label}</bdi>
    </Combobox>
  )
}

export function outputValue(output: DraftOutput): string {
  if (output.kind === 'folder') return FOLDER + output.path
  return output.kind === 'beside' ? NEXT_TO_ORIGINALS : output.kind
}

/** Returns the current, default and recent folders, then the originals' folders, then Drive. */
export function outputGroups(
  app: App,
  output: DraftOutput,
  originalsReason?: string | null,
): readonly OptionGroup[] {
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
    ...(originalsReason === undefined ? [] : [withOriginals(originalsReason, t)]),
    { label: t.newJob.drive, options: [{ value: DRIVE, label: t.newJob.driveTarget, icon: 'drive' }] },
  ]
}

/** @param reason why it can't be chosen; null if it can */
const withOriginals = (reason: string | null, t: WindowTranslation): OptionGroup => ({
  label: t.newJob.withOriginals,
  options: [
    {
      value: NEXT_TO_ORIGINALS,
      label: t.newJob.nextToOriginals,
      icon: 'twoFolders',
      ...(reason === null ? {} : { why: reason, disabled: true }),
    },
  ],
})

/** Opens the system's dialog to choose a folder. */
export async function chooseOutputFolder(app: App, take: (output: DraftOutput) => unknown): Promise<void> {
  const chosen = await app.attempt(app.bridge.draft.chooseOutput())
  if (chosen) await take(chosen)
}

export async function chooseOutput(
  app: App,
  value: string,
  current: DraftOutput,
  take: (output: DraftOutput) => unknown,
): Promise<void> {
  // Only the built-in service's drive can be browsed. For another service, the user enters the ID.
  if (value === DRIVE && app.state.connection.value.kind === 'builtIn') {
    app.overlays.dialog.value = {
      kind: 'driveFolder',
      use: async (folderId) => void (await take({ kind: 'drive', folderId })),
    }
    return
  }
  if (value === outputValue(current)) return
  if (value === DRIVE) await take({ kind: 'drive', folderId: '' })
  else if (value === NEXT_TO_ORIGINALS) await take({ kind: 'beside', subfolder: null })
  else if (value.startsWith(FOLDER)) await take({ kind: 'folder', path: value.slice(FOLDER.length) })
  else await chooseOutputFolder(app, take)
}
