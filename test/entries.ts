/**
 * What tests start as processes of their own. What was built is what people have, and starts in half the time, so it is taken
 * as long as it is of the sources as they are now, as after the build of `npm test`; otherwise the sources are.
 */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const { isBuilt } = createRequire(import.meta.url)('../scripts/built.cjs') as {
  readonly isBuilt: (root: string) => boolean
}

const ROOT = resolve(import.meta.dirname, '..')
const built = isBuilt(ROOT)

/** @param source from the project on, as the mutation runner looks for what a test starts */
const entryOf = (bundle: string, source: string): string => resolve(ROOT, built ? `dist/${bundle}` : source)

export const SERVICE = entryOf('service/main.js', 'src/service/main.ts')
export const JOB_WORKER = entryOf('service/worker.js', 'src/media/job-worker.ts')
export const THUMBNAIL_WORKER = entryOf('service/picture-worker.js', 'src/media/thumbnail-worker.ts')
export const PREVIEW_WORKER = entryOf('service/preview-worker.js', 'src/media/preview-worker.ts')
export const COMMAND = entryOf('cli/mediatray.js', 'src/main/cli/mediatray.ts')
