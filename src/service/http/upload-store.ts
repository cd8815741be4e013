import { chmod, type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import type { Upload } from '../../shared/api/resources.ts'
import { Refusal } from '../queue/index.ts'
import type { UploadName } from './upload-name.ts'

/** Uploads that no job in progress needs are kept this long, in ms. */
export const UPLOAD_RETENTION_MS = 24 * 60 * 60 * 1000

/** Gathered before each write: large enough to make system calls rare, small enough not to be felt. */
const WRITE_BYTES = 1024 * 1024

export type UploadStore = {
  /**
   * Section 4, `POST /upload`. Memory use does not depend on the size. Nothing stays behind when it fails.
   * @throws Refusal 400 when empty or larger than 500 MiB; what the file system or the connection throws
   */
  save(name: UploadName, body: Readable): Promise<Upload>
  /** Removes uploads past their time. @param inUse paths that must stay whatever their age */
  sweep(inUse: ReadonlySet<string>): Promise<void>
  /** Resolves when no upload is being saved, and nothing of those that failed is left. */
  settled(): Promise<void>
}

export type UploadStoreOptions = {
  readonly folder: string
  readonly newId: () => string
  readonly now: () => number
}

/** Every upload has a folder of its own, so that its file can keep its name. */
export async function openUploadStore({ folder, newId, now }: UploadStoreOptions): Promise<UploadStore> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // An older folder may have been made with other rights.
  await chmod(folder, 0o700)
  await removeHalfWritten(folder)

  async function save(name: UploadName, body: Readable): Promise<Upload> {
    const place = join(folder, newId())
    const filePath = join(place, name.safe)
    const partialPath = join(place, '.partial')
    await mkdir(place, { mode: 0o700 })
    try {
      const size = await writeBody(body, partialPath)
      if (size === 0) throw new Refusal(400, 'The body is empty')
      await rename(partialPath, filePath)
      return { filePath, originalName: name.original, size }
    } catch (error) {
      await rm(place, { recursive: true, force: true })
      throw error
    }
  }

  const saving = new Set<Promise<unknown>>()
  return {
    save(name, body) {
      const upload = save(name, body)
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
      for (const entry of await readdir(folder)) {
        const place = join(folder, entry)
        const age = now() - (await modifiedAt(place))
        const isNeeded = kept.some((path) => path.startsWith(join(place, '/')))
        if (age >= UPLOAD_RETENTION_MS && !isNeeded) await rm(place, { recursive: true, force: true })
      }
    },
  }
}

/** What a crash in the middle of an upload has left. */
async function removeHalfWritten(folder: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    const place = join(folder, entry)
    const names = await readdir(place).catch((): string[] => [])
    if (names.includes('.partial')) await rm(place, { recursive: true, force: true })
  }
}

/** Of a folder that has just gone, the time counts as now: there is nothing to remove. */
const modifiedAt = (path: string): Promise<number> =>
  stat(path).then(
    (info) => info.mtimeMs,
    () => Number.POSITIVE_INFINITY,
  )

/** @returns the number of bytes */
async function writeBody(body: Readable, path: string): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    return await copyBody(body, file)
  } finally {
    await file.close()
  }
}

/**
 * Reads on while the last batch is being written. The stream survives an early end of the loop, because the answer to a
 * body that is too large goes through the same connection.
 */
async function copyBody(body: Readable, file: FileHandle): Promise<number> {
  let size = 0
  let batch: Buffer[] = []
  let batchBytes = 0
  let writing: Promise<void> = Promise.resolve()
  const flush = async () => {
    await writing
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
      if (size > MAX_UPLOAD_BYTES) throw new Refusal(400, 'The file is larger than 500 MiB')
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
