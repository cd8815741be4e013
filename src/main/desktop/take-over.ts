/** Makes the app the owner of its data folder. A host that serves commands hands the folder over. */
import type { App, Dialog } from 'electron'
import type { Timing } from '../../node/timing.ts'
import { createTranslation } from '../../node/translation.ts'
import { makeFolder } from '../../node/make-folder.ts'
import { connectOwner } from '../../node/owner-link/connect-owner.ts'
import { reserveOwnership, takeOwnership, type OwnerLock } from '../database/index.ts'

export type TakingOver = {
  readonly app: Pick<App, 'getLocale'>
  readonly dialog: Pick<Dialog, 'showMessageBox'>
  readonly timing: Pick<Timing, 'after' | 'monotonic'>
  /** Absolute. */
  readonly dataDir: string
}

/** Time in ms that a host may take to end its commands and its service. After that, it probably doesn't respond. */
const PATIENCE_MS = 15_000
const RETRY_MS = 250

/**
 * Waits until a host has ended. If it takes too long, asks the user whether to try again.
 * @returns undefined if the user chose to quit
 */
export async function takeOver(parts: TakingOver): Promise<OwnerLock | undefined> {
  const { dataDir } = parts
  makeFolder(dataDir)
  const lock = takeOwnership(dataDir)
  if (lock !== undefined) return lock
  const giveUp = reserveOwnership(dataDir)
  try {
    return await waitForOwnership(parts)
  } finally {
    giveUp()
  }
}

async function waitForOwnership(parts: TakingOver): Promise<OwnerLock | undefined> {
  const { timing, dataDir } = parts
  let began = timing.monotonic()
  let asking: Promise<void> | undefined
  for (;;) {
    const lock = takeOwnership(dataDir)
    if (lock !== undefined) return lock
    asking ??= askToEnd(dataDir).finally(() => (asking = undefined))
    if (timing.monotonic() - began < PATIENCE_MS) {
      await new Promise<void>((resolve) => timing.after(RETRY_MS, resolve))
      continue
    }
    if (!(await triesAgain(parts))) return undefined
    began = timing.monotonic()
  }
}

/** Asks the owner to end. Never resolves if it doesn't respond. */
async function askToEnd(dataDir: string): Promise<void> {
  const owner = await connectOwner(
    dataDir,
    { hear: () => undefined, closed: () => undefined },
    'yield',
  ).catch(() => undefined)
  owner?.link.send({ type: 'yield' })
}

async function triesAgain({ app, dialog, dataDir }: TakingOver): Promise<boolean> {
  const { dialog: texts } = createTranslation(app.getLocale())
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: texts.dataInUse,
    detail: texts.dataInUseDetail({ folder: dataDir }),
    buttons: [texts.tryAgain, texts.quit],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  })
  return response === 0
}
