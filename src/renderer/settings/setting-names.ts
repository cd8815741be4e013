/** The names of everything that the settings show, and that their search finds. */
import type { Settings } from '../../shared/model/settings.ts'

/** The settings that have parts with their own controls. */
type Grouped = 'notifications' | 'quiet' | 'afterJob' | 'assistants'
/** The name of a setting, or of a part of one: "notificationsDone". */
type StoredName = {
  [Name in keyof Settings]: Name extends Grouped
    ? `${Name}${Capitalize<keyof Settings[Name] & string>}`
    : Name
}[keyof Settings]

/** Stored values that no page shows as a setting. */
type Unlisted =
  // Chosen in jobs and in the preset editor.
  | 'fineLosses'
  | 'recentOutputs'
  | 'newJobService'
  | 'lastPresets'
  | 'namedPresetJobs'
  | 'underMegabytes'
  | 'variations'
  // Chosen with another setting, which is listed.
  | 'defaultOriginals'
  | 'serviceNames'
  | 'folderRules'
  | 'quietFrom'
  | 'quietUntil'
  | 'quietIdleMinutes'
  | 'assistantsUsualOutput'
  | 'pausedUntil'
  // What Mediatray remembers of the user's actions.
  | 'acceptedVersions'
  | 'pickedInFileManager'
  | 'closeToTraySaid'
  | 'startAtLoginOn'
  // Can be set only in the settings file.
  | 'metricsFile'

/** Entries of pages that have no stored value. */
type Action = 'history' | 'vault' | 'settingsFile' | 'diagnostics' | 'licenses'

export type SettingName = Exclude<StoredName, Unlisted> | Action
