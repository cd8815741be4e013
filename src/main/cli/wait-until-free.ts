import { lockedFileIn } from '../core/index.ts'
import { dataFolder, type Environment } from './environment.ts'
import type { Silence } from './output/silence.ts'

/** How long to wait, in ms, for another program that has locked Mediatray's files. */
export const LOCKED_PATIENCE_MS = 60_000
const RETRY_MS = 100

/** Thrown if another program, such as a backup, has locked Mediatray's own files. */
export class FilesLocked extends Error {
  override readonly name = 'FilesLocked'
}

/**
 * Resolves when no other process has locked the outbox or the history.
 * @throws FilesLocked after a minute, or when the user interrupts the wait
 */
export async function waitUntilFree(environment: Environment, waits: Pick<Silence, 'during'>): Promise<void> {
  const { timing, interrupted } = environment
  const began = timing.monotonic()
  for (;;) {
    const locked = lockedFileIn(dataFolder(environment))
    if (locked === undefined) return
    if (timing.monotonic() - began > LOCKED_PATIENCE_MS || interrupted.aborted) {
      throw new FilesLocked(
        `Another program has locked Mediatray’s files: ${locked}. Nothing was lost. Close that program or try again later.`,
      )
    }
    const message = `Another program has locked ${locked}. Waiting for it to finish.`
    await waits.during(
      { reason: 'notWritten', message },
      () => new Promise<void>((resolve) => timing.after(RETRY_MS, resolve)),
    )
  }
}
