/** What the window shows about a settings file before it is imported. */
export type SettingsImportView = {
  /** The file's name without its folder. */
  readonly file: string
  /** When (in ms since 1970) and on which computer it was exported; null if the file doesn't contain this. */
  readonly exported: { readonly at: number; readonly computer: string } | null
  /** Settings by name, with their present and their new values. */
  readonly changes: readonly { readonly name: string; readonly now: unknown; readonly next: unknown }[]
  readonly presets: readonly { readonly name: string; readonly isNew: boolean }[]
  /** Settings of a newer version. */
  readonly newer: readonly string[]
  /** Settings whose values can't be read. */
  readonly unreadable: readonly string[]
  /** Folders that don't exist here. Watched folders are imported switched off if they or their outputs are among them. */
  readonly missing: readonly string[]
  /** Other features that are imported switched off. */
  readonly off: readonly ('afterJob' | 'assistants')[]
}
