import type { App, Dialog } from 'electron'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Timing } from '../../node/timing.ts'
import { createTranslation } from '../../shared/i18n/i18n.ts'
import { lockedFileIn } from '../core/index.ts'
import type { OwnerLock } from '../database/index.ts'
import { takeOver } from './take-over.ts'

export type UnlockParts = {
  readonly app: Pick<App, 'getLocale'>
  readonly dialog: Pick<Dialog, 'showMessageBox'>
  readonly timing: Pick<Timing, 'after' | 'monotonic'>
  /** Absolute. */
  readonly dataDir: string
}

/** After this many ms, a dialog explains the wait. */
const EXPLAIN_MS = 5_000
const RETRY_MS = 250

/**
 * Waits until the app owns its data folder and Mediatray's databases can be written, because opening them earlier would fail. After five seconds it asks the user
 * whether to try again.
 * @returns undefined if the user chose to quit
 */
export async function waitUntilUnlocked({
  app,
  dialog,
  timing,
  dataDir,
}: UnlockParts): Promise<OwnerLock | undefined> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  let began = timing.monotonic()
  let lock: OwnerLock | undefined
  for (;;) {
    lock ??= await takeOver(dataDir)
    const file = lock === undefined ? join(dataDir, 'owner.lock') : lockedFileIn(dataDir)
    if (file === undefined) return lock
    if (timing.monotonic() - began < EXPLAIN_MS) {
      await new Promise<void>((resolve) => timing.after(RETRY_MS, resolve))
      continue
    }
    const { dialog: texts } = createTranslation(app.getLocale())
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      message: texts.filesLocked,
      detail: texts.filesLockedDetail({ file }),
      buttons: [texts.tryAgain, texts.quit],
      defaultId: 0,
      cancelId: 1,
      noLink: true,
    })
    if (response !== 0) return undefined
    began = timing.monotonic()
  }
}
