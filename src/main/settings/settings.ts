import {
  Settings as SettingsSchema,
  type Settings as SettingsValue,
  type SettingsPatch,
} from '../../shared/model/settings.ts'

/** All settings are kept under this one name, so that one write changes all of them or none. */
export const SETTINGS_KEY = 'settings'

/** What the settings are kept in. */
export type SettingsStore = {
  get(key: string): unknown
  set(key: string, value: unknown): void
  /** @returns a function that ends the listening */
  onDidChange(key: string, listener: (value: unknown) => void): () => void
  /** What was wrong with it when it was opened. */
  readonly damage: 'damaged' | 'unreadable' | null
  /** Where a copy of what was damaged is; absolute. */
  readonly keptAs: string | null
}

export interface Settings {
  /** The same object until something changes. */
  view(): SettingsValue
  /**
   * Writes at once. A value that its field cannot hold is a mistake of the caller and throws; nothing is written then.
   */
  update(patch: SettingsPatch): SettingsValue
  /** Where a copy of a damaged file is, which could not be read when these were opened; absolute. */
  readonly keptAs: string | null
  /** Told after every change, whoever made it. @returns a function that ends the listening */
  onChange(listener: (settings: SettingsValue) => void): () => void
}

/**
 * Typed access to what the person has chosen. Reading never fails: each field that does not fit falls back to its default.
 * What this version doesn't understand stays in the store until something else is chosen for it, so that going back to a newer
 * version loses nothing.
 */
export function createSettings(store: SettingsStore): Settings {
  const listeners = new Set<(settings: SettingsValue) => void>()
  let current = read(store.get(SETTINGS_KEY))

  function take(next: SettingsValue): void {
    if (JSON.stringify(next) === JSON.stringify(current)) return
    current = next
    for (const listener of listeners) listener(current)
  }

  store.onDidChange(SETTINGS_KEY, (value) => take(read(value)))

  return {
    view: () => current,
    keptAs: store.keptAs,

    update(patch) {
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
      const wanted = { ...current, ...given }
      const next = read(wanted)
      const lost = Object.keys(given).find((key) => !sameValue(valueAt(wanted, key), valueAt(next, key)))
      if (lost !== undefined) throw new TypeError(`The setting “${lost}” cannot hold this value.`)
      const chosen = Object.fromEntries(Object.keys(given).map((key) => [key, valueAt(next, key)]))
      store.set(SETTINGS_KEY, { ...asRecord(store.get(SETTINGS_KEY)), ...chosen })
      take(next)
      return current
    },

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const read = (stored: unknown): SettingsValue => SettingsSchema.parse(asRecord(stored))

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const valueAt = (settings: object, key: string): unknown => asRecord(settings)[key]

const sameValue = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

/** As JSON with sorted keys: parsing may have put the fields of an object in another order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? ''
