/** Uploads results to a drive folder as soon as they are finished, and records what has arrived. */
import { comparable } from '../../shared/paths.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import { rm, stat } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { reported } from '../../shared/api/reported.ts'
import type { DriveUploadResult } from '../../shared/api/resources.ts'
import type { DriveEntry } from '../../node/rclone/index.ts'
import { DriveFailure, type DriveFolder } from '../drive/index.ts'

/** The outcome of a delivery: exactly one of the two (section 2, Job.drive). */
export type Delivered = { readonly uploadResult: DriveUploadResult } | { readonly uploadError: Failure }

export type DeliveryProgress = {
  /** Number of finished files, including failed ones. */
  readonly ended: number
  readonly total: number
  /** Uploaded fraction (0..1) of the current file. */
  readonly share: number
  readonly fileName: string | undefined
}

export type Delivery = ReturnType<typeof createDelivery>

export type DeliveryOptions = {
  readonly folder: DriveFolder
  /** Existing contents of the folder; undefined if the drive couldn't be reached yet. */
  readonly known: readonly DriveEntry[] | undefined
  readonly signal: AbortSignal
  /** Called with the name under which a result was stored in the drive. */
  readonly onNamed: (index: number, name: string) => void
  readonly onChange: () => void
  readonly log: (message: string) => void
}

/** Entries of the folder by comparable name; null for names that this delivery has reserved or compared. */
type Names = Map<string, DriveEntry | null>

type Chosen = {
  readonly name: string
  /** Whether the drive has the file already. */
  readonly isThere: boolean
}

type Parcel = { readonly index: number; readonly path: string; chosen?: Chosen }

const PARALLEL_UPLOADS = 2
/** Number of consecutive connection failures after which the remaining files are skipped. */
const UNREACHABLE_IN_A_ROW = 3

/** Before `finishing`, the delivery accepts more results, and waits while the drive is unreachable. */
type Phase = 'uploading' | 'waiting for the drive' | 'finishing'

/**
 * Creates a delivery. If an upload can't reach the drive while files are still being processed, this upload and all later ones are
 * postponed until all results are finished. After that, failed uploads aren't retried.
 */
export function createDelivery(options: DeliveryOptions) {
  const { folder, signal, onNamed, onChange, log } = options
  const names = createRemoteNames(options)
  const waiting: Parcel[] = []
  const errors = new Map<number, DriveUploadResult['errors'][number]>()
  const shares = new Map<Parcel, number>()
  const working = new Set<Promise<void>>()
  let phase: Phase = 'uploading'
  let total = 0
  let uploaded = 0
  let tried = 0
  let unreachable = 0
  let lastFailure: Failure = failure('uploadInternal')

  function startUploads(): void {
    while (working.size < PARALLEL_UPLOADS) {
      const parcel = nextParcel()
      if (!parcel) return
      const task: Promise<void> = deliver(parcel).finally(() => {
        working.delete(task)
        startUploads()
      })
      working.add(task)
    }
  }

  const nextParcel = (): Parcel | undefined =>
    phase === 'waiting for the drive' || signal.aborted ? undefined : waiting.shift()

  async function deliver(parcel: Parcel): Promise<void> {
    if (unreachable >= UNREACHABLE_IN_A_ROW) return giveUp(parcel, lastFailure)
    shares.set(parcel, 0)
    onChange()
    try {
      await upload(parcel)
      uploaded++
      unreachable = 0
      await removeLocal(parcel, log)
    } catch (error) {
      await afterFailure(parcel, error)
    } finally {
      shares.delete(parcel)
      onChange()
    }
  }

  async function upload(parcel: Parcel): Promise<void> {
    for (;;) {
      // A later attempt uses the same name.
      const chosen = parcel.chosen ?? (await names.choose(parcel.path))
      parcel.chosen = { ...chosen, isThere: false }
      tried++
      const { name } = chosen
      if (chosen.isThere) return onNamed(parcel.index, name)
      const outcome = await folder.upload(parcel.path, name, {
        signal,
        onProgress(share) {
          shares.set(parcel, share)
          onChange()
        },
      })
      // The name may be taken because the response to an earlier attempt was lost.
      if (outcome === 'uploaded' || (await folder.hasContent(name, parcel.path, signal)))
        return onNamed(parcel.index, name)
      // Another client has just taken the name, or an earlier attempt left a partial file. Try the next name.
      delete parcel.chosen
    }
  }

  async function afterFailure(parcel: Parcel, error: unknown): Promise<void> {
    if (signal.aborted) return giveUp(parcel, failure('uploadStopped'))
    lastFailure = failureOf(error, log)
    const isUnreachable =
      error instanceof DriveFailure && (error.kind === 'network' || error.kind === 'ended')
    if (isUnreachable && phase !== 'finishing') {
      phase = 'waiting for the drive'
      waiting.push(parcel)
      return
    }
    unreachable = isUnreachable ? unreachable + 1 : 0
    await giveUp(parcel, lastFailure)
  }

  async function giveUp(parcel: Parcel, failed: Failure): Promise<void> {
    errors.set(parcel.index, { name: basename(parcel.path), ...reported(failed) })
    await removeLocal(parcel, log)
  }

  return {
    /** Queues a finished result for upload. Its local file is removed afterward. */
    add(index: number, path: string): void {
      total++
      waiting.push({ index, path })
      startUploads()
    },
    /** Uploads the rest and returns the outcome. Call this when no more results will follow. Never rejects. */
    async finish(): Promise<Delivered> {
      phase = 'finishing'
      startUploads()
      while (working.size > 0) await Promise.race(working)
      for (const parcel of waiting.splice(0)) await giveUp(parcel, failure('uploadNotStarted'))
      if (tried === 0 && total > 0 && !signal.aborted) return { uploadError: lastFailure }
      const inOrder = [...errors].toSorted(([a], [b]) => a - b).map(([, error]) => error)
      const isPartOnly = signal.aborted && (uploaded < total || total === 0)
      return { uploadResult: { uploaded, errors: inOrder, ...(isPartOnly ? { cancelled: true } : {}) } }
    },
    progress(): DeliveryProgress {
      const [first] = shares
      return {
        ended: uploaded + errors.size,
        total,
        share: first?.[1] ?? 0,
        fileName: first && basename(first[0].path),
      }
    },
  }
}

function failureOf(error: unknown, log: DeliveryOptions['log']): Failure {
  if (error instanceof DriveFailure) return failure('notUploaded', { reason: error.reason })
  log(`unexpected error during an upload: ${String(error)}`)
  return failure('uploadInternal')
}

const removeLocal = ({ path }: Parcel, log: DeliveryOptions['log']): Promise<void> =>
  rm(path, { force: true }).catch((error: unknown) =>
    log(`couldn't remove a delivered file: ${String(error)}`),
  )

/** Chooses names in the drive folder. Lists the folder when the first name is needed, unless its contents are known. */
function createRemoteNames({ folder, known, signal }: DeliveryOptions) {
  let taken = known && namesOf(known)
  let listing: Promise<Names> | undefined

  async function takenNames(): Promise<Names> {
    if (taken) return taken
    listing ??= folder
      .list(signal)
      .then(namesOf)
      .finally(() => (listing = undefined))
    // All callers that awaited this listing share the same set of names.
    taken = await listing
    return taken
  }

  return {
    /**
     * Reserves the first suitable name for a file: its own, or one with `-2`, `-3` …. A name is suitable if it is free, or if its file
     * already has this content, for example from a job that was interrupted after the upload.
     */
    async choose(path: string): Promise<Chosen> {
      const wanted = basename(path)
      const names = await takenNames()
      const extension = extname(wanted)
      const stem = wanted.slice(0, wanted.length - extension.length)
      for (let attempt = 1; ; attempt++) {
        const name = attempt === 1 ? wanted : `${stem}-${attempt}${extension}`
        const key = comparable(name)
        const there = names.get(key)
        // Each file in the folder counts for only one result.
        if (there !== null) names.set(key, null)
        if (there === undefined) return { name, isThere: false }
        if (there === null || there.size !== (await sizeOf(path))) continue
        try {
          if (await folder.hasContent(there.name, path, signal)) return { name: there.name, isThere: true }
        } catch (error) {
          // Lets the next attempt compare this entry again.
          names.set(key, there)
          throw error
        }
      }
    },
  }
}

const namesOf = (entries: readonly DriveEntry[]): Names =>
  new Map(entries.map((entry) => [comparable(entry.name), entry]))

const sizeOf = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.size
