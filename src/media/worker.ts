/**
 * Entry point of a worker process, for all that needs decoders. Exits when its parent has exited or closes stdin.
 * Loads code on first use, so a worker for photos never loads FFmpeg.
 */
import { lowerPriority } from './lower-priority.ts'
import { serveParent } from './parent-process.ts'
import type { WorkerKind } from './protocol.ts'

// The parent gives a finished file its permissions. Until then, only this user can read it.
process.umask(0o077)

const loadFiles = () => import('./make-file.ts')
const loadThumbnails = () => import('./thumbnail.ts')
const loadPreviews = () => import('./preview.ts')

serveParent({
  make: async (task, context) => (await loadFiles()).makeFile(task, context),
  estimate: async (task, context) => (await loadFiles()).estimateFile(task, context),
  foresee: async (task, context) => (await loadFiles()).foresee(task, context),
  check: async (check, { signal }) => (await import('./inventory/may-replace.ts')).mayReplace(check, signal),
  thumbnail: async (request) => (await loadThumbnails()).makeThumbnail(request),
  part: async (request) => (await loadPreviews()).part(request),
  whole: async (request) => (await loadPreviews()).whole(request),
  sample: async (request) => (await loadPreviews()).sample(request),
  compare: async (request) => (await loadPreviews()).compare(request),
})

const kind = process.argv[2] as WorkerKind | undefined
if (kind === 'trials') lowerPriority('half')
if (kind === 'thumbnails') {
  lowerPriority('whole')
  // The process starts just before a thumbnail is needed.
  loadThumbnails().catch(() => undefined)
}
