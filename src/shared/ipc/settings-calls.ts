/** The calls that change settings, or move them between computers. */
import * as z from 'zod'
import type { Settings } from '../model/settings.ts'
import type { SettingsImportView } from '../model/settings-import.ts'
import { settingsPatch } from './arguments.ts'
import { gives, takes, type Contract } from './call.ts'

export const settingsCalls = {
  /** Returns all settings after the change. */
  update: takes(settingsPatch).gives<Settings>(),
  /**
   * Returns null if the user dismissed the dialog. Exports nothing if settings can't be read. `leftOut`: invalid presets, and settings of a
   * newer version
   */
  export: gives<
    | { readonly savedAs: string; readonly leftOut: readonly string[] }
    | { readonly unread: readonly string[] }
    | null
  >(),
  /**
   * Opens a file dialog and compares the file with the settings. Changes nothing. Returns null if the user dismissed the dialog, and
   * `notSettings` for any other file.
   */
  chooseImport: gives<SettingsImportView | 'notSettings' | null>(),
  /**
   * Imports these settings of the chosen file, and its presets if `presets` is set. Returns `names`: the imported settings; `unsaved`:
   * names of invalid presets; and `unconfirmed`: services that weren't imported, because the user didn't confirm them.
   */
  import: takes(
    z.strictObject({ names: z.array(z.string().max(100)).max(1_000), presets: z.boolean() }),
  ).gives<{
    readonly names: readonly string[]
    readonly unsaved: readonly string[]
    readonly unconfirmed: readonly string[]
  }>(),
  undoImport: gives<void>(),
} as const satisfies Contract[string]
