/** The notices above both columns, highest priority first. Only one is shown at a time. */
export const NOTICE_ORDER = [
  'keyRejected',
  'notRunning',
  'otherVersion',
  'noKeychain',
  'dataGone',
  'dataNotWritten',
  'diskFull',
  'settingsDamaged',
  'settingsUnread',
  'memoryDamaged',
  'presetsDamaged',
  'builtInFailed',
] as const

/** The database that was damaged or has unknown tables, and the name of the file that it was moved to. */
export type Damage = {
  readonly what: 'outbox' | 'history' | 'state'
  readonly keptAs: string
}

export const DISMISSIBLE = ['settingsDamaged', 'settingsUnread', 'memoryDamaged', 'presetsDamaged'] as const
export type Dismissible = (typeof DISMISSIBLE)[number]

/** ID of the service that the notice is about; missing for the service selected in the settings. */
type OfService = { readonly service?: string }

export type Notice =
  | ({ readonly kind: 'keyRejected'; readonly waiting: number } & OfService)
  | ({ readonly kind: 'notRunning'; readonly waiting: number } & OfService)
  | ({ readonly kind: 'otherVersion'; readonly version: string } & OfService)
  | ({ readonly kind: 'noKeychain'; readonly trouble: 'missing' | 'locked' } & OfService)
  /** The data folder was deleted or moved while the app was running. */
  | { readonly kind: 'dataGone'; readonly folder: string }
  /** The app can't write its data: the disk is read-only or failing, or another process holds a lock. */
  | {
      readonly kind: 'dataNotWritten'
      readonly folder: string
      readonly why: 'readOnly' | 'locked' | 'failed'
    }
  | { readonly kind: 'diskFull'; readonly folder: string }
  /** The settings file was damaged and was moved to this name. The default settings apply. */
  | { readonly kind: 'settingsDamaged'; readonly keptAs: string }
  /** Stored settings that can't be read, such as `quiet.from`. Their defaults apply. */
  | { readonly kind: 'settingsUnread'; readonly names: readonly string[] }
  /**
   * A damaged database was moved to the name in `keptAs`. `withHistory`: the history, which would otherwise list the outbox's jobs, was
   * damaged, too.
   */
  | ({ readonly kind: 'memoryDamaged'; readonly withHistory?: boolean } & Damage)
  /** File names of presets that the built-in service can't use. */
  | { readonly kind: 'presetsDamaged'; readonly files: readonly string[] }
  | ({ readonly kind: 'builtInFailed'; readonly reason: string } & OfService)
