import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { AssistantActivity } from '../../../shared/model/assistant-activity.ts'
import type { AllowedFolder, AssistantAccess } from '../../../shared/model/assistants.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Page } from './page.ts'

/** Number of activities in the settings. */
const SHOWN = 3

export function assistantHandlers(page: Page): Handlers['assistants'] {
  const { settings, history, dialogs, assistantCommand, picturesFolder, t } = page
  /** Folders that the user removed, by path. The page can't allow any other folder. */
  const removed = new Map<string, AllowedFolder>()

  function change(next: Partial<AssistantAccess>): void {
    const usualOutput = join(picturesFolder, 'Mediatray')
    settings.update({ assistants: { ...settings.view().assistants, usualOutput, ...next } })
  }

  function allow(folder: AllowedFolder): void {
    const others = settings.view().assistants.folders.filter(({ path }) => path !== folder.path)
    change({ folders: [...others, folder] })
  }

  return {
    switch: (enabled) => change({ enabled }),
    async addFolder() {
      const [path] = await dialogs.askToOpen({
        title: t().dialog.chooseForAssistants,
        buttonLabel: t().dialog.choose,
        defaultPath: picturesFolder,
        properties: ['openDirectory', 'createDirectory', 'dontAddToRecent'],
      })
      if (path !== undefined) allow({ path, realPath: await realpath(path) })
    },
    removeFolder(path) {
      const { folders } = settings.view().assistants
      for (const folder of folders) if (folder.path === path) removed.set(path, folder)
      change({ folders: folders.filter((folder) => folder.path !== path) })
    },
    restoreFolder(path) {
      const folder = removed.get(path)
      if (folder === undefined) throw new UserFacingError('folderNotChosen', t().error.folderNotChosen)
      allow(folder)
    },
    command: () => assistantCommand,
    activity: () => activityIn(history),
  }
}

function activityIn(history: Pick<Page['history'], 'page' | 'refusals'>): readonly AssistantActivity[] {
  const { records } = history.page({ by: 'assistant' }, { offset: 0, limit: SHOWN, unfinished: true })
  const jobs = records.map((job) => ({ kind: 'job', job }) as const)
  const refusals = history.refusals.newest(SHOWN).map((one) => ({ kind: 'refused', ...one }) as const)
  return [...jobs, ...refusals].toSorted((one, other) => timeOf(other) - timeOf(one)).slice(0, SHOWN)
}

const timeOf = (activity: AssistantActivity): number =>
  activity.kind === 'job' ? activity.job.createdAt : activity.at
