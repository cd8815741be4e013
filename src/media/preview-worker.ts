/**
 * The entry of the process that shows what a recipe does to a photo. It takes one wish at a time and keeps what it has
 * decoded for the next one; it writes nothing. Whoever asks ends it, and it ends by itself with its parent.
 */
import type { PicturePreview } from './image/preview-picture.ts'
import { isPreviewRequest, type PreviewAnswer, type PreviewRequest } from './protocol.ts'
import { connectToParent } from './parent-process.ts'
import { stepBack } from './step-back.ts'

const parent = connectToParent<PreviewRequest, PreviewAnswer>({
  isReceived: isPreviewRequest,
  onMessage: (request) => void answer(request).then((answered) => parent.send(answered)),
  onGone: () => process.exit(0),
})
let preview: PicturePreview | undefined
stepBack()

async function answer(request: PreviewRequest): Promise<PreviewAnswer> {
  const { id } = request
  try {
    const { createPicturePreview } = await import('./image/preview-picture.ts')
    preview ??= createPicturePreview()
    return request.kind === 'part'
      ? { id, kind: 'part', ...(await preview.part(request)) }
      : { id, kind: 'whole', pixels: await preview.whole(request) }
  } catch (error) {
    const { describeFailure } = await import('./image/picture-failure.ts')
    return { id, kind: 'failed', reason: describeFailure(error).message }
  }
}
