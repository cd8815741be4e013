/** Stores uploaded files until a job has used them (section 4). */
import { DAY_MS } from '../../shared/durations.ts'
import { failure } from '../../shared/failure/failure.ts'
import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { isOwnerAlive, OWN_MARK } from '../../node/owner-mark.ts'
import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { Upload } from '../../shared/api/resources.ts'
import type { FreeBytes } from '../../node/free-space.ts'
import { HttpError } from '../queue/index.ts'
import type { UploadName } from './upload-name.ts'

/** How long to keep uploads that no unfinished job needs, in ms. */
export const UPLOAD_RETENTION_MS = DAY_MS

/** Total size limit of all uploads, in bytes. */
const UPLOAD_QUOTA_BYTES = 32 * 1024 ** 3
/** Maximum number of uploads, regardless of their size, because each one needs a folder and a file on disk, and every cleanup checks it. */
const MOST_UPLOADS = 20_000
/** Maximum number of parallel uploads, because each one keeps up to two batches in memory. */
const MOST_TOGETHER = 64
/** Free space that uploads never use, in bytes. */
const RESERVE_BYTES = 256 * 1024 ** 2

/** Bytes per write: large enough that system calls are rare, small enough to use little memory. */
const WRITE_BYTES = 1024 * 1024

/** Prefix of uploads in progress, followed by their process's mark. */
const PARTIAL = '.partial'

export type UploadStore = Awaited<ReturnType<typeof openUploadStore>>

/** Opens the store. Every upload has its own folder, so that its file can keep its name. */
export async function openUploadStore(options: {
  readonly folder: string
  readonly newId: () => string
  readonly now: () => number
  readonly freeBytes: FreeBytes
  /** Total size limit in bytes. */
  readonly quota?: number
  readonly most?: number
}) {
  const { folder, newId, now, freeBytes, quota = UPLOAD_QUOTA_BYTES, most = MOST_UPLOADS } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // An existing folder may be accessible to other users.
  await chmod(folder, 0o700)
  await removeHalfWritten(folder)
  /** Number and size of the uploads in the folder. New uploads of another service are counted at the next sweep. */
  let used = await countIn(folder)
  const saving = new Set<Promise<unknown>>()

  function requireQuota(bytes: number): void {
    if (used.bytes + bytes <= quota) return
    throw new HttpError(500, failure('uploadsFull'))
  }

  function requirePlace(): void {
    if (used.uploads >= most) throw new HttpError(500, failure('uploadsTooMany'))
    if (saving.size >= MOST_TOGETHER) throw new HttpError(500, failure('uploadsBusy'))
  }

  async function requireFreeSpace(bytes: number): Promise<void> {
    const free = await freeBytes(folder).catch(() => Number.POSITIVE_INFINITY)
    if (free < bytes + RESERVE_BYTES) throw new HttpError(500, failure('uploadNoSpace'))
  }

  async function save(name: UploadName, body: Readable, announced: number): Promise<Upload> {
    requirePlace()
    requireQuota(announced)
    used.uploads += 1
    let taken = 0
    const takeSpace = (bytes: number) => {
      // Reserved immediately, so that parallel uploads don't claim the same space.
      requireQuota(bytes)
      used.bytes += bytes
      taken += bytes
      return requireFreeSpace(bytes)
    }
    const home = join(folder, newId())
    const filePath = join(home, name.safe)
    const partialPath = join(home, `${PARTIAL}-${OWN_MARK}`)
    try {
      await requireFreeSpace(announced)
      // Also creates the store's folder again, because it may have been removed in the meantime.
      await mkdir(home, { recursive: true, mode: 0o700 })
      const size = await writeBody(body, partialPath, takeSpace)
      if (size === 0) throw new HttpError(400, failure('uploadEmpty'))
      await rename(partialPath, filePath)
      return { filePath, originalName: name.original, size }
    } catch (error) {
      used.uploads -= 1
      used.bytes -= taken
      await rm(home, { recursive: true, force: true })
      throw error
    }
  }

  return {
    /** The absolute folder of the uploads. */
    folder: resolve(folder),
    /**
     * Saves an upload for `POST /upload` (section 4). Memory use doesn't depend on the size of the upload. A failed upload leaves nothing
     * behind.
     * @param announced the declared size in bytes; 0 if unknown
     * @throws HttpError 400 if empty or larger than 500 MiB, 500 if there is no space or there are too many uploads; errors of the file
     * system and the connection
     */
    save(name: UploadName, body: Readable, announced = 0): Promise<Upload> {
      const upload = save(name, body, announced)
      const forget = () => void saving.delete(upload)
      saving.add(upload)
      upload.then(forget, forget)
      return upload
    },
    /** Resolves when no upload is being saved and failed ones have been removed. */
    async settled(): Promise<void> {
      await Promise.allSettled(saving)
    },
    /**
     * Removes expired uploads and partial files of crashed processes.
     * @param inUse paths to keep regardless of their age
     */
    async sweep(inUse: ReadonlySet<string>): Promise<void> {
      await removeHalfWritten(folder)
      const kept = [...inUse]
      for (const entry of await entriesOf(folder)) {
        const home = join(folder, entry)
        const age = now() - (await modifiedAt(home))
        const isNeeded = kept.some((path) => path.startsWith(join(home, '/')))
        // The new modification time tells other services in the same folder that this upload hasn't expired.
        if (isNeeded) await touch(home, now())
        else if (age >= UPLOAD_RETENTION_MS) await rm(home, { recursive: true, force: true })
      }
      const counted = await countIn(folder)
      // Keep the running total while uploads are being saved, because they have grown since `countIn` counted them.
      if (saving.size === 0) used = counted
    },
  }
}

/** Removes files left by a crash, but not those that another service is receiving. */
async function removeHalfWritten(folder: string): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    const home = join(folder, entry)
    const partial = (await entriesOf(home)).find((name) => name.startsWith(PARTIAL))
    if (partial !== undefined && !isOwnerAlive(partial.slice(PARTIAL.length + 1)))
      await rm(home, { recursive: true, force: true })
  }
}

const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

async function countIn(folder: string) {
  const homes = await entriesOf(folder)
  let bytes = 0
  for (const home of homes) {
    for (const name of await entriesOf(join(folder, home)))
      bytes += (await stat(join(folder, home, name)).catch(() => undefined))?.size ?? 0
  }
  return { uploads: homes.length, bytes }
}

const touch = (path: string, time: number): Promise<void> =>
  utimes(path, time / 1_000, time / 1_000).catch(() => undefined)

/** Returns the modification time. A folder that has just been removed counts as new, because there is nothing left to remove. */
const modifiedAt = async (path: string): Promise<number> =>
  (await stat(path).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY

/** Reserves space for this many more bytes. Rejects if there isn't enough. */
type TakeSpace = (bytes: number) => Promise<void>

/** Writes the body to a file. @returns the number of bytes */
async function writeBody(body: Readable, path: string, takeSpace: TakeSpace): Promise<number> {
  await using file = await open(path, 'wx', 0o600)
  return await copyBody(body, file, takeSpace)
}

/**
 * Copies the body, reading more while the previous batch is being written. Leaving the loop early doesn't destroy the stream, because the
 * response to an oversized body uses the same connection.
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
    // The next `await writing` handles the failure. Until then, Node must not treat it as unhandled.
    writing.catch(() => undefined)
    batch = []
    batchBytes = 0
  }
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('Expected an upload as bytes')
      size += chunk.length
      if (size > MAX_UPLOAD_BYTES) throw new HttpError(400, failure('uploadTooLarge'))
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

/** Writes all buffers. `writev` may write less than requested, for example when the disk fills up. */
async function writeAll(file: FileHandle, buffers: readonly Buffer[]): Promise<void> {
  const total = buffers.reduce((sum, buffer) => sum + buffer.length, 0)
  if (total === 0) return
  const { bytesWritten } = await file.writev([...buffers])
  if (bytesWritten === total) return
  await file.writeFile(Buffer.concat(buffers).subarray(bytesWritten))
}
