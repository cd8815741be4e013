/** Files that clients upload, until a job has used them (section 4). */
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { isOwnerAlive, OWN_MARK } from '../../node/owner-mark.ts'
import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { Upload } from '../../shared/api/resources.ts'
import { type FreeBytes, HttpError } from '../queue/index.ts'
import type { UploadName } from './upload-name.ts'

/** Uploads that no job in progress needs are kept this long, in ms. */
export const UPLOAD_RETENTION_MS = 24 * 60 * 60 * 1000

/** What all uploads together may take, in bytes. */
const UPLOAD_QUOTA_BYTES = 32 * 1024 ** 3
/** Stays free on the disk whatever is uploaded, in bytes. */
const RESERVE_BYTES = 256 * 1024 ** 2

/** Collected before each write: large enough to make system calls rare, small enough not to be felt. */
const WRITE_BYTES = 1024 * 1024

/** What is being received. The mark of the process that receives it follows. */
const PARTIAL = '.partial'

export type UploadStore = {
  /** Where they lie; absolute. */
  readonly folder: string
  /**
   * Section 4, `POST /upload`. Memory use does not depend on the size. Nothing stays behind when it fails.
   * @param announced how large it will be, in bytes; 0 where nobody has said so
   * @throws HttpError 400 when empty or larger than 500 MiB, 500 when there is no space for it; what the file system or the
   *   connection throws
   */
  save(name: UploadName, body: Readable, announced?: number): Promise<Upload>
  /** Removes uploads past their time. @param inUse paths that must stay whatever their age */
  sweep(inUse: ReadonlySet<string>): Promise<void>
  /** Resolves when no upload is being saved, and nothing of those that failed is left. */
  settled(): Promise<void>
}

export type UploadStoreOptions = {
  readonly folder: string
  readonly newId: () => string
  readonly now: () => number
  readonly freeBytes: FreeBytes
  /** What all uploads together may take, in bytes. */
  readonly quota?: number
}

/** Every upload has a folder of its own, so that its file can keep its name. */
export async function openUploadStore(options: UploadStoreOptions): Promise<UploadStore> {
  const { folder, newId, now, freeBytes, quota = UPLOAD_QUOTA_BYTES } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // An older folder may have been made with other rights.
  await chmod(folder, 0o700)
  await removeHalfWritten(folder)
  /** In bytes, of this service; uploads of another one on the same folder are counted at the next sweep. */
  let used = await sizeOf(folder)

  function requireQuota(bytes: number): void {
    if (used + bytes <= quota) return
    throw new HttpError(500, 'There is no space for more uploads until older ones have been removed')
  }

  async function requireFreeSpace(bytes: number): Promise<void> {
    const free = await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY)
    if (free < bytes + RESERVE_BYTES) throw new HttpError(500, 'The disk has no space for this upload')
  }

  async function save(name: UploadName, body: Readable, announced: number): Promise<Upload> {
    requireQuota(announced)
    await requireFreeSpace(announced)
    let taken = 0
    const takeSpace = (bytes: number) => {
      // Counted at once, so that several uploads side by side don't take the same space.
      requireQuota(bytes)
      used += bytes
      taken += bytes
      return requireFreeSpace(bytes)
    }
    const home = join(folder, newId())
    const filePath = join(home, name.safe)
    const partialPath = join(home, `${PARTIAL}-${OWN_MARK}`)
    // The folder of all uploads may have been removed in the meantime; it is made again.
    await mkdir(home, { recursive: true, mode: 0o700 })
    try {
      const size = await writeBody(body, partialPath, takeSpace)
      if (size === 0) throw new HttpError(400, 'The body is empty')
      await rename(partialPath, filePath)
      return { filePath, originalName: name.original, size }
    } catch (error) {
      used -= taken
      await rm(home, { recursive: true, force: true })
      throw error
    }
  }

  const saving = new Set<Promise<unknown>>()
  return {
    folder: resolve(folder),
    save(name, body, announced = 0) {
      const upload = save(name, body, announced)
      const forget = () => void saving.delete(upload)
      saving.add(upload)
      upload.then(forget, forget)
      return upload
    },
    async settled() {
      await Promise.allSettled(saving)
    },
    async sweep(inUse) {
      const kept = [...inUse]
      for (const entry of await entriesOf(folder)) {
        const home = join(folder, entry)
        const age = now() - (await modifiedAt(home))
        const isNeeded = kept.some((path) => path.startsWith(join(home, '/')))
        // Another service may share the folder, and sees by the time that the upload is not past its time.
        if (isNeeded) await touch(home, now())
        else if (age >= UPLOAD_RETENTION_MS) await rm(home, { recursive: true, force: true })
      }
      const counted = await sizeOf(folder)
      // What is being received is counted by itself, and has changed meanwhile.
      if (saving.size === 0) used = counted
    },
  }
}

/** Removes what a crash in the middle of an upload has left, and nothing that another service is receiving. */
async function removeHalfWritten(folder: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    const home = join(folder, entry)
    const partial = (await entriesOf(home)).find((name) => name.startsWith(PARTIAL))
    if (partial !== undefined && !isOwnerAlive(partial.slice(PARTIAL.length + 1)))
      await rm(home, { recursive: true, force: true })
  }
}

const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** Of all files in the folders of a folder, in bytes. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0
  for (const home of await entriesOf(folder)) {
    for (const name of await entriesOf(join(folder, home)))
      bytes += await stat(join(folder, home, name)).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return bytes
}

const touch = (path: string, time: number): Promise<void> =>
  utimes(path, time / 1_000, time / 1_000).catch(() => undefined)

/** Of a folder that has just gone, the time counts as now: there is nothing to remove. */
const modifiedAt = (path: string): Promise<number> =>
  stat(path).then(
    (info) => info.mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )

/** Rejects where there is no space for so many bytes more. */
type TakeSpace = (bytes: number) => Promise<void>

/** @returns the number of bytes */
async function writeBody(body: Readable, path: string, takeSpace: TakeSpace): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    return await copyBody(body, file, takeSpace)
  } finally {
    await file.close()
  }
}

/**
 * Reads on while the last batch is being written. The stream survives an early end of the loop, because the answer to a
 * body that is too large goes through the same connection.
 */
async function copyBody(body: Readable, file: FileHandle, takeSpace: TakeSpace): Promise<number> {
  let size = 0
  let batch: Buffer[] = []
  let batchBytes = 0
  let writing: Promise<void> = Promise.resolve()
  const flush = async () => {
    await writing
    await takeSpace(batchBytes)
    writing = writeAll(file, batch)
    // The failure is met at the next `await writing`; until then it is not an unhandled one.
    writing.catch(() => undefined)
    batch = []
    batchBytes = 0
  }
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('An upload is read as bytes')
      size += chunk.length
      if (size > MAX_UPLOAD_BYTES) throw new HttpError(400, 'The file is larger than 500 MiB')
      batch.push(chunk)
      batchBytes += chunk.length
      if (batchBytes >= WRITE_BYTES) await flush()
    }
    await flush()
  } finally {
    await writing
  }
  return size
}

/** `writev` may write less than it was given, as on a disk that fills up. */
async function writeAll(file: FileHandle, buffers: readonly Buffer[]): Promise<void> {
  const total = buffers.reduce((sum, buffer) => sum + buffer.length, 0)
  if (total === 0) return
  const { bytesWritten } = await file.writev([...buffers])
  if (bytesWritten === total) return
  await file.writeFile(Buffer.concat(buffers).subarray(bytesWritten))
}
