import { open, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import { failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import { hasCode } from './failure.ts'

/** A file by its path, or bytes from anywhere else together with a name and their exact number. */
export type UploadSource =
  | { readonly path: string; readonly name?: string }
  | { readonly bytes: AsyncIterable<Uint8Array>; readonly name: string; readonly size: number }

export type OpenedSource = {
  readonly name: string
  readonly size: number
  readonly body: Readable
  /** What went wrong on this side while it was read, if anything did. */
  readonly trouble: () => ServiceError | undefined
  readonly close: () => Promise<void>
}

/** A large part at a time: fewer turns of the event loop for each MiB, and still little memory. */
const PART_BYTES = 1024 * 1024

/** Opens what is to be uploaded. The limits of section 8 are checked here, before a byte is read. */
export async function openUploadSource(source: UploadSource): Promise<Result<OpenedSource>> {
  if ('bytes' in source) {
    const refusal = whyNot(source.name, source.size)
    return refusal
      ? failed(refusal)
      : succeeded(measured(source.bytes, source.name, source.size, source.name))
  }
  const name = source.name ?? basename(source.path)
  try {
    const file = await open(source.path, 'r')
    const stats = await file.stat()
    const refusal = stats.isFile() ? whyNot(name, stats.size) : refused(`${name} is not a file.`)
    if (refusal) {
      await file.close()
      return failed(refusal)
    }
    return succeeded({
      ...measured(parts(file), name, stats.size, source.path),
      close: () => file.close(),
    })
  } catch (error) {
    return failed(unreadable(source.path, error))
  }
}

function whyNot(name: string, size: number): ServiceError | undefined {
  if (mediaKindOf(name) === undefined) {
    return refused(`${name} is not of a kind that the service takes.`)
  }
  if (size === 0) return refused(`${name} is empty.`)
  if (size > MAX_UPLOAD_BYTES) {
    return refused(`${name} is larger than the 500 MiB that the service takes.`)
  }
  return undefined
}

const refused = (message: string): ServiceError => ({ kind: 'refused', skipped: [], message })

async function* parts(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    // A fresh buffer for every part: the one before may still wait in the socket.
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PART_BYTES), 0, PART_BYTES)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/**
 * The bytes, counted while they pass: what does not have the length that was announced would leave the service with a
 * broken file, or with another's.
 */
function measured(bytes: AsyncIterable<Uint8Array>, name: string, size: number, path: string): OpenedSource {
  let trouble: ServiceError | undefined

  async function* counted(): AsyncGenerator<Uint8Array> {
    const source = bytes[Symbol.asyncIterator]()
    // Only the reading stands in a `try`: when the connection breaks, that error arrives here as well, at the `yield`.
    const next = async () => {
      try {
        return await source.next()
      } catch (error) {
        trouble = unreadable(path, error)
        throw error
      }
    }
    let count = 0
    try {
      for (let part = await next(); part.done !== true; part = await next()) {
        count += part.value.byteLength
        if (count > size) break
        yield part.value
      }
    } finally {
      await source.return?.()
    }
    if (count !== size) {
      trouble = {
        kind: 'localFile',
        path,
        code: 'changed',
        message: `${name} changed while it was being read.`,
      }
      throw new Error(trouble.message)
    }
  }

  const body = Readable.from(counted(), { objectMode: false, highWaterMark: PART_BYTES })
  return {
    name,
    size,
    body,
    trouble: () => trouble,
    close: () => Promise.resolve(),
  }
}

function unreadable(path: string, error: unknown): ServiceError {
  const code = hasCode(error) ? error.code : 'unknown'
  const why = code === 'ENOENT' ? 'it does not exist' : code === 'EACCES' ? 'reading it is not allowed' : code
  return { kind: 'localFile', path, code, message: `${path} can’t be read: ${why}.` }
}
