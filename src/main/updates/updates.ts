/**
 * Checks for new versions of the app at most once a day, or when the user asks, but never while jobs are running. Installs them only when
 * the user requests it.
 */
import { DAY_MS } from '../../shared/durations.ts'
import { messageOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import { readRegular } from '../../node/open-regular.ts'
import type { Timing } from '../../node/timing.ts'
import type { UpdateFailure, UpdateState } from '../../shared/model/app-state.ts'
import type { FoundUpdate } from './signed-feed.ts'
import { writeWholeSync } from '../../node/write-file.ts'
import { ifPossible } from '../../node/if-possible.ts'

export type Updates = ReturnType<typeof createUpdates>

/** Interval in ms between tests of whether a check is due. It is short because timers don't advance while the computer sleeps. */
const CHECK_INTERVAL_MS = 30 * 60 * 1000
/** Delay in ms before the first check, so that it doesn't slow down the app's startup. */
const FIRST_CHECK_MS = 60 * 1000

type UpdatesOptions = {
  readonly updater: Updater
  /**
   * Verifies the publisher of an update before it is downloaded.
   * @throws if the verification fails
   */
  readonly verify?: ((found: FoundUpdate) => Promise<void>) | undefined
  /** Whether the updater starts the new version. Otherwise, the app does when it quits. */
  readonly startsItself: boolean
  readonly lastCheck: LastCheck
  /** Whether the user has enabled automatic checks. */
  readonly isEnabled: () => boolean
  /** Whether anything is being processed, sent, downloaded or replaced, or an action after a job is running. */
  readonly isBusy: () => boolean
  readonly onChange: (state: UpdateState) => void
  /**
   * Makes a downloaded update ready for its installation, which may take minutes.
   * @param file absolute path of the download
   * @throws if the update can't be installed
   */
  readonly prepare?: ((file: string) => Promise<void>) | undefined
  /** Called with true just before the installation, which may block this process, and with false if it has failed. */
  readonly onInstalling: (isInstalling: boolean) => void
  /** Quits the app for an installer that has been started. */
  readonly quitForInstaller: () => void
  readonly timing: Pick<Timing, 'clock' | 'after'>
  readonly log: Log
}

export function createUpdates(options: UpdatesOptions) {
  const { updater, lastCheck, isEnabled, isBusy, timing, log } = options
  let state: UpdateState = { status: 'idle' }
  let isStarted = false
  /** Absolute path of the download that is ready; empty until then. */
  let downloaded = ''
  const installation = createInstallation({ ...options, onFailed: fail })

  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.autoRunAppAfterInstall = options.startsItself
  updater.on('download-progress', ({ percent }) => {
    if (state.status === 'downloading') setState({ ...state, share: Math.min(1, Math.max(0, percent / 100)) })
  })
  updater.on('update-downloaded', ({ version, downloadedFile }) => {
    downloaded = downloadedFile
    setState({ status: 'ready', version })
  })
  // Some failures are reported only here. For example, macOS verifies the signature after the download.
  updater.on('error', fail)

  function setState(next: UpdateState): void {
    if (JSON.stringify(next) === JSON.stringify(state)) return
    state = next
    options.onChange(state)
  }

  function fail(error: unknown): void {
    installation.end()
    const detail = messageOf(error)
    const reason = reasonOf(error, detail)
    log('update failed', { reason, detail })
    // A failure both rejects the promise and emits the event. Keep the more specific reason.
    if (state.status === 'failed' && state.reason === 'badSignature') return
    setState({ status: 'failed', reason, detail })
  }

  function checkIfDue(): void {
    isStarted = true
    timing.after(CHECK_INTERVAL_MS, checkIfDue)
    refresh()
  }

  /** Call this when jobs start or end, or when the setting changes. */
  function refresh(): void {
    if (!isStarted || isBusy() || !isEnabled()) return
    if (state.status === 'available') void download(state.version)
    else if ((state.status === 'idle' || state.status === 'failed') && isDue()) void check()
  }

  function isDue(): boolean {
    const last = lastCheck.get()
    const now = timing.clock()
    // A time in the future means that the clock was wrong.
    return last === null || last > now || now - last >= DAY_MS
  }

  async function check(): Promise<void> {
    const before = state
    setState({ status: 'checking' })
    try {
      // Store the time before the check, so that a failed check isn't repeated immediately.
      lastCheck.set(timing.clock())
      const found = await updater.checkForUpdates()
      if (found === null || !found.isUpdateAvailable) {
        setState({ status: 'idle' })
        return
      }
      const { version } = found.updateInfo
      await options.verify?.(found.updateInfo)
      log('update found', { version })
      setState({ status: 'available', version })
      if (!isBusy()) await download(version)
    } catch (error) {
      // Keep reporting an invalid signature until a check succeeds.
      if (before.status === 'failed' && before.reason === 'badSignature') setState(before)
      fail(error)
    }
  }

  async function download(version: string): Promise<void> {
    setState({ status: 'downloading', version, share: 0 })
    try {
      await updater.downloadUpdate()
    } catch (error) {
      fail(error)
    }
  }

  timing.after(FIRST_CHECK_MS, checkIfDue)

  return {
    /**
     * Checks at the user's request, even if automatic checks are off or a check already ran today. Downloads an update that was already
     * found. Returns false while jobs are running.
     */
    checkNow(): boolean {
      if (isBusy()) return false
      if (state.status === 'available') void download(state.version)
      else if (state.status === 'idle' || state.status === 'failed') void check()
      return true
    },

    /**
     * Quits the app to install the update. Resolves with false if no update is ready or jobs are running, and with true if the
     * installation has failed.
     */
    async install(): Promise<boolean> {
      return installation.isRunning() || (state.status === 'ready' && !isBusy())
        ? installation.run(downloaded)
        : false
    },

    refresh,
  }
}

/** Installs updates, one attempt at a time. */
function createInstallation({
  updater,
  prepare,
  isBusy,
  onInstalling,
  quitForInstaller,
  onFailed,
  log,
}: Pick<UpdatesOptions, 'updater' | 'prepare' | 'isBusy' | 'onInstalling' | 'quitForInstaller' | 'log'> & {
  readonly onFailed: (error: unknown) => void
}) {
  let attempt: Promise<boolean> | undefined
  let end: (() => void) | undefined

  async function install(file: string): Promise<boolean> {
    await prepare?.(file)
    // The user may have started jobs since the click.
    if (isBusy()) return false
    log('update installed', { file })
    onInstalling(true)
    try {
      // Without a failure, the app quits.
      await new Promise<void>((resolve) => {
        let hasFailed = false
        end = () => {
          hasFailed = true
          resolve()
        }
        if (updater.install === undefined) return updater.quitAndInstall()
        updater.quitAndInstallCalled = false
        if (updater.install(false, updater.autoRunAppAfterInstall))
          setImmediate(() => hasFailed || quitForInstaller())
      })
    } finally {
      onInstalling(false)
    }
    return true
  }

  return {
    isRunning: (): boolean => attempt !== undefined,
    /** Resolves with true once the installation has failed, and with false if a job prevented it. */
    run: (file: string): Promise<boolean> =>
      (attempt ??= install(file)
        .catch((error: unknown) => {
          onFailed(error)
          return true
        })
        .finally(() => (attempt = undefined))),
    /** Call it when the updater has reported a failure. */
    end: (): void => end?.(),
  }
}

const BAD_SIGNATURE_CODES: ReadonlySet<unknown> = new Set([
  'ERR_UPDATER_INVALID_SIGNATURE',
  'ERR_CHECKSUM_MISMATCH',
  'ERR_UPDATER_NO_CHECKSUM',
])
const BAD_SIGNATURE = /not signed|signature|checksum mismatch|did not pass validation/i
const NOT_REACHABLE =
  /net::ERR_|ENOTFOUND|ECONN(?:REFUSED|RESET|ABORTED)|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|request timed out/i

function reasonOf(error: unknown, detail: string): UpdateFailure {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  if (BAD_SIGNATURE_CODES.has(code) || BAD_SIGNATURE.test(detail)) return 'badSignature'
  if (code === 'ENOSPC') return 'diskFull'
  return NOT_REACHABLE.test(`${String(code)} ${detail}`) ? 'notReachable' : 'other'
}

/** The part of electron-updater's `autoUpdater` that is used here. */
export type Updater = {
  /** Whether the updater starts the installed version. From deb and rpm packages, it would repeat the arguments of the first launch. */
  autoRunAppAfterInstall: boolean
  autoDownload: boolean
  autoInstallOnAppQuit: boolean
  /** Resolves to null if updates aren't supported, for example in an unpackaged build. */
  checkForUpdates(): Promise<{
    readonly isUpdateAvailable: boolean
    readonly updateInfo: FoundUpdate
  } | null>
  downloadUpdate(): Promise<unknown>
  /** Quits even if it fails to start the installer. */
  quitAndInstall(): void
  /**
   * Only starts the installer. Missing on macOS.
   * @returns false after an `error` event. Other failures emit it before the next event-loop tick
   */
  install?(isSilent: boolean, isForceRunAfter: boolean): boolean
  /** Whether `install` does nothing, because it was called before. */
  quitAndInstallCalled?: boolean
  on(event: 'download-progress', listener: (progress: { readonly percent: number }) => void): unknown
  on(
    event: 'update-downloaded',
    listener: (update: { readonly version: string; readonly downloadedFile: string }) => void,
  ): unknown
  /**
   * Emitted while an AppImage is replaced if its name contains the version, and therefore changes. Passes the absolute path of the new
   * file.
   */
  on(event: 'appimage-filename-updated', listener: (path: string) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

export type LastCheck = ReturnType<typeof lastCheckIn>

/**
 * Stores the time of the last check in a separate file.
 * @param file absolute path
 */
export function lastCheckIn(file: string) {
  return {
    /** Returns milliseconds since 1970; null if no check has run or the time can't be read. */
    get(): number | null {
      const at = Number(ifPossible(() => readRegular(file))?.trim() || Number.NaN)
      return Number.isFinite(at) ? at : null
    },
    /** @throws if the file can't be written */
    set(at: number): void {
      writeWholeSync(file, `${at}\n`)
    },
  }
}
