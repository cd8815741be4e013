import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ServiceError } from '../../shared/service-error.ts'
import type { ServiceApi } from '../service-api/index.ts'
import type { PlannedSubmission } from './planned-submission.ts'
import type { Refusal } from './submission-state.ts'

export type UploadShare = { readonly sent: number; readonly total: number }

export type Prepared =
  /** The inputs as the service can read them. */
  | { readonly kind: 'ready'; readonly paths: readonly string[]; readonly uploaded: readonly string[] | null }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** An upload failed. No job can have come of it, so it may be done again. */
  | { readonly kind: 'failed'; readonly error: ServiceError }

export type PreparationDeps = {
  readonly api: Pick<ServiceApi, 'upload'>
  /** False where inputs have to be uploaded. */
  readonly seesFiles: boolean
  /** In bytes; null where there is no such file. */
  readonly sizeOf: (path: string) => Promise<number | null>
  /** What earlier attempts have uploaded. */
  readonly uploads: UploadedFiles
  readonly onUpload: (share: UploadShare) => void
  readonly signal: AbortSignal
}

/** The paths that a service gave to files of one submission. A file of another size is another file. */
export type UploadedFiles = Map<string, { readonly filePath: string; readonly size: number }>

/**
 * What was uploaded for a submission that could not be sent yet, so that waiting for a full queue does not mean uploading
 * again and again. Nothing says how long the service keeps it (section 4), so only this process relies on it, and a refusal
 * ends it.
 */
export function createUploads() {
  const uploads = new Map<
    RecordId,
    { readonly service: string; readonly files: UploadedFiles; reused: boolean }
  >()
  return {
    of(id: RecordId, service: string): UploadedFiles {
      const known = uploads.get(id)
      if (known?.service === service && known.files.size > 0) {
        known.reused = true
        return known.files
      }
      const files: UploadedFiles = new Map()
      uploads.set(id, { service, files, reused: false })
      return files
    },
    /** @returns whether the last attempt relied on an earlier one's uploads */
    forget(id: RecordId): boolean {
      const reused = uploads.get(id)?.reused === true
      uploads.delete(id)
      return reused
    },
  }
}

/** Makes the inputs readable for the service. */
export async function prepareInputs(plan: PlannedSubmission, deps: PreparationDeps): Promise<Prepared> {
  if (plan.driveInput !== null) return { kind: 'ready', paths: [], uploaded: null }
  const sizes = await Promise.all(plan.items.map(({ path }) => deps.sizeOf(path)))
  if (sizes.every((size) => size === null)) return refused('inputsGone', '')
  // One that is missing among others is left to the service, which says so in `skipped`.
  if (deps.seesFiles) return { kind: 'ready', paths: plan.items.map(({ path }) => path), uploaded: null }
  if (sizes.includes(null)) return refused('inputsGone', '')
  if (sizes.some((size) => (size ?? 0) > MAX_UPLOAD_BYTES)) return refused('tooLarge', '')
  return uploadAll(plan, sizes, deps)
}

async function uploadAll(
  plan: PlannedSubmission,
  sizes: readonly (number | null)[],
  { api, uploads, onUpload, signal }: PreparationDeps,
): Promise<Prepared> {
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  const paths: string[] = []
  let before = 0
  for (const [n, item] of plan.items.entries()) {
    onUpload({ sent: before, total })
    const size = sizes[n] ?? 0
    const earlier = uploads.get(item.path)
    if (earlier?.size === size) {
      paths.push(earlier.filePath)
      before += size
      continue
    }
    const uploaded = await api.upload(
      { path: item.path, name: item.name },
      { signal, onProgress: ({ sent }) => onUpload({ sent: before + sent, total }) },
    )
    if (!uploaded.ok) return { kind: 'failed', error: uploaded.error }
    const { filePath } = uploaded.value
    uploads.set(item.path, { filePath, size })
    paths.push(filePath)
    before += size
  }
  return { kind: 'ready', paths, uploaded: paths }
}

const refused = (why: Refusal['why'], message: string): Prepared => ({
  kind: 'refused',
  refusal: { why, message, skipped: [] },
})
