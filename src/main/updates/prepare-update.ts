/** Prepares a downloaded update for its installation. */
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MINUTE_MS } from '../../shared/durations.ts'
import { keepReserve } from '../../node/free-space.ts'
import type { Timing } from '../../node/timing.ts'

/**
 * Throws if there is too little space for a new AppImage. electron-updater deletes the old one first, and then copies the new one unless
 * both are on one disk. A running AppImage takes up space even after it was deleted.
 * @param appImage absolute path of the running AppImage
 * @param file absolute path of the new one
 * @throws an error with the code `ENOSPC`, and with the folder as its message
 */
export async function requireRoom(appImage: string, file: string): Promise<void> {
  const folder = dirname(appImage)
  const { dev, size } = await stat(file)
  if (dev === (await stat(folder)).dev) return
  await keepReserve(folder)(size, 'announced').catch((cause: unknown) => {
    throw Object.assign(new Error(folder, { cause }), { code: 'ENOSPC' })
  })
}

/** Electron's own `autoUpdater`, which is Squirrel on macOS. */
export type Squirrel = {
  checkForUpdates(): void
  on: ListenToSquirrel
  off: ListenToSquirrel
}

type ListenToSquirrel = {
  (event: 'update-downloaded', listener: () => void): unknown
  (event: 'update-not-available', listener: () => void): unknown
  (event: 'error', listener: (error: Error) => void): unknown
}

/** Time limit for Squirrel to copy, verify and unpack a download, in ms. */
const SQUIRREL_MS = 10 * MINUTE_MS

/**
 * Creates a function that makes Squirrel fetch a download from electron-updater, verify it and unpack it. Otherwise, `quitAndInstall` would
 * do this and then quit the app, even if jobs have started by then. It also wouldn't notice if Squirrel doesn't find an update.
 * @throws (the function) if Squirrel refuses the download, finds no update or doesn't respond
 */
export function createSquirrelFetch(
  squirrel: Squirrel,
  { after }: Pick<Timing, 'after'>,
): (file: string) => Promise<void> {
  let fetched: string | undefined
  squirrel.on('error', () => (fetched = undefined))

  return async (file) => {
    if (fetched === file) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onMissing = () => reject(new Error('Squirrel found no update'))
    const stop = after(SQUIRREL_MS, () =>
      reject(new Error(`Squirrel didn’t respond within ${SQUIRREL_MS / MINUTE_MS} minutes`)),
    )
    squirrel.on('update-downloaded', resolve)
    squirrel.on('update-not-available', onMissing)
    squirrel.on('error', reject)
    try {
      squirrel.checkForUpdates()
      await promise
    } finally {
      stop()
      squirrel.off('update-downloaded', resolve)
      squirrel.off('update-not-available', onMissing)
      squirrel.off('error', reject)
    }
    fetched = file
  }
}
