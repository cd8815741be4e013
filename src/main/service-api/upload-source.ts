import { open, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { MAX_UPLOAD_BYTES } from '../../shared/api/limits.ts'
import { mediaKindOf, extensionOf } from '../../shared/media-types.ts'
import { failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import { codeOf } from '../../node/errors.ts'

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

/**
 * Large enough for few turns of the event loop: with half of it the process takes a quarter more time of its own. Larger than what
 * any socket takes before it says wait.
 */
const PART_BYTES = 1024 * 1024

/**
 * New memory for every part would cost more than the reading: the system clears each page first. So parts are used again.
 * A part is in use until the socket has passed it on. Since each is larger than a socket's high-water mark, undici waits
 * for the socket to empty after every one, so that no more than four are in use: one in the socket, two ahead in the
 * stream, one being read. Twice as many are kept.
 */
const PARTS = 8

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
  const buffers = Array.from({ length: PARTS }, () => Buffer.allocUnsafeSlow(PART_BYTES))
  for (let turn = 0; ; turn = (turn + 1) % PARTS) {
    const buffer = buffers[turn]
    const part = buffer && (await filled(file, buffer))
    if (!part || part.byteLength === 0) return
    yield part
  }
}

/** Reads until the buffer is full or the file at its end: a short part would not make the socket wait. */
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
  const code = codeOf(error) || 'unknown'
  const why = code === 'ENOENT' ? 'it does not exist' : code === 'EACCES' ? 'reading it is not allowed' : code
  return { kind: 'localFile', path, code, message: `${path} can’t be read: ${why}.` }
}

/** Keeps the name usable as a file name on every system by a service that stores it as it came. */
const LONGEST_HEADER = 200

/**
 * A file's name as the value of `X-Filename` (section 4). A header can only hold printable ASCII, and the spec says no
 * more than "a file name ending in one of …", so everything else is percent-encoded as UTF-8, and so is the percent sign
 * itself: a service that decodes gets the exact name, one that doesn't still gets a valid and distinct one. A name that
 * would become very long loses whole characters before its extension, never the extension.
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
