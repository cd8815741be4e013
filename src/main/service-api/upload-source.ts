import type { FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import { mediaKindOf, extensionOf } from '../../shared/media-types.ts'
import { failure, type Failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import { codeOf } from '../../node/errors.ts'
import { whyNotReadable } from '../../node/file-failure.ts'
import { acceptFile, type FileIdentity, openIdentified } from '../../node/file-identity.ts'
import { FailureError } from '../../shared/failure/failure-error.ts'

/** A file path, or a byte stream with its file name and exact size. */
export type UploadSource =
  | {
      readonly path: string
      readonly name?: string
      /** Identity of the file that the user added; absent to accept the file that is there now. */
      readonly identity?: FileIdentity | undefined
    }
  | { readonly bytes: AsyncIterable<Uint8Array>; readonly name: string; readonly size: number }

export type OpenedSource = ReturnType<typeof measured>

/**
 * Size of a buffer. It is large enough to need few event-loop ticks (half the size costs a quarter more CPU time), and larger than
 * any socket's high-water mark.
 */
const PART_BYTES = 1024 * 1024

/**
 * Number of buffers. They are reused, because the system clears each new page, which costs more than reading. A buffer is in use
 * until the socket has sent it. Each buffer is larger than a socket's high-water mark, so undici waits for the socket to drain
 * after each one. That limits the number in use to four: one in the socket, two in the stream, one being read. The pool has twice
 * as many.
 */
const PARTS = 8

/** Opens an upload source. Checks the limits of section 8 before reading a byte. */
export async function openUploadSource(source: UploadSource): Promise<Result<OpenedSource>> {
  if ('bytes' in source) {
    const refusal = whyNot(source.name, source.size)
    return refusal
      ? failed(refusal)
      : succeeded(measured(source.bytes, source.name, source.size, source.name))
  }
  const name = source.name ?? basename(source.path)
  try {
    const { identity } = source
    const { file, stats } = await (identity === undefined
      ? acceptFile(source.path)
      : openIdentified(source.path, identity))
    const size = Number(stats.size)
    const refusal = whyNot(name, size)
    if (refusal) {
      await file.close()
      return failed(refusal)
    }
    return succeeded({
      ...measured(parts(file), name, size, source.path),
      close: () => file.close(),
    })
  } catch (error) {
    return failed(notOpened(source.path, name, error))
  }
}

function notOpened(path: string, name: string, error: unknown): ServiceError {
  if (!(error instanceof FailureError)) return unreadable(path, error)
  if (error.failure.code === 'fileReplaced') return refused(error.failure)
  return error.cause === undefined
    ? refused(failure('localNotAFile', { name }))
    : unreadable(path, error.cause)
}

function whyNot(name: string, size: number): ServiceError | undefined {
  if (mediaKindOf(name) === undefined) {
    return refused(failure('localUnsupported', { name }))
  }
  if (size === 0) return refused(failure('localEmpty', { name }))
  if (size > MAX_UPLOAD_BYTES) {
    return refused(failure('localTooLarge', { name }))
  }
  return undefined
}

const refused = (why: Failure): ServiceError => ({ kind: 'refused', skipped: [], ...because(why) })

async function* parts(file: FileHandle): AsyncGenerator<Uint8Array> {
  const buffers = Array.from({ length: PARTS }, () => Buffer.allocUnsafeSlow(PART_BYTES))
  for (let next = 0; ; next = (next + 1) % PARTS) {
    const buffer = buffers[next]
    const part = buffer && (await filled(file, buffer))
    if (!part || part.byteLength === 0) return
    yield part
  }
}

/** Reads until the buffer is full or the file ends. A partly filled buffer wouldn't make the socket wait. */
async function filled(file: FileHandle, buffer: Buffer): Promise<Buffer> {
  let length = 0
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/**
 * Counts the bytes as they pass, and fails unless there are exactly `size`. Otherwise, the service would store a truncated file, or part of
 * another request.
 */
function measured(bytes: AsyncIterable<Uint8Array>, name: string, size: number, path: string) {
  let trouble: ServiceError | undefined

  async function* counted(): AsyncGenerator<Uint8Array> {
    const source = bytes[Symbol.asyncIterator]()
    // Only reading is inside the `try`, because connection errors surface here as well, at the `yield`.
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
        ...because(failure('localChanged', { name })),
      }
      throw new Error(trouble.message)
    }
  }

  const body = Readable.from(counted(), { objectMode: false, highWaterMark: PART_BYTES })
  return {
    name,
    size,
    body,
    /** Returns the local error that interrupted reading, if any. */
    trouble: (): ServiceError | undefined => trouble,
    close: (): Promise<void> => Promise.resolve(),
  }
}

function unreadable(path: string, error: unknown): ServiceError {
  const code = codeOf(error) || 'unknown'
  const why = failure('localUnreadable', { path, reason: whyNotReadable(error) })
  return { kind: 'localFile', path, code, ...because(why) }
}

/** Limits names to a length that every file system accepts, in case a service stores them unchanged. */
const LONGEST_HEADER = 200

/**
 * Encodes a file name as the value of `X-Filename` (section 4). A header can contain only printable ASCII, and the spec says only
 * "a file name ending in one of …". Everything else is therefore percent-encoded as UTF-8, including the percent sign. A service
 * that decodes gets the exact name; any other service still gets a valid and unique one. If a name is too long, whole characters
 * before the extension are dropped, never the extension.
 */
export function uploadName(name: string): string {
  const extension = extensionOf(name)
  const stem = extension === '' ? name : name.slice(0, -extension.length - 1)
  const tail = extension === '' ? '' : `.${extension}`

  let head = ''
  for (const character of stem.toWellFormed()) {
    const encoded =
      /^[\x20-\x7e]$/.test(character) && character !== '%' ? character : encodeURIComponent(character)
    if (head.length + encoded.length + tail.length > LONGEST_HEADER) break
    head += encoded
  }
  return `${head.trim() === '' ? 'file' : head.trimStart()}${tail}`
}
