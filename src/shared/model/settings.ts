/**
 * What a person can choose. The schema is the edge: a settings file that was edited by hand, or written by another
 * version, is read field by field and falls back to the default where a value does not fit.
 */
import * as z from 'zod'
import { DEFAULT_BASE_URL } from '../api/limits.ts'
import { StoredOutput, WatchFolder } from './watch-folder.ts'

/** Absent or not of its shape: the default. Each field by itself, so that one bad value does not cost the others. */
const choice = <T>(schema: z.ZodType<T>, fallback: NoInfer<T>) =>
  schema
    .optional()
    .catch(undefined)
    .transform((value) => (value === undefined ? fallback : value))

export const NotificationChoices = z.object({
  done: choice(z.boolean(), true),
  problems: choice(z.boolean(), true),
  failed: choice(z.boolean(), true),
  drive: choice(z.boolean(), true),
  service: choice(z.boolean(), true),
  watch: choice(z.boolean(), true),
})

export const Settings = z.object({
  connection: choice(z.enum(['external', 'builtIn']).nullable(), null),
  baseUrl: choice(z.string(), DEFAULT_BASE_URL),
  seesFiles: choice(z.boolean(), true),
  strictVersion: choice(z.boolean(), false),
  /** The versions other than 1.0.81 that the user has said are fine. */
  acceptedVersions: choice(z.array(z.string()), []),

  defaultPreset: choice(z.string().nullable(), null),
  /** null: `~/Pictures/Mediatray`, decided where the platform's folders are known. */
  defaultOutput: choice(StoredOutput.nullable(), null),
  recentOutputs: choice(z.array(z.string()), []),
  variations: choice(z.int().min(1), 1),
  grouping: choice(z.enum(['together', 'separate']), 'together'),
  /** What happens to files dropped on the tray or dock, or opened with Mediatray. */
  quickDrop: choice(z.enum(['ask', 'startAtOnce']), 'ask'),

  notifications: choice(NotificationChoices, NotificationChoices.parse({})),

  appearance: choice(z.enum(['system', 'light', 'dark']), 'system'),
  language: choice(z.enum(['system', 'en', 'de']), 'system'),
  showTray: choice(z.boolean(), true),
  /** What closing the window does where there is a tray. */
  closeToTray: choice(z.boolean(), true),
  closeToTraySaid: choice(z.boolean(), false),
  startAtLogin: choice(z.boolean(), false),
  keepAwake: choice(z.boolean(), false),
  globalShortcut: choice(z.string().nullable(), null),
  whenDone: choice(z.enum(['nothing', 'sound', 'quit', 'sleep']), 'nothing'),
  checkForUpdates: choice(z.boolean(), true),
  /** Records older than this many days are dropped; null: never. */
  keepHistoryDays: choice(z.int().min(1).nullable(), null),

  rclonePath: choice(z.string().nullable(), null),
  watchFolders: choice(z.array(WatchFolder), []),
  outboxPaused: choice(z.boolean(), false),
})
export type Settings = z.infer<typeof Settings>

/** A field that is absent, or undefined, stays as it is. */
export type SettingsPatch = { readonly [Key in keyof Settings]?: Settings[Key] | undefined }

/** What somebody has who has chosen nothing. @internal A test compares with it; the app reads the schema. */
export const DEFAULT_SETTINGS: Settings = Settings.parse({})
