/** Makes the app the owner of its data folder. A host that works for commands hands over. */
import { takeOwnership, type OwnerLock } from '../database/index.ts'
import { connectOwner } from '../../node/owner-link/connect-owner.ts'

/**
 * @param dataDir absolute; exists
 * @returns undefined if another process owns the folder. It was asked to end, so try again
 */
export async function takeOver(dataDir: string): Promise<OwnerLock | undefined> {
  const lock = takeOwnership(dataDir)
  if (lock !== undefined) return lock
  const reached = await connectOwner(dataDir, { hear: () => undefined, closed: () => undefined }).catch(
    () => undefined,
  )
  reached?.link.send({ type: 'yield' })
  return undefined
}
