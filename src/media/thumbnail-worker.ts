/**
 * The entry of the process that makes small pictures for the app's window, out of the way of everything else. It ends when it
 * was not needed for a while, and when the parent is gone.
 */
import { isThumbnailRequest, type ThumbnailAnswer, type ThumbnailRequest } from './protocol.ts'
import { connectToParent } from './parent-process.ts'
import { stepBack } from './step-back.ts'

/** How long it stays without work, in ms. */
const PATIENCE_MS = 30_000

const parent = connectToParent<ThumbnailRequest, ThumbnailAnswer>({
  isReceived: isThumbnailRequest,
  onMessage: (request) => void take(request),
  onGone: leave,
})
let unmade = 0
let leaving = setTimeout(leave, PATIENCE_MS)
stepBack('whole')

// It was started because a picture is wanted, or will be in a moment.
const thumbnails = import('./thumbnail.ts')
thumbnails.catch(() => undefined)

async function take(request: ThumbnailRequest): Promise<void> {
  clearTimeout(leaving)
  unmade += 1
  parent.send({ id: request.id, webp: await makePicture(request) })
  unmade -= 1
  if (unmade === 0) leaving = setTimeout(leave, PATIENCE_MS)
}

/** A file that can't be read is no news: there is just nothing to show. */
async function makePicture(request: ThumbnailRequest): Promise<Uint8Array | null> {
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
