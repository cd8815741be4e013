/**
 * When the app looks for a new version of itself, and what it does with one: at most daily, never while there is work, and
 * installed only when the person says so.
 */
import { readFileSync } from 'node:fs'
import type { UpdateFailure, UpdateState } from '../../shared/model/app-state.ts'
import type { FoundUpdate } from './signed-feed.ts'
import { writeWholeSync } from '../../node/write-file.ts'

export type UpdatesOptions = {
  readonly updater: Updater
  /** Holds what was found against its publisher, before anything of it is fetched. @throws where it is not from there */
  readonly verify?: ((found: FoundUpdate) => Promise<void>) | undefined
  readonly lastCheck: LastCheck
  /** The person's setting. */
  readonly isEnabled: () => boolean
  /** A job runs, or something waits to be sent. */
  readonly isBusy: () => boolean
  readonly onChange: (state: UpdateState) => void
  readonly timing: {
    /** ms since 1970; may jump. */
    readonly clock: () => number
    /** Runs something once after some ms. @returns a function that prevents it */
    readonly after: (ms: number, run: () => void) => () => void
  }
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

export interface Updates {
  state(): UpdateState
  /** Because the person asked: also when it is switched off, and again on the same day. False while there is work. */
  checkNow(): boolean
  /** Ends the app. False where nothing is ready, or while there is work. */
  install(): boolean
  /** Work began or ended, or the setting changed. */
  refresh(): void
  close(): void
}

const DAY_MS = 24 * 60 * 60 * 1000
/** A computer that sleeps does not count hours: it is looked often whether a day has passed. */
const LOOK_EVERY_MS = 30 * 60 * 1000
/** The app has other things to do when it starts. */
const FIRST_LOOK_MS = 60 * 1000

export function createUpdates(options: UpdatesOptions): Updates {
  const { updater, lastCheck, isEnabled, isBusy, timing, log } = options
  let state: UpdateState = { status: 'idle' }
  let stopTimer = timing.after(FIRST_LOOK_MS, lookNow)
  let isStarted = false
  let isClosed = false

  updater.autoDownload = false
  updater.autoInstallOnAppQuit = false
  updater.on('download-progress', ({ percent }) => {
    if (state.status === 'downloading') go({ ...state, share: Math.min(1, Math.max(0, percent / 100)) })
  })
  updater.on('update-downloaded', ({ version }) => go({ status: 'ready', version }))
  // Some failures come only here: macOS checks the signature after the download has ended.
  updater.on('error', fail)

  function go(next: UpdateState): void {
    if (isClosed || JSON.stringify(next) === JSON.stringify(state)) return
    state = next
    options.onChange(state)
  }

  function fail(error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error)
    const reason = reasonOf(error, detail)
    log('update failed', { reason, detail })
    // The rejected promise and the event tell of one failure; the first to be clear about it stays.
    if (state.status === 'failed' && state.reason === 'badSignature') return
    go({ status: 'failed', reason, detail })
  }

  function lookNow(): void {
    isStarted = true
    if (!isClosed) {
      stopTimer()
      stopTimer = timing.after(LOOK_EVERY_MS, lookNow)
    }
    refresh()
  }

  function refresh(): void {
    if (isClosed || !isStarted || isBusy() || !isEnabled()) return
    if (state.status === 'available') void download(state.version)
    else if ((state.status === 'idle' || state.status === 'failed') && isDue()) void check()
  }

  function isDue(): boolean {
    const last = lastCheck.get()
    const now = timing.clock()
    // A time to come is a clock that was wrong.
    return last === null || last > now || now - last >= DAY_MS
  }

  async function check(): Promise<void> {
    const before = state
    go({ status: 'checking' })
    try {
      // Noted first: whatever the check brings about, it is not repeated at once.
      lastCheck.set(timing.clock())
      const found = await updater.checkForUpdates()
      if (found === null || !found.isUpdateAvailable) {
        go({ status: 'idle' })
        return
      }
      const { version } = found.updateInfo
      await options.verify?.(found.updateInfo)
      log('update found', { version })
      go({ status: 'available', version })
      if (!isBusy()) await download(version)
    } catch (error) {
      // What was said of a bad signature stays until a check has succeeded.
      if (before.status === 'failed' && before.reason === 'badSignature') go(before)
      fail(error)
    }
  }

  async function download(version: string): Promise<void> {
    go({ status: 'downloading', version, share: 0 })
    try {
      await updater.downloadUpdate()
    } catch (error) {
      fail(error)
    }
  }

  return {
    state: () => state,

    checkNow() {
      if (isBusy()) return false
      if (state.status === 'available') void download(state.version)
      else if (state.status === 'idle' || state.status === 'failed') void check()
      return true
    },

    install() {
      if (state.status !== 'ready' || isBusy()) return false
      log('update installed', { version: state.version })
      updater.quitAndInstall()
      return true
    },

    refresh,
    close() {
      isClosed = true
      stopTimer()
    },
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
  return NOT_REACHABLE.test(`${String(code)} ${detail}`) ? 'notReachable' : 'other'
}

/** What is needed of `autoUpdater` of electron-updater, in its own words. */
export type Updater = {
  autoDownload: boolean
  autoInstallOnAppQuit: boolean
  /** null where updates are not possible, such as in a build that was not packaged. */
  checkForUpdates(): Promise<{
    readonly isUpdateAvailable: boolean
    readonly updateInfo: FoundUpdate
  } | null>
  downloadUpdate(): Promise<unknown>
  quitAndInstall(): void
  on(event: 'download-progress', listener: (progress: { readonly percent: number }) => void): unknown
  on(event: 'update-downloaded', listener: (update: { readonly version: string }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}

export type LastCheck = {
  /** ms since 1970; null where it was never checked, or can't be told. */
  get(): number | null
  /** Throws where it can't be written. */
  set(at: number): void
}

/** Kept in a file of its own. @param file absolute */
export function lastCheckIn(file: string): LastCheck {
  return {
    get() {
      try {
        const at = Number(readFileSync(file, 'utf8').trim() || Number.NaN)
        return Number.isFinite(at) ? at : null
      } catch {
        return null
      }
    },
    set(at) {
      writeWholeSync(file, `${at}\n`)
    },
  }
}
