/** Adds files from inside the app: file dialog, clipboard, drop. Shared by the page's calls, the menu and the tray. */
import type { Clipboard, OpenDialogOptions } from 'electron'
import type { Translation } from '../../shared/i18n/i18n.ts'
import { shownText } from '../../shared/paths.ts'
import { OPENABLE_EXTENSIONS } from '../../shared/media-types.ts'
import { savePastedImage, type Intake, type PastedImage } from '../intake/index.ts'
import { readCopied } from './clipboard/copied.ts'
import type { Dialogs } from './dialogs.ts'
import { UserFacingError } from './user-facing-error.ts'

export type AddMedia = ReturnType<typeof createAddMedia>

export function createAddMedia(options: {
  readonly intake: Pick<Intake, 'add' | 'addFound'>
  readonly dialogs: Dialogs
  readonly clipboard: Clipboard
  /** Default folder of the file dialogs; absolute. */
  readonly picturesFolder: string
  /** Folder for pasted images that have no file; absolute. */
  readonly pasteFolder: string
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly t: () => Translation
  /** Called when the user is about to choose files, so that the thumbnail worker can warm up. */
  readonly onExpected: () => void
}) {
  const { intake, dialogs, t } = options

  async function addImage(image: PastedImage): Promise<void> {
    const saved = await savePastedImage(image, { folder: options.pasteFolder, now: options.clock() })
    intake.addFound('reason' in saved ? { items: [], rejected: [saved] } : { items: [saved], rejected: [] })
  }

  function askFor(asked: OpenDialogOptions): Promise<readonly string[]> {
    options.onExpected()
    const common = { buttonLabel: t().dialog.add, defaultPath: options.picturesFolder }
    return dialogs.askToOpen({ ...common, ...asked })
  }

  const files = (): OpenDialogOptions => ({
    title: t().dialog.chooseFiles,
    filters: [
      { name: t().dialog.mediaFiles, extensions: withCapitals() },
      // The app accepts files by content, regardless of their extension.
      { name: t().dialog.allFiles, extensions: ['*'] },
    ],
    properties: ['openFile', 'multiSelections', 'dontAddToRecent'],
  })

  return {
    expectFiles: options.onExpected,
    addImage,
    /** @throws UserFacingError if the clipboard holds neither files nor an image */
    async pasteFromClipboard(): Promise<void> {
      const content = await readCopied(options.clipboard)
      if (content.kind === 'files') return intake.add(content.paths)
      if (content.kind === 'image') return addImage({ name: '', bytes: content.bytes })
      throw new UserFacingError('noImage', t().error.noImage)
    },
    chooseFiles: async (): Promise<void> => intake.add(await askFor(files())),
    chooseFolder: async (): Promise<void> =>
      intake.add(
        await askFor({
          title: t().dialog.chooseFolder,
          properties: ['openDirectory', 'multiSelections', 'dontAddToRecent'],
        }),
      ),
    /** Lets the user choose files to process with a preset. Resolves to an empty list if the user dismissed the dialog. */
    chooseToStart: (preset: string): Promise<readonly string[]> =>
      askFor({
        ...files(),
        title: t().dialog.chooseToStart({ preset: shownText(preset) }),
        buttonLabel: t().dialog.start,
      }),
  }
}

/** Returns all extensions in both cases, because GTK's file filter is case-sensitive. */
const withCapitals = (): string[] =>
  OPENABLE_EXTENSIONS.flatMap((extension) => [extension, extension.toUpperCase()])
