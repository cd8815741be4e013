/** Takes results to a drive folder, each as soon as it is finished, and keeps the account of what has arrived. */
import { rm } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { DriveUploadResult } from '../../shared/api/resources.ts'
import type { DriveEntry } from '../../node/rclone/index.ts'
import { DriveFailure, type DriveFolder } from '../drive/index.ts'

/** Section 2, Job.drive: exactly one of the two. */
export type Delivered = { readonly uploadResult: DriveUploadResult } | { readonly uploadError: string }

export type DeliveryProgress = {
  /** Files that are over, failed ones included. */
  readonly ended: number
  readonly total: number
  /** 0..1 of the file under way. */
  readonly share: number
  readonly fileName: string | undefined
}

export type Delivery = {
  /** A finished result goes on its way; its local file is removed afterwards. */
  add(index: number, path: string): void
  /** No more results will come. Never rejects. */
  finish(): Promise<Delivered>
  progress(): DeliveryProgress
}

export type DeliveryOptions = {
  readonly folder: DriveFolder
  /** What lies in the folder already; undefined where it could not be reached yet. */
  readonly known: readonly DriveEntry[] | undefined
  readonly signal: AbortSignal
  /** The name that a result has got in the drive. */
  readonly onNamed: (index: number, name: string) => void
  readonly onChange: () => void
  readonly log: (message: string) => void
}

type Parcel = { readonly index: number; readonly path: string; name?: string }

const SIDE_BY_SIDE = 2
/** After so many in a row that found nobody there, the others are not tried any more. */
const UNREACHABLE_IN_A_ROW = 3

/** Results are taken until all have been made; an unreachable drive is waited for until then. */
type Phase = 'uploading' | 'waiting for the drive' | 'finishing'

/**
 * While results are still being made, an unreachable drive is no reason to give one up: it is put by, and tried again when
 * no more will come. After that there is no second attempt.
 */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { folder, signal, onNamed, onChange, log } = options
  const names = createRemoteNames(options)
  const waiting: Parcel[] = []
  const errors = new Map<number, { readonly name: string; readonly error: string }>()
  const shares = new Map<Parcel, number>()
  const working = new Set<Promise<void>>()
  let phase: Phase = 'uploading'
  let total = 0
  let uploaded = 0
  let tried = 0
  let unreachable = 0
  let lastFailure = ''

  function startUploads(): void {
    while (working.size < SIDE_BY_SIDE) {
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
      parcel.name ??= await names.choose(basename(parcel.path))
      tried++
      const outcome = await folder.upload(parcel.path, parcel.name, {
        signal,
        onProgress(share) {
          shares.set(parcel, share)
          onChange()
        },
      })
      if (outcome === 'uploaded') {
        onNamed(parcel.index, parcel.name)
        return
      }
      // Somebody else has just taken the name, or an attempt of before has left a part there: the next one is tried.
      delete parcel.name
    }
  }

  async function afterFailure(parcel: Parcel, error: unknown): Promise<void> {
    if (signal.aborted) return giveUp(parcel, 'The upload was stopped before its end')
    lastFailure = reasonOf(error, log)
    const isUnreachable = error instanceof DriveFailure && error.kind === 'network'
    if (isUnreachable && phase !== 'finishing') {
      phase = 'waiting for the drive'
      waiting.push(parcel)
      return
    }
    unreachable = isUnreachable ? unreachable + 1 : 0
    await giveUp(parcel, lastFailure)
  }

  async function giveUp(parcel: Parcel, error: string): Promise<void> {
    errors.set(parcel.index, { name: basename(parcel.path), error })
    await removeLocal(parcel, log)
  }

  return {
    add(index, path) {
      total++
      waiting.push({ index, path })
      startUploads()
    },
    async finish() {
      phase = 'finishing'
      startUploads()
      while (working.size > 0) await Promise.race(working)
      for (const parcel of waiting.splice(0))
        await giveUp(parcel, 'Not uploaded, because the job was stopped')
      if (tried === 0 && total > 0 && !signal.aborted) return { uploadError: lastFailure }
      const inOrder = [...errors].toSorted(([a], [b]) => a - b).map(([, error]) => error)
      const isPartOnly = signal.aborted && (uploaded < total || total === 0)
      return { uploadResult: { uploaded, errors: inOrder, ...(isPartOnly ? { cancelled: true } : {}) } }
    },
    progress() {
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

function reasonOf(error: unknown, log: DeliveryOptions['log']): string {
  if (error instanceof DriveFailure) return error.message
  log(`unexpected failure of an upload: ${String(error)}`)
  return 'The file could not be uploaded because of an internal error'
}

const removeLocal = ({ path }: Parcel, log: DeliveryOptions['log']): Promise<void> =>
  rm(path, { force: true }).catch((error: unknown) => log(`delivered file not removed: ${String(error)}`))

/** Chooses names that nothing in the drive's folder has. The folder is listed once, when the first name is needed. */
function createRemoteNames({ folder, known, signal }: DeliveryOptions) {
  let taken = known && namesOf(known)
  let listing: Promise<Set<string>> | undefined

  async function takenNames(): Promise<Set<string>> {
    if (taken) return taken
    listing ??= folder
      .list(signal)
      .then(namesOf)
      .finally(() => (listing = undefined))
    // Whoever waited for the same listing goes on with the same set.
    taken = await listing
    return taken
  }

  return {
    /** @returns the wanted name, or with `-2`, `-3` … the first that is free; it counts as taken from then on */
    async choose(wanted: string): Promise<string> {
      const names = await takenNames()
      const extension = extname(wanted)
      const stem = wanted.slice(0, wanted.length - extension.length)
      for (let attempt = 1; ; attempt++) {
        const name = attempt === 1 ? wanted : `${stem}-${attempt}${extension}`
        if (names.has(alike(name))) continue
        names.add(alike(name))
        return name
      }
    },
  }
}

const namesOf = (entries: readonly DriveEntry[]): Set<string> =>
  new Set(entries.map(({ name }) => alike(name)))

/** Drives differ in what they take for the same name; whatever any of them may confuse counts as taken. */
const alike = (name: string): string => name.normalize('NFC').toLowerCase()
