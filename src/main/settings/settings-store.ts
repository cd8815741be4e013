/** All settings are kept under this one name, so that one write changes all of them or none. */
export const SETTINGS_KEY = 'settings'

/** What the settings are kept in. An `electron-store` has this shape, and so has a plain file. */
export type SettingsStore = {
  get(key: string): unknown
  set(key: string, value: unknown): void
  /** @returns a function that ends the listening */
  onDidChange(key: string, listener: (value: unknown) => void): () => void
}
