/** What the page may ask for, call by call: each group gets the modules that it uses, and no other. */
import type { App, Clipboard, NativeImage, Shell } from 'electron'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { Core } from '../../core/index.ts'
import { unsavedPreset, type Forecasts } from '../../forecast/forecast.ts'
import type { PresetFiles } from '../../presets/presets.ts'
import type { AddMedia } from '../add-media.ts'
import type { Dialogs } from '../dialogs.ts'
import {
  appHandlers,
  diagnosticsHandlers,
  type AppHandlerDeps,
  type DiagnosticsHandlerDeps,
} from './app-handlers.ts'
import { draftHandlers } from './draft-handlers.ts'
import { createChosenFolders } from './chosen-folders.ts'
import { chooseRclone } from './drive-handlers.ts'
import { previewHandlers, type PreviewHandlerDeps } from './preview-handlers.ts'
import { fileHandlers, type FileHandlerDeps } from './file-handlers.ts'
import { presetHandlers } from './preset-handlers.ts'
import { connectionHandlers, watchHandlers, type WatchHandlerDeps } from './service-handlers.ts'
import { historyHandlers, outboxHandlers, workHandlers } from './work-handlers.ts'

export type PageParts = {
  readonly core: Core
  readonly feed: AppHandlerDeps['feed']
  readonly app: Pick<App, 'getVersion' | 'getPath' | 'quit'>
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath' | 'openExternal'>
  readonly clipboard: Pick<Clipboard, 'writeText'>
  readonly platform: AppHandlerDeps['platform']
  readonly window: AppHandlerDeps['window'] & FileHandlerDeps['window']
  readonly tray: AppHandlerDeps['tray']
  readonly integration: AppHandlerDeps['integration']
  readonly dialogs: Dialogs
  readonly addMedia: AddMedia
  readonly watch: WatchHandlerDeps['watch']
  readonly noticesFile: string
  readonly dragIcon: () => NativeImage
  readonly t: () => Translation
}

/** Modules that only an app with a window has. */
export type PageExtras = Pick<Handlers, 'updates'> & {
  readonly presets: PresetFiles
  readonly forecasts: Pick<Forecasts, 'look' | 'lookWith' | 'onShow'>
  readonly drive: Omit<Handlers['drive'], 'chooseRclone'>
} & Pick<DiagnosticsHandlerDeps, 'diagnostics'> &
  Pick<PreviewHandlerDeps, 'previews'>

export function createHandlers(parts: PageParts, extras: PageExtras): Handlers {
  const { core, shell, window, platform, t } = parts
  const { settings, connection, outbox, history, drafts, intake, knownPaths, tracker, sender } = core
  const picturesFolder = parts.app.getPath('pictures')
  const { presets, drive, updates, diagnostics, forecasts } = extras
  const folders = createChosenFolders({
    dialogs: parts.dialogs,
    settings,
    draftOutput: () => drafts.store.view().output,
    platform,
    t,
  })
  const { dialogs } = folders

  return {
    app: appHandlers({ ...parts, notices: core.notices }),
    updates,
    draft: draftHandlers({
      drafts,
      intake,
      connection,
      addMedia: parts.addMedia,
      dialogs,
      folders,
      drive,
      forecasts,
      picturesFolder,
      t,
    }),
    work: workHandlers({ history, drafts, tracker, connection, knownPaths, dialogs, t }),
    outbox: outboxHandlers({ outbox, sender, drafts, settings }),
    history: historyHandlers({ history, knownPaths, dialogs, t }),
    files: fileHandlers({ shell, window, access: core.fileAccess, dragIcon: parts.dragIcon, t }),
    connection: connectionHandlers({ connection, settings, dialogs, t }),
    settings: {
      update(patch) {
        folders.requireOutput(patch.defaultOutput)
        return settings.update(patch)
      },
    },
    presets: presetHandlers({ presets, settings, drafts, outbox, history, connection, dialogs, shell, t }),
    preview: previewHandlers({
      previews: extras.previews,
      access: core.fileAccess,
      knownPaths,
      draft: () => drafts.store.view(),
      history,
      dialogs: parts.dialogs,
      picturesFolder,
      t,
    }),
    forecast: {
      look: (isLooking) => forecasts.look(isLooking),
      lookWith: (wish) => forecasts.lookWith(wish && unsavedPreset(wish.preset, wish.part)),
    },
    drive: { ...drive, chooseRclone: chooseRclone({ settings, dialogs, setup: () => drive.setup(), t }) },
    watch: watchHandlers({ watch: parts.watch, dialogs, folders, picturesFolder, t }),
    diagnostics: diagnosticsHandlers({ diagnostics, dialogs, t }),
  }
}
