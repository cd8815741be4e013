/**
 * The user's settings. The settings file may have been edited by hand or written by another version. Each field is therefore parsed
 * separately, and an invalid field falls back to its default.
 */
import * as z from 'zod'
import { DEFAULT_BASE_URL } from '../api/limits.ts'
import { Hooks, NO_HOOKS } from './after-job.ts'
import { AssistantAccess, NO_ACCESS } from './assistants.ts'
import { isLossCode, type LossCode } from '../loss/loss.ts'
import { MAX_STARRED } from '../preset/starred.ts'
import {
  LEAST_MEGABYTES,
  MOST_MEGABYTES,
  taskOf,
  type TaskName,
  USUAL_MEGABYTES,
} from '../preset/task-names.ts'
import { StoredFolderRules } from './folder-rules.ts'
import { MAX_PRESETS, type NewJobChoices } from './draft.ts'
import { MAX_APP_NAME, MAX_IGNORED_APPS } from './ignored-apps.ts'
import type { ConnectionKind } from './connection.ts'
import { Receivers } from './receiver.ts'
import { OriginalsOutput, StoredOutput } from './stored-output.ts'
import { WatchFolders } from './watch-folder.ts'
import { isAbsolutePath } from '../paths.ts'
import { isTimeOfDay } from '../time-window.ts'

/** Falls back to the default for a missing or invalid value, so that one bad field doesn't affect the others. */
const choice = <T>(schema: z.ZodType<T>, fallback: NoInfer<T>) => schema.catch(fallback)

/** Maximum number of variations per file in a job. */
export const MAX_VARIATIONS = 100_000

export const MAX_IDLE_MINUTES = 24 * 60

export const NotificationChoices = z.object({
  done: choice(z.boolean(), true),
  problems: choice(z.boolean(), true),
  failed: choice(z.boolean(), true),
  drive: choice(z.boolean(), true),
  service: choice(z.boolean(), true),
  watch: choice(z.boolean(), true),
})

const TimeOfDay = z.string().refine(isTimeOfDay)

/** When jobs may run. All chosen conditions must be met; none means always. */
export const QuietConditions = z.object({
  plugged: choice(z.boolean(), false),
  between: choice(z.boolean(), false),
  from: choice(TimeOfDay, '22:00'),
  until: choice(TimeOfDay, '07:00'),
  idle: choice(z.boolean(), false),
  idleMinutes: choice(z.int().min(1).max(MAX_IDLE_MINUTES), 5),
})
export type QuietConditions = z.infer<typeof QuietConditions>

/** A service other than the one in use: its ID (see `serviceIdOf`), and whether it can read this computer's files. */
const OtherService = z.object({ service: z.string().min(1), seesFiles: z.boolean() })

/** Maximum number of services in addition to the one in use. */
const MAX_OTHER_SERVICES = 20

export const FineLosses = z.record(z.string().max(1_000), z.array(z.custom<LossCode>(isLossCode)))

/** The settings that the window changes directly. The connection has separate calls, and programs can only be chosen in a dialog. */
export const ChangeableSettings = z.object({
  seesFiles: choice(z.boolean(), true),
  strictVersion: choice(z.boolean(), false),
  /** The presets of new jobs, in the order chosen. null means those of the last job. Use `newJobPresets`. */
  defaultPresets: choice(z.array(z.string()).max(MAX_PRESETS).nullable(), null),
  /** Losses that the user doesn't want listed, by the preset's name ('' for the basic defaults). They still prevent replacement. */
  fineLosses: choice(FineLosses, {}),
  /** null means `~/Pictures/Mediatray`, resolved once the platform's folders are known. */
  defaultOutput: choice(StoredOutput.nullable(), null),
  /** null if new jobs save to `defaultOutput`. Otherwise, `defaultOutput` gets only results whose folder can't be written. */
  defaultOriginals: choice(OriginalsOutput.nullable(), null),
  /** How many variations a new job last had, by the name of its preset. Only for presets that define ranges. Use `variationsOf`. */
  variations: choice(z.record(z.string().max(1_000), z.int().min(1).max(MAX_VARIATIONS)), {}),
  grouping: choice(z.enum(['together', 'separate']), 'together'),
  /** What the tiles of a new job offer. Use `newJobChoices`. */
  newJobChoices: choice(z.enum(['automatic', 'tasks', 'starred']), 'automatic'),
  /** What a new job does with files that are already done with its preset. */
  doneFiles: choice(z.enum(['skip', 'again']), 'skip'),
  /** What to do with files that are dropped on the tray or dock, or opened with Mediatray. */
  quickDrop: choice(z.enum(['ask', 'startAtOnce']), 'ask'),
  /** In Electron's format; null if no shortcut is set. */
  clipboardShortcut: choice(z.string().max(100).nullable(), null),
  /** null means the first of `defaultPresets`, if there is one. Otherwise, and for '', the basic defaults apply. Use `clipboardPreset`. */
  clipboardPreset: choice(z.string().max(1_000).nullable(), null),
  /** Whether copied images are processed automatically, except those from `clipboardIgnoredApps`. */
  clipboardAutomatic: choice(z.boolean(), false),
  /** Names of apps whose copied images are never processed automatically. An app may have several names, and one is enough. */
  clipboardIgnoredApps: choice(z.array(z.string().max(MAX_APP_NAME)).max(MAX_IGNORED_APPS), []),
  notifications: choice(NotificationChoices, NotificationChoices.parse({})),
  appearance: choice(z.enum(['system', 'light', 'dark']), 'system'),
  /** A language with a catalog, or `system`. */
  language: choice(z.string().max(100), 'system'),
  showTray: choice(z.boolean(), true),
  /** Whether Mediatray keeps running when the window is closed, if there is a tray icon. */
  closeToTray: choice(z.boolean(), true),
  startAtLogin: choice(z.boolean(), false),
  keepAwake: choice(z.boolean(), false),
  globalShortcut: choice(z.string().max(100).nullable(), null),
  whenDone: choice(z.enum(['nothing', 'sound', 'quit', 'sleep']), 'nothing'),
  checkForUpdates: choice(z.boolean(), true),
  /** Days after which records are deleted; null keeps all records. */
  keepHistoryDays: choice(z.int().min(1).nullable(), null),
  /** Whether the list of jobs starts with the space that they have saved. */
  showSpaceSaved: choice(z.boolean(), true),
  /** Days after which replaced originals are deleted from the vault; null keeps them. */
  keepOriginalsDays: choice(z.int().min(1).nullable(), 30),
  quiet: choice(QuietConditions, QuietConditions.parse({})),
  /** Whether the built-in service's workers run at low priority. */
  leaveRoom: choice(z.boolean(), false),
})

/** Returns a strict schema for fields that a page sends. It rejects unknown fields, and doesn't replace invalid values with defaults. */
export const withoutDefaults = (schema: z.ZodObject): z.ZodObject =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(schema.shape).map(([name, field]) => {
        const chosen = field instanceof z.ZodCatch ? field.unwrap() : field
        return [name, chosen instanceof z.ZodObject ? withoutDefaults(chosen) : chosen]
      }),
    ),
  )

export const Settings = ChangeableSettings.extend({
  connection: choice(z.enum(['external', 'builtIn']).nullable(), null),
  baseUrl: choice(z.string(), DEFAULT_BASE_URL),
  /** Further services that new jobs can choose. */
  otherServices: choice(z.array(OtherService).max(MAX_OTHER_SERVICES), []),
  /** The user's names for services, by ID. */
  serviceNames: choice(z.record(z.string(), z.string()), {}),
  /** The service chosen for the last new job; null for the one in use. */
  newJobService: choice(z.string().nullable(), null),
  /** Accepted service versions other than 1.0.81. */
  acceptedVersions: choice(z.array(z.string()), []),
  /** The presets of the last job that started in the window. */
  lastPresets: choice(z.array(z.string()).max(MAX_PRESETS), ['Make smaller' satisfies TaskName]),
  /** How many jobs have started with a preset that was chosen by name. Not counted above `JOBS_UNTIL_STARRED`. */
  namedPresetJobs: choice(z.int().min(0), 0),
  /** The last maximum size of *Under a size*, in MB. */
  underMegabytes: choice(z.number().min(LEAST_MEGABYTES).max(MOST_MEGABYTES), USUAL_MEGABYTES),
  /** At most `MAX_STARRED`, in the order of the preset list. */
  starredPresets: choice(z.array(z.string()).max(MAX_STARRED), []),
  /** Whether files have been processed with a preset from the file manager's menu, which proves that the menu works. */
  pickedInFileManager: choice(z.boolean(), false),
  recentOutputs: choice(z.array(z.string()), []),
  closeToTraySaid: choice(z.boolean(), false),
  /** ID of the computer that starts the app at login, as returned by `computerId`; null if none does. */
  startAtLoginOn: choice(z.string().nullable(), null),
  /** What to do with jobs of the built-in service that a crash interrupted. */
  interrupted: choice(z.enum(['resume', 'ask']), 'resume'),
  /** What runs after each job, unless a watched folder has its own actions. */
  afterJob: choice(Hooks, NO_HOOKS),
  /** The receivers of a message after each job, except after jobs of watched folders with their own actions. */
  receivers: choice(Receivers, []),
  assistants: choice(AssistantAccess, NO_ACCESS),
  rclonePath: choice(z.string().nullable(), null),
  /** Absolute path of the file with figures for Prometheus; null if none is written. */
  metricsFile: choice(z.string().max(4_000).refine(isAbsolutePath).nullable(), null),
  watchFolders: choice(WatchFolders, []),
  /** The rules of watched folders that have any, by folder. Separate from the folders, so that versions without rules don't drop them. */
  folderRules: choice(z.record(z.string(), StoredFolderRules), {}),
  outboxPaused: choice(z.boolean(), false),
  /** End of the pause in ms since 1970; null if it lasts until the user resumes. Meaningless without a pause. */
  pausedUntil: choice(z.number().nullable(), null),
})
export type Settings = z.infer<typeof Settings>

/**
 * Returns the presets of a new job.
 * @param isBuiltIn whether the job is for the built-in service. Other services have no tasks.
 */
export function newJobPresets(
  { defaultPresets, lastPresets }: Pick<Settings, 'defaultPresets' | 'lastPresets'>,
  isBuiltIn: boolean,
): readonly string[] {
  return offeredOf(defaultPresets ?? lastPresets, isBuiltIn)
}

const offeredOf = (presets: readonly string[], isBuiltIn: boolean): string[] =>
  presets.filter((name) => isBuiltIn || taskOf(name) === undefined)

/** Number of jobs with presets chosen by name after which new jobs offer starred presets instead of tasks. */
export const JOBS_UNTIL_STARRED = 3

/** Returns what the tiles of a new job offer. Without starred presets, they always offer the tasks. */
export function newJobChoices(
  settings: Pick<Settings, 'newJobChoices' | 'namedPresetJobs' | 'starredPresets'>,
): NewJobChoices {
  const { newJobChoices: chosen, namedPresetJobs, starredPresets } = settings
  if (starredPresets.length === 0) return 'tasks'
  if (chosen !== 'automatic') return chosen
  return namedPresetJobs >= JOBS_UNTIL_STARRED ? 'starred' : 'tasks'
}

/**
 * Returns the presets of a new watched folder or rule.
 * @param isBuiltIn whether the folder's files are for the built-in service. Other services have no tasks.
 */
export const savedDefaults = (
  { defaultPresets }: Pick<Settings, 'defaultPresets'>,
  isBuiltIn: boolean,
): string[] => offeredOf(defaultPresets ?? [], isBuiltIn)

/** Returns the number of variations that a new job with these presets has. */
export function variationsOf(
  { variations }: Pick<Settings, 'variations'>,
  presets: readonly string[],
): number {
  const [preset] = presets
  return presets.length === 1 && preset !== undefined && Object.hasOwn(variations, preset)
    ? (variations[preset] ?? 1)
    : 1
}

/**
 * Returns the preset that processes the clipboard; null for the service's basic defaults.
 * @param service the service in use. Services other than the built-in one have no tasks.
 */
export function clipboardPreset(
  settings: Pick<Settings, 'clipboardPreset' | 'defaultPresets'>,
  service: { readonly kind: ConnectionKind | null },
): string | null {
  const chosen = settings.clipboardPreset ?? savedDefaults(settings, service.kind !== 'external')[0] ?? ''
  return chosen === '' ? null : chosen
}

/** Returns the addresses of the services that the user has agreed to use. Before a request to any other address, the user must agree. */
export const usedServices = ({
  baseUrl,
  otherServices,
}: Pick<Settings, 'baseUrl' | 'otherServices'>): readonly string[] => [
  DEFAULT_BASE_URL,
  baseUrl,
  ...otherServices.map(({ service }) => service),
]

/** Missing or undefined fields stay unchanged. */
export type SettingsPatch = { readonly [Key in keyof Settings]?: Settings[Key] | undefined }
