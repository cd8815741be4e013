/** Reads and writes the watched folders and their rules in the settings. */
import { type FolderRules, type FolderRulesChange, NO_RULES } from '../../shared/model/folder-rules.ts'
import type { WatchFolder, WatchFolderChange, WatchFolderView } from '../../shared/model/watch-folder.ts'
import type { Settings } from '../settings/settings.ts'

export type FolderSettings = ReturnType<typeof createFolderSettings>

export function createFolderSettings(settings: Settings, newId: () => string) {
  const all = (): readonly WatchFolder[] => settings.view().watchFolders
  const stored = (id: string): FolderRules | null | undefined => settings.view().folderRules[id]
  /** Returns a folder's rules; null if this version can't read them. */
  const rulesOf = (id: string): FolderRules | null => {
    const rules = stored(id)
    return rules === undefined ? NO_RULES : rules
  }

  return {
    all,
    rulesOf,
    viewOf: (id: string): WatchFolderView['rules'] =>
      stored(id) === undefined ? 'none' : (stored(id) ?? 'unreadable'),
    /** @throws if the settings are invalid or can't be stored */
    save: ({ id, folder }: WatchFolderChange): void => {
      const saved = { ...folder, id: id ?? newId() }
      settings.update({
        watchFolders: all().some((one) => one.id === saved.id)
          ? all().map((one) => (one.id === saved.id ? saved : one))
          : [...all(), saved],
      })
    },
    saveRules: ({ id, rules, rest }: FolderRulesChange): void => {
      const { [id]: _replaced, ...others } = settings.view().folderRules
      settings.update({
        folderRules: rules === null ? others : { ...others, [id]: rules },
        watchFolders: all().map((folder) => (folder.id === id ? { ...folder, ...rest } : folder)),
      })
    },
    remove: (id: string): void => {
      const { [id]: _removed, ...folderRules } = settings.view().folderRules
      settings.update({ watchFolders: all().filter((one) => one.id !== id), folderRules })
    },
    /** Serializes the fields that require a new scan when they change. Other fields are read when needed. */
    signatureOf: ({ path, recursive }: WatchFolder): string => JSON.stringify([path, recursive]),
    /** Serializes the settings that decide what happens to waiting files. */
    decidedBy: ({ id, service, presets, output }: WatchFolder): string =>
      JSON.stringify([service, presets, output, rulesOf(id)]),
  }
}
