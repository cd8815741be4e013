/** Dependencies of the IPC handlers. Each handler picks what it needs. */
import type { App, BrowserWindow, Clipboard, NativeImage, Shell } from 'electron'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { AppFacts } from '../../../shared/model/app-facts.ts'
import type { Core } from '../../core/index.ts'
import type { Estimates } from '../../estimate/estimate.ts'
import type { PresetFiles } from '../../presets/presets.ts'
import type { Previews } from '../../preview/preview.ts'
import type { ChangeFeed } from '../../state/state.ts'
import type { ClipboardControl } from '../clipboard/clipboard-control.ts'
import type { AddMedia } from '../add-media.ts'
import type { OpenPath } from '../open-path.ts'
import type { Shell as DesktopShell } from '../shell.ts'
import type { createChosenFolders } from './chosen-folders.ts'
import type { createChosenPrograms } from './chosen-programs.ts'

export type PageParts = Pick<DesktopShell, 'dialogs' | 'watch' | 'platform' | 't'> & {
  readonly core: Core
  readonly feed: Pick<ChangeFeed, 'snapshot'>
  readonly app: Pick<App, 'getLocale' | 'getVersion' | 'getPath' | 'quit'>
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath' | 'openExternal'>
  readonly clipboard: Pick<Clipboard, 'writeText'>
  readonly window: { pageIsReady(): void; current(): BrowserWindow | undefined }
  readonly tray: { isShown(): boolean }
  readonly integration: {
    stayOpen(): void
    readonly desktopBindsShortcuts: boolean
    readonly desktopMayRefuseShortcuts: boolean
  }
  readonly addMedia: AddMedia
  readonly clipboardJobs: Pick<ClipboardControl, 'undo' | 'canTellFrontApp'>
  readonly fileManagerMenu: AppFacts['fileManagerMenu']
  readonly noticesFile: string
  /** Default folder of dialogs; absolute. */
  readonly picturesFolder: string
  /** The command for an assistant's configuration; null if this copy's path changes, because assistants couldn't find the command later. */
  readonly assistantCommand: string | null
  /** Image that is shown under the pointer while a result is dragged. */
  readonly dragIcon: () => NativeImage
}

/** Modules that exist only in the app with a window. */
export type PageExtras = Pick<Handlers, 'updates'> & {
  readonly presets: PresetFiles
  readonly previews: Previews
  readonly estimates: Pick<Estimates, 'setVisible' | 'setUnsavedPreset' | 'snapshot' | 'keepingFormat'>
  readonly drive: Omit<Handlers['drive'], 'chooseRclone'>
  readonly diagnostics: () => Promise<string>
}

/** Whether the app may send a request to a service at this base URL. Asks the user if necessary. */
export type MayReach = (baseUrl: string) => Promise<boolean>

export type Page = Core &
  Omit<PageParts, 'core'> &
  PageExtras & {
    readonly openPath: OpenPath
    readonly folders: ReturnType<typeof createChosenFolders>
    readonly programs: ReturnType<typeof createChosenPrograms>
    readonly mayReach: MayReach
  }
