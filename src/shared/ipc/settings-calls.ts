/** The calls that change settings, or move them between computers. */
import * as z from 'zod'
import type { Settings } from '../model/settings.ts'
import type { SettingsImportView } from '../model/settings-import.ts'
import { settingsPatch } from './arguments.ts'
import { gives, takes, type Contract } from './call.ts'

export const settingsCalls = {
  /** Returns all settings after the change. */
  update: takes(settingsPatch).gives<Settings>(),
  /** Returns null if the user dismissed the dialog. */
  export: gives<{ readonly savedAs: string } | null>(),
  /**
   * Opens a file dialog and compares the file with the settings. Changes nothing. Returns null if the user dismissed the dialog, and
   * `notSettings` for any other file.
   */
  chooseImport: gives<SettingsImportView | 'notSettings' | null>(),
  /** Imports these settings of the chosen file, and its presets. Returns the names of presets that are invalid. */
  import: takes(
    z.strictObject({ names: z.array(z.string().max(100)).max(1_000), presets: z.boolean() }),
  ).gives<readonly string[]>(),
  /** Reverts the last import. */
  undoImport: gives<void>(),
} as const satisfies Contract[string]
