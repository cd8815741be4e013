import type { DraftOutput } from '../../shared/model/draft.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { type App, viewTranslation, useView } from '../store/app.ts'
import { replaceProblem } from '../store/start-status.ts'
import { Combobox } from '../ui/combobox.tsx'
import type { Option, OptionGroup } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'

const FOLDER = 'folder:'
const DRIVE = 'drive'
const NEXT_TO_ORIGINALS = 'beside'
const REPLACE_ORIGINALS = 'replace'
const CHOOSE = 'choose'

/** Why results can't be saved next to the originals or replace them; null if they can. */
export type OriginalsReasons = { readonly nextTo: string | null; readonly replace: string | null }

/** Why results can't replace the originals, in a few words; null if they can. */
export function replaceReason(app: App, draft: Parameters<typeof replaceProblem>[1]): string | null {
  const { notForDrive, otherComputer, needsOnePreset, notWithVariations, notWithAudio } =
    viewTranslation(app).newJob
  const problem = replaceProblem(app, draft)
  const words = {
    replaceNotForDrive: notForDrive,
    replaceNeedsLocalService: otherComputer,
    replaceNeedsOnePreset: needsOnePreset,
    replaceNotWithVariations: notWithVariations,
    replaceNotWithAudio: notWithAudio,
  }
  return problem === null ? null : words[problem]
}

/** Chooses where results are saved. "Choose folder…" opens the system's dialog. */
export function OutputPicker(props: {
  readonly id: string
  readonly output: DraftOutput
  readonly onTake: (output: DraftOutput) => unknown
  readonly originals: OriginalsReasons
  /** An additional first option. */
  readonly first?: { readonly option: Option; readonly isChosen: boolean; readonly onChoose: () => void }
  readonly describedBy?: string | undefined
}) {
  const { id, output, onTake, originals, first, describedBy } = props
  const { app, t } = useView()
  const groups = [
    ...(first === undefined ? [] : [{ options: [first.option] }]),
    ...outputGroups(app, output, originals),
  ]
  const chosen = first?.isChosen ? first.option.value : outputValue(output)
  const shown = groups.flatMap(({ options }) => options).find(({ value }) => value === chosen)
  return (
    <Combobox
      listed={t.listed}
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

export const outputValue = (output: DraftOutput): string =>
  output.kind === 'folder' ? FOLDER + output.path : output.kind

/** Returns the default, current and recent folders, then the choices next to or instead of the originals, then Drive. */
export function outputGroups(
  app: App,
  output: DraftOutput,
  originals: OriginalsReasons,
): readonly OptionGroup[] {
  const t = viewTranslation(app)
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
    withOriginals(app, originals),
    { label: t.newJob.drive, options: [{ value: DRIVE, label: t.outputs.driveTarget, icon: 'drive' }] },
  ]
}

function withOriginals(app: App, { nextTo, replace }: OriginalsReasons): OptionGroup {
  const { outputs, newJob } = viewTranslation(app)
  const days = app.state.settings.value.keepOriginalsDays
  return {
    label: newJob.withOriginals,
    options: [
      {
        value: NEXT_TO_ORIGINALS,
        label: outputs.nextToOriginals,
        icon: 'twoFolders',
        ...unlessPossible(nextTo),
      },
      {
        value: REPLACE_ORIGINALS,
        label: outputs.replaceOriginals,
        icon: 'swap',
        why: days === null ? newJob.undoAnytime : newJob.undoFor({ count: days }),
        ...unlessPossible(replace),
      },
    ],
  }
}

const unlessPossible = (why: string | null) => (why === null ? {} : { why, disabled: true })

export async function chooseOutputFolder(app: App, take: (output: DraftOutput) => unknown): Promise<void> {
  const chosen = await app.attempt(app.bridge.draft.chooseOutput())
  if (chosen) await take(chosen)
}

/**
 * Whether the user can browse the drive, which only the built-in service supports. For another service, the user enters the ID. Without
 * a drive, the composer explains what is missing.
 */
function canBrowseDrive(app: App): boolean {
  const { connection, draftConnection } = app.state
  const { kind, drive } = connection.value
  return draftConnection.value === connection.value && kind === 'builtIn' && drive?.clientConfigured !== false
}

export async function chooseOutput(
  app: App,
  value: string,
  current: DraftOutput,
  take: (output: DraftOutput) => unknown,
): Promise<void> {
  if (value === DRIVE && canBrowseDrive(app)) {
    app.overlays.folderPicker.value = {
      use: async (folderId) => void (await take({ kind: 'drive', folderId })),
    }
    return
  }
  if (value === outputValue(current)) return
  if (value === DRIVE) await take({ kind: 'drive', folderId: '' })
  else if (value === NEXT_TO_ORIGINALS) await take({ kind: 'beside', subfolder: null })
  else if (value === REPLACE_ORIGINALS) await take({ kind: 'replace' })
  else if (value.startsWith(FOLDER)) await take({ kind: 'folder', path: value.slice(FOLDER.length) })
  else await chooseOutputFolder(app, take)
}
