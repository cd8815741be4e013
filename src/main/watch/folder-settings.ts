/** Reads and writes the watched folders and their rules in the settings. */
import { type FolderRules, type FolderRulesChange, NO_RULES } from '../../shared/model/folder-rules.ts'
import type { WatchFolder, WatchFolderChange, WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { Settings } from '../settings/settings.ts'

export type FolderSettings = {
  readonly all: () => readonly WatchFolder[]
  /** null if this version can't read the rules. */
  readonly rulesOf: (id: string) => FolderRules | null
  /** The rules as the window shows them. */
  readonly viewOf: (id: string) => WatchFolderView['rules']
  /** @throws if the folder can't be watched */
  readonly save: (change: WatchFolderChange) => void
  readonly saveRules: (change: FolderRulesChange) => void
  readonly remove: (id: string) => void
  /** Serializes what requires a new scan when it changes. Other fields are read when needed. */
  readonly signatureOf: (folder: WatchFolder) => string
  /** Serializes what decides about files that wait. */
  readonly decidedBy: (folder: WatchFolder) => string
}

export function createFolderSettings(settings: Settings, newId: () => string): FolderSettings {
  const all = (): readonly WatchFolder[] => settings.view().watchFolders
  const stored = (id: string): FolderRules | null | undefined => settings.view().folderRules[id]
  const rulesOf = (id: string): FolderRules | null => {
    const rules = stored(id)
    return rules === undefined ? NO_RULES : rules
  }

  return {
    all,
    rulesOf,
    viewOf: (id) => (stored(id) === undefined ? 'none' : (stored(id) ?? 'unreadable')),
    save({ id, folder }) {
      const saved = { ...folder, id: id ?? newId() }
      settings.update({
        watchFolders: all().some((one) => one.id === saved.id)
          ? all().map((one) => (one.id === saved.id ? saved : one))
          : [...all(), saved],
      })
    },
    saveRules({ id, rules, rest }) {
      const { [id]: _replaced, ...others } = settings.view().folderRules
      settings.update({
        folderRules: rules === null ? others : { ...others, [id]: rules },
        watchFolders: all().map((folder) => (folder.id === id ? { ...folder, ...rest } : folder)),
      })
    },
    remove(id) {
      const { [id]: _removed, ...folderRules } = settings.view().folderRules
      settings.update({ watchFolders: all().filter((one) => one.id !== id), folderRules })
    },
    signatureOf: ({ path, recursive }) => JSON.stringify([path, recursive]),
    decidedBy: ({ id, service, presets, output }) => JSON.stringify([service, presets, output, rulesOf(id)]),
  }
}
