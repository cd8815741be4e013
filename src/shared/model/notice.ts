/** What stands in the bar over both columns; the first in this order is shown. */
export const NOTICE_ORDER = [
  'keyRejected',
  'notRunning',
  'otherVersion',
  'noKeychain',
  'dataGone',
  'diskFull',
  'settingsDamaged',
  'memoryDamaged',
  'presetsDamaged',
  'builtInFailed',
] as const

export type NoticeKind = (typeof NOTICE_ORDER)[number]

/** What a database that was damaged had held, and under which name it is kept. */
export type Damage = {
  readonly what: 'outbox' | 'history' | 'downloads' | 'watched'
  readonly keptAs: string
}

export type Notice =
  | { readonly kind: 'keyRejected'; readonly waiting: number }
  | { readonly kind: 'notRunning'; readonly waiting: number }
  | { readonly kind: 'otherVersion'; readonly version: string }
  | { readonly kind: 'noKeychain'; readonly trouble: 'missing' | 'locked' }
  /** What the app keeps was deleted or moved away under it. */
  | { readonly kind: 'dataGone'; readonly folder: string }
  | { readonly kind: 'diskFull'; readonly folder: string }
  /** A copy of the damaged settings file has this name; the defaults apply. */
  | { readonly kind: 'settingsDamaged'; readonly keptAs: string }
  /** A damaged database was set aside under this name. */
  | ({ readonly kind: 'memoryDamaged' } & Damage)
  /** Presets of the built-in service that it can't use, by their file names. */
  | { readonly kind: 'presetsDamaged'; readonly files: readonly string[] }
  | { readonly kind: 'builtInFailed'; readonly reason: string }
