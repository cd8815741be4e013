/**
 * Entry point of the process that previews what a recipe does to a photo or a video.
 * It handles one request at a time, keeps the decoded photo for the next request, and writes no files. It exits with its
 * parent, or earlier when the client ends it.
 */
import type { ImagePreview } from './image/preview-image.ts'
import { isPreviewRequest, type PreviewAnswer, type PreviewRequest } from './protocol.ts'
import { connectToParent } from './parent-process.ts'
import { lowerPriority } from './lower-priority.ts'

const parent = connectToParent<PreviewRequest, PreviewAnswer>({
  isReceived: isPreviewRequest,
  onMessage: (request) => void answer(request).then((answered) => parent.send(answered)),
  onGone: () => process.exit(0),
})
let preview: ImagePreview | undefined

async function answer(request: PreviewRequest): Promise<PreviewAnswer> {
  const { id } = request
  // The priority stays low until the process exits, because raising it again requires privileges.
  if (request.givesWay) lowerPriority('half')
  try {
    switch (request.kind) {
      case 'part':
        return { id, kind: 'part', ...(await (await images()).part(request)) }
      case 'whole':
        return { id, kind: 'whole', pixels: await (await images()).whole(request) }
      case 'video':
        return { id, kind: 'video', ...(await (await videos()).previewVideo(request)) }
      case 'videos':
        return { id, kind: 'videos', video: await (await videos()).compareVideos(request) }
    }
  } catch (error) {
    const { asFailure } = await import('./image/image-failure.ts')
    return { id, kind: 'failed', failure: asFailure(error).failure }
  }
}

async function images(): Promise<ImagePreview> {
  const { createImagePreview } = await import('./image/preview-image.ts')
  preview ??= createImagePreview()
  return preview
}

const videos = () => import('./video/preview-video.ts')
