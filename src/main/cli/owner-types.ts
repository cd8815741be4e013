import type { RecordId } from '../../shared/model/ids.ts'
import type { BuiltInEnd } from '../connection/index.ts'
import type { Core } from '../core/index.ts'
import type { lendingKeys } from './lend-keys.ts'
import type { BaseUrl } from '../service-api/index.ts'
import type { MainService } from '../move/move.ts'
import type { Settings } from '../settings/settings.ts'

/** The process that owns the data folder, as commands see it. */
export type Owner = {
  readonly core: Core
  /** Whether the process is the app. Otherwise, it is a host. */
  readonly isApp: boolean
  /** Reads the app's settings. A host also applies changes since the last call, because the user may edit the file. */
  readonly readSettings: () => SavedSettings
  /** Returns the functions that switch the main service in the app's settings. */
  readonly mainService: (saved: Settings) => MainService
  /** Starts the built-in service if submissions wait for it, unless it has just failed. Call this when a client connects. */
  sendRest(): void
  /** Uses these hook secrets, by account, instead of those in the keychain. The app ignores them and keeps its own. */
  give(secrets: Readonly<Record<string, string>>): void
  /** Whether the service in the settings has changed since this owner started. */
  isOutdated(): boolean
  /** Returns the line to a service, by its ID. Release it when the command ends. */
  readonly lineTo: ReturnType<typeof lendingKeys>
  /** Who watches the folders: the app, or one command at a time. */
  readonly watching: Watching
  /**
   * Reports originals when they are moved out of the vaults. Starts with those that were moved while no command was running.
   * @returns a function that stops reporting
   */
  readonly onReleased: (say: (places: readonly string[]) => void) => () => void
  /**
   * Starts the built-in service unless the settings name another service. Also restarts it after a failure. Commands that only read don't
   * call this.
   */
  needService(): void
  /** Starts the built-in service if necessary, and resolves when it is running or has failed to start. */
  readonly builtIn: () => Promise<Reached>
  /** Whether any work can continue without the user. */
  busy(): boolean
  /** @param builtIn whether to stop the built-in service or leave it to the next owner */
  readonly close: (builtIn?: BuiltInEnd) => Promise<void>
}

/** The data folder couldn't be opened. Commands that don't need it run without an owner. */
export type NotOpened = { readonly notOpened: unknown }

export type SavedSettings = {
  readonly saved: Settings
  /** Why the file couldn't be read; null if it could. */
  readonly damage: 'damaged' | 'unreadable' | null
}

export type Watching = {
  isOn(): boolean
  /** Submissions that needed the user before this owner started, or that an earlier run has reported. */
  readonly reported: Set<RecordId>
  /** Begins to watch. @returns false if the app or another command watches */
  begin(): boolean
  /** Resolves when the watching command has ended; immediately if none is watching. */
  ended(): Promise<void>
  end(): void
}

export type Reached =
  | { readonly ok: true; readonly baseUrl: BaseUrl; readonly key: string | undefined }
  | { readonly ok: false; readonly message: string }
