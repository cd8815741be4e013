/**
 * Entry point of a worker process, for everything that needs decoders. Exits when its parent has exited or closes stdin.
 * Loads code on first use, so a worker for photos never loads FFmpeg.
 */
import type { ImagePreview } from './image/preview-image.ts'
import { lowerPriority } from './lower-priority.ts'
import { serveParent } from './parent-process.ts'
import type { WorkerKind } from './protocol.ts'

// The parent gives a finished file its permissions. Until then, only this user can read it.
process.umask(0o077)

const loadFiles = () => import('./make-file.ts')
const loadThumbnails = () => import('./thumbnail.ts')
const loadVideos = () => import('./video/preview-video.ts')
let photos: ImagePreview | undefined
async function loadPhotos(): Promise<ImagePreview> {
  const { createImagePreview } = await import('./image/preview-image.ts')
  return (photos ??= createImagePreview())
}

/**
 * Converts errors to failures.
 * @throws FailureError with a reason that users understand
 */
async function explained<Shown>(show: () => Promise<Shown>): Promise<Shown> {
  try {
    return await show()
  } catch (error) {
    const { asFailure } = await import('./image/image-failure.ts')
    throw asFailure(error)
  }
}

serveParent({
  make: async (task, context) => (await loadFiles()).makeFile(task, context),
  estimate: async (task, context) => (await loadFiles()).estimateFile(task, context),
  foresee: async (task, context) => (await loadFiles()).foresee(task, context),
  check: async (check, { signal }) => (await import('./inventory/may-replace.ts')).mayReplace(check, signal),
  thumbnail: async (request) => (await loadThumbnails()).makeThumbnail(request),
  part: (request) => explained(async () => (await loadPhotos()).part(request)),
  whole: (request) => explained(async () => (await loadPhotos()).whole(request)),
  quality: () => explained(async () => (await (await loadPhotos()).quality()) ?? null),
  sample: (request) => explained(async () => (await loadVideos()).previewVideo(request)),
  compare: (request) => explained(async () => (await loadVideos()).compareVideos(request)),
})

const kind = process.argv[2] as WorkerKind | undefined
if (kind === 'trials') lowerPriority('half')
if (kind === 'thumbnails') {
  lowerPriority('whole')
  // Preload the code, because the first request for a thumbnail follows immediately.
  loadThumbnails().catch(() => undefined)
}
