import type { Handlers } from '../../../shared/ipc/contract.ts'
import { unsavedPreset } from '../../estimate/estimate.ts'
import { createOpenPath } from '../open-path.ts'
import { afterJobHandlers } from './after-job-handlers.ts'
import { receiverHandlers } from './receiver-handlers.ts'
import { appHandlers, diagnosticsHandlers } from './app-handlers.ts'
import { assistantHandlers } from './assistant-handlers.ts'
import { createMayReach } from './confirmed-services.ts'
import { createChosenFolders } from './chosen-folders.ts'
import { createChosenPrograms } from './chosen-programs.ts'
import { draftHandlers } from './draft-handlers.ts'
import { chooseRclone } from './drive-handlers.ts'
import { fileHandlers } from './file-handlers.ts'
import type { Page, PageExtras, PageParts } from './page.ts'
import { presetHandlers } from './preset-handlers.ts'
import { previewHandlers } from './preview-handlers.ts'
import { settingsHandlers } from './settings-handlers.ts'
import { connectionHandlers, watchHandlers } from './service-handlers.ts'
import { historyHandlers, outboxHandlers, vaultHandlers, jobHandlers } from './job-handlers.ts'

export function createHandlers({ core, ...parts }: PageParts, extras: PageExtras): Handlers {
  const folders = createChosenFolders({ ...core, ...parts })
  const programs = createChosenPrograms({ ...core, ...parts })
  const page: Page = {
    ...core,
    ...parts,
    ...extras,
    openPath: createOpenPath(parts.shell, parts.platform),
    folders,
    programs,
    mayReach: createMayReach({ ...core, ...parts }),
    dialogs: folders.dialogs,
  }
  const { estimates, drive } = page
  return {
    app: appHandlers(page),
    updates: page.updates,
    draft: draftHandlers(page),
    jobs: jobHandlers(page),
    outbox: outboxHandlers(page),
    afterJob: afterJobHandlers(page),
    receivers: receiverHandlers(page),
    assistants: assistantHandlers(page),
    vault: vaultHandlers(page),
    history: historyHandlers(page),
    files: fileHandlers(page),
    ...connectionHandlers(page),
    settings: settingsHandlers(page),
    presets: presetHandlers(page),
    preview: previewHandlers(page),
    clipboard: { undo: (run) => page.clipboardJobs.undo(run) },
    estimate: {
      look: (isVisible) => estimates.setVisible(isVisible),
      lookWith: (request) =>
        estimates.setUnsavedPreset(request && unsavedPreset(request.preset, request.part)),
    },
    drive: { ...drive, chooseRclone: chooseRclone(page) },
    watch: watchHandlers(page),
    diagnostics: diagnosticsHandlers(page),
  }
}
