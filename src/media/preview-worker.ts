/**
 * The entry of the process that shows what a recipe does to a photo or a film. It takes one wish at a time and keeps what it
 * has decoded of a photo for the next one; it writes nothing. Whoever asks ends it, and it ends by itself with its parent.
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

async function answer(request: PreviewRequest): Promise<PreviewAnswer> {
  const { id } = request
  // Until the process ends: nobody may take a step forward again.
  if (request.givesWay) stepBack('half')
  try {
    switch (request.kind) {
      case 'part':
        return { id, kind: 'part', ...(await (await pictures()).part(request)) }
      case 'whole':
        return { id, kind: 'whole', pixels: await (await pictures()).whole(request) }
      case 'film':
        return { id, kind: 'film', ...(await (await films()).previewFilm(request)) }
      case 'films':
        return { id, kind: 'films', film: await (await films()).compareFilms(request) }
    }
  } catch (error) {
    const { describeFailure } = await import('./image/picture-failure.ts')
    return { id, kind: 'failed', reason: describeFailure(error).message }
  }
}

async function pictures(): Promise<PicturePreview> {
  const { createPicturePreview } = await import('./image/preview-picture.ts')
  preview ??= createPicturePreview()
  return preview
}

const films = () => import('./video/preview-film.ts')
