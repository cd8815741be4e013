import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
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
  readonly onUpload: (share: UploadShare) => void
  readonly signal: AbortSignal
}

/**
 * Makes the inputs readable for the service. Uploads are done anew for each attempt: nothing says how long the service
 * keeps one (section 4).
 */
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
  { api, onUpload, signal }: PreparationDeps,
): Promise<Prepared> {
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  const paths: string[] = []
  let before = 0
  for (const [n, item] of plan.items.entries()) {
    onUpload({ sent: before, total })
    const uploaded = await api.upload(
      { path: item.path, name: item.name },
      { signal, onProgress: ({ sent }) => onUpload({ sent: before + sent, total }) },
    )
    if (!uploaded.ok) return { kind: 'failed', error: uploaded.error }
    paths.push(uploaded.value.filePath)
    before += sizes[n] ?? 0
  }
  return { kind: 'ready', paths, uploaded: paths }
}

const refused = (why: Refusal['why'], message: string): Prepared => ({
  kind: 'refused',
  refusal: { why, message, skipped: [] },
})
