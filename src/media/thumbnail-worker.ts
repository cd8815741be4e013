/**
 * The entry of the process that makes small pictures for the app's window: one at a time, out of the way of everything
 * else. It ends when it was not needed for a while, and when the parent is gone. Like a worker's, its decoders are loaded
 * when they are first needed.
 */
import { isThumbnailRequest, type ThumbnailAnswer, type ThumbnailRequest } from './protocol.ts'
import { connectToParent } from './parent-process.ts'
import { stepBack } from './step-back.ts'

/** How long it stays without work, in ms. */
const PATIENCE_MS = 30_000

const parent = connectToParent<ThumbnailRequest, ThumbnailAnswer>({
  isReceived: isThumbnailRequest,
  onMessage: take,
  onGone: leave,
})
let lastPicture: Promise<void> = Promise.resolve()
let waiting = 0
let leaving = setTimeout(leave, PATIENCE_MS)
stepBack('whole')

function take(request: ThumbnailRequest): void {
  clearTimeout(leaving)
  waiting += 1
  lastPicture = answerAfter(lastPicture, request)
}

async function answerAfter(before: Promise<void>, request: ThumbnailRequest): Promise<void> {
  await before
  parent.send({ id: request.id, webp: await makePicture(request) })
  waiting -= 1
  if (waiting === 0) leaving = setTimeout(leave, PATIENCE_MS)
}

/** A file that can't be read is no news: there is just nothing to show. */
async function makePicture(request: ThumbnailRequest): Promise<Uint8Array | null> {
  try {
    const { makeThumbnail } = await import('./thumbnail.ts')
    return await makeThumbnail(request)
  } catch {
    return null
  }
}

function leave(): void {
  process.exit(0)
}
