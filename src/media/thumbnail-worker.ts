/**
 * Entry point of the process that creates thumbnails for the app's window.
 * It runs at low priority, exits when idle for a while, and exits with its parent.
 */
import { isThumbnailRequest, type ThumbnailAnswer, type ThumbnailRequest } from './protocol.ts'
import { connectToParent } from './parent-process.ts'
import { lowerPriority } from './lower-priority.ts'

/** Idle time before the process exits, in ms. */
const PATIENCE_MS = 30_000

const parent = connectToParent<ThumbnailRequest, ThumbnailAnswer>({
  isReceived: isThumbnailRequest,
  onMessage: (request) => void take(request),
  onGone: leave,
})
let unmade = 0
let leaving = setTimeout(leave, PATIENCE_MS)
lowerPriority('whole')

// The process starts only when a thumbnail is needed, so load the code immediately.
const thumbnails = import('./thumbnail.ts')
thumbnails.catch(() => undefined)

async function take(request: ThumbnailRequest): Promise<void> {
  clearTimeout(leaving)
  unmade += 1
  parent.send({ id: request.id, webp: await renderThumbnail(request) })
  unmade -= 1
  if (unmade === 0) leaving = setTimeout(leave, PATIENCE_MS)
}

/** Returns null for any file that can't be read, because a missing thumbnail isn't reported as an error. */
async function renderThumbnail(request: ThumbnailRequest): Promise<Uint8Array | null> {
  try {
    const { makeThumbnail } = await thumbnails
    return await makeThumbnail(request)
  } catch {
    return null
  }
}

function leave(): void {
  process.exit(0)
}
