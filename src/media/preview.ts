/** Previews what a recipe does to a photo or a video. Writes no files, and keeps the decoded photo for the next request. */
import type { ImagePreview } from './image/preview-image.ts'
import type { InputOf, ResultOf } from './protocol.ts'

let preview: ImagePreview | undefined

async function images(): Promise<ImagePreview> {
  const { createImagePreview } = await import('./image/preview-image.ts')
  return (preview ??= createImagePreview())
}

const videos = () => import('./video/preview-video.ts')

/** @throws FailureError */
async function explained<Shown>(show: () => Promise<Shown>): Promise<Shown> {
  try {
    return await show()
  } catch (error) {
    const { asFailure } = await import('./image/image-failure.ts')
    throw asFailure(error)
  }
}

export const part = (request: InputOf<'part'>): Promise<ResultOf<'part'>> =>
  explained(async () => (await images()).part(request))
export const whole = (request: InputOf<'whole'>): Promise<ResultOf<'whole'>> =>
  explained(async () => (await images()).whole(request))
export const sample = (request: InputOf<'sample'>): Promise<ResultOf<'sample'>> =>
  explained(async () => (await videos()).previewVideo(request))
export const compare = (request: InputOf<'compare'>): Promise<ResultOf<'compare'>> =>
  explained(async () => (await videos()).compareVideos(request))
