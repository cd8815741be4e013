import { isStillReal } from '../../node/allowed-path.ts'
import { ifResponding, isTakenAway } from '../../node/mounted-disk.ts'
import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import { because, type ServiceError } from '../../shared/service-error.ts'
import type { FileError } from '../../shared/api/resources.ts'
import type { ServiceApi } from '../service-api/index.ts'
import type { SentName, NamedFiles, Aliases } from '../aliases/index.ts'
import type { PlannedSubmission } from './planned-submission.ts'
import type { SenderDeps } from './sending-service.ts'
import type { Refusal } from './submission-state.ts'

export type UploadShare = { readonly sent: number; readonly total: number }

export type ReadyInputs = {
  readonly kind: 'ready'
  /** The inputs as the service can read them. */
  readonly paths: readonly string[]
  /** Identity for each path: '' if unknown, or for an alias, which only this user can reach. No elements for uploads or a drive folder. */
  readonly identities: readonly string[]
  readonly uploaded: readonly string[] | null
  /** Inputs that the service received under another name. */
  readonly names: readonly SentName[]
  /** Inputs that can't be sent, although the other inputs can. */
  readonly unsent: readonly FileError[]
}

export type Prepared =
  | ReadyInputs
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** An upload failed. No job can have been created, so the upload may be retried. */
  | { readonly kind: 'failed'; readonly error: ServiceError }

export type PreparationDeps = Pick<SenderDeps, 'sizeOf'> & {
  readonly aliases: Pick<Aliases, 'create' | 'nameUploads' | 'noteUploads'>
  readonly isBuiltIn: boolean
  readonly api: Pick<ServiceApi, 'upload'>
  /** Whether the service can access this computer's files; if false, inputs must be uploaded. */
  readonly seesFiles: boolean
  /** Files uploaded in earlier attempts. */
  readonly uploads: UploadedFiles
  readonly onUpload: (share: UploadShare) => void
  readonly signal: AbortSignal
}

/** The uploaded files of one submission, by local path. A file whose size has changed must be uploaded again. */
export type UploadedFiles = Map<string, { readonly filePath: string; readonly size: number }>

/**
 * Caches uploads of submissions that couldn't be sent yet, so that waiting for a full queue doesn't repeat them. It is unspecified
 * how long the service keeps uploads (section 4), so the cache isn't persisted and a refusal clears it.
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
    /** Forgets a submission's uploads. @returns whether the last attempt reused earlier ones */
    forget(id: RecordId): boolean {
      const reused = uploads.get(id)?.reused === true
      uploads.delete(id)
      return reused
    },
  }
}

/**
 * Makes the inputs readable for the service, by uploading them if necessary. Refuses the submission if it can't succeed, for example
 * because its inputs are missing or too large to upload, or the output's disk was removed.
 */
export async function prepareInputs(
  id: RecordId,
  plan: PlannedSubmission,
  deps: PreparationDeps,
): Promise<Prepared> {
  const { output, mount } = plan
  if (output.kind === 'folder' && mount !== undefined) {
    const isGone = await ifResponding(isTakenAway(mount))
    if (isGone === true) return refused('invalid', failure('diskRemoved', { folder: output.path }))
  }
  if (plan.by === 'assistant' && !(await isWithoutLinks(plan)))
    return refused('invalid', failure('folderReplaced'))
  if (plan.driveInput !== null)
    return { kind: 'ready', paths: [], identities: [], uploaded: null, names: [], unsent: [] }
  const sizes = await Promise.all(plan.items.map(({ path }) => deps.sizeOf(path)))
  if (sizes.every((size) => size === null)) return refused('inputsGone', failure('originalsGone'))
  // If only some of the files are missing, a service that sees this computer's files reports them in `skipped`. Uploads need all files.
  try {
    return await givenToService(id, plan, sizes, deps)
  } catch (error) {
    if (!deps.signal.aborted) throw error
    return {
      kind: 'failed',
      error: { kind: 'aborted', maybeReceived: false, ...because(failure('stopped')) },
    }
  }
}

/**
 * Whether the paths of an assistant's files and output are still free of links. A link that was created after the check may lead out of the
 * allowed folders.
 */
async function isWithoutLinks({ items, output }: PlannedSubmission): Promise<boolean> {
  const paths = [...items.map(({ path }) => path), ...(output.kind === 'folder' ? [output.path] : [])]
  return (await Promise.all(paths.map(isStillReal))).every((isReal) => isReal)
}

async function givenToService(
  id: RecordId,
  plan: PlannedSubmission,
  sizes: readonly (number | null)[],
  deps: PreparationDeps,
): Promise<Prepared> {
  if (deps.seesFiles) {
    const { files, names, unsent } = await deps.aliases.create(id, plan.items, deps)
    if (files.length === 0) return noneSent(unsent)
    const paths = files.map(({ as }) => as)
    const identities = files.map(({ item, as }) => (as === item.path ? (item.identity ?? '') : ''))
    return { kind: 'ready', paths, identities, uploaded: null, names, unsent }
  }
  if (sizes.includes(null)) return refused('inputsGone', failure('originalsGone'))
  if (sizes.some((size) => (size ?? 0) > MAX_UPLOAD_BYTES))
    return refused('tooLarge', failure('originalsTooLarge'))
  const sizeOf = new Map(plan.items.map(({ path }, n) => [path, sizes[n] ?? 0]))
  return uploadAll(id, await deps.aliases.nameUploads(plan.items, deps), sizeOf, deps)
}

async function uploadAll(
  id: RecordId,
  { files, names, unsent }: NamedFiles,
  sizeOf: ReadonlyMap<string, number>,
  { api, aliases, uploads, onUpload, signal }: PreparationDeps,
): Promise<Prepared> {
  if (files.length === 0) return noneSent(unsent)
  const total = files.reduce((sum, { item }) => sum + (sizeOf.get(item.path) ?? 0), 0)
  const paths: string[] = []
  let before = 0
  for (const { item, as } of files) {
    onUpload({ sent: before, total })
    const size = sizeOf.get(item.path) ?? 0
    let upload = uploads.get(item.path)
    if (upload?.size !== size) {
      const uploaded = await api.upload(
        { path: item.path, name: as, identity: item.identity },
        { signal, onProgress: ({ sent }) => onUpload({ sent: before + sent, total }) },
      )
      if (!uploaded.ok) return { kind: 'failed', error: uploaded.error }
      upload = { filePath: uploaded.value.filePath, size }
      uploads.set(item.path, upload)
    }
    paths.push(upload.filePath)
    before += size
  }
  // The service may report an upload by its path or by its name.
  const renamed = new Set(names.map(({ path }) => path))
  const asPaths = files.flatMap(({ item: { path } }, n) =>
    renamed.has(path) ? [{ path, as: paths[n] ?? '' }] : [],
  )
  const allNames = [...asPaths, ...names]
  aliases.noteUploads(id, allNames)
  return { kind: 'ready', paths, identities: [], uploaded: paths, names: allNames, unsent }
}

/** Refuses a submission if none of its files can be sent. The first file determines the reason. */
const noneSent = (unsent: readonly FileError[]): Prepared => ({
  kind: 'refused',
  refusal: {
    why: 'invalid',
    message: unsent[0]?.error ?? '',
    failure: unsent[0]?.failure,
    skipped: [...unsent],
  },
})

const refused = (why: Refusal['why'], reason: Failure): Prepared => ({
  kind: 'refused',
  refusal: { why, ...because(reason), skipped: [] },
})
