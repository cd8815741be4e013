import { randomUUID } from 'node:crypto'
import { open, unlink, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { failure } from '../../shared/failure/failure.ts'
import { because, failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import { publishFile, publishUnderFreeName } from '../../node/publish-file.ts'
import { codeOf } from '../../node/errors.ts'
import { whyNotWritable } from '../../node/file-failure.ts'
import { keepReserve } from '../../node/free-space.ts'
import { numberedIn, withTrueEnding } from '../../node/file-name.ts'
import { openRegular } from '../../node/open-regular.ts'
import { mediaContentOf } from '../../node/media-content.ts'
import { startProgram, type Child } from '../../node/child-process.ts'
import type { Answer, Deadline } from './exchange.ts'
import { brokenExchange } from './failure.ts'

/**
 * Target of a download. In a folder, the file gets the name that the service suggests. The extension is changed to match the content, and a
 * number is added if the name is taken. A target file must not exist yet.
 */
export type DownloadTarget = { readonly folder: string } | { readonly file: string }

export type Downloaded = { readonly path: string; readonly bytes: number }

export type DownloadProgress = {
  /** In bytes. */
  readonly received: number
  /** In bytes, if the service reports it. */
  readonly total: number | undefined
}

/**
 * Streams a response into a temporary file in the target folder, and renames it when complete.
 * @param sender suggested file name, and the origin for the system's download mark
 */
export async function receiveFile(
  answer: Answer,
  sender: { readonly name: string; readonly origin: string },
  target: DownloadTarget,
  deadline: Deadline,
  onProgress?: (progress: DownloadProgress) => void,
): Promise<Result<Downloaded>> {
  const folder = 'folder' in target ? target.folder : dirname(target.file)
  const temporary = join(folder, `.mediatray-${randomUUID()}.part`)
  let file: FileHandle
  try {
    file = await open(temporary, 'wx')
  } catch (error) {
    // Destroying a body that is still arriving emits an error.
    answer.body.on('error', () => undefined).destroy()
    return failed(unwritable(folder, error))
  }

  const received = await writeAll(answer, file, temporary, deadline, onProgress)
  await file.close().catch(() => undefined)
  const whole = received.ok && (await isNoResult(temporary).catch(() => false)) ? failed(NO_RESULT) : received
  if (whole.ok) await markOrigin(temporary, sender.origin)
  const placed = whole.ok ? await place(temporary, sender.name, target, whole.value) : whole
  if (!placed.ok) await unlink(temporary).catch(() => undefined)
  return placed
}

const NO_RESULT: ServiceError = {
  kind: 'badResponse',
  route: 'GET /download/{jobId}',
  field: 'body',
  ...because(failure('serviceSentNoMedia')),
}

/** Matches the start of a web page, or of a JSON error sent instead of a file. */
const MARKUP = /^\uFEFF?\s*(?:<[!?a-z]|[{[]\s*["{[])/i

/** Whether a file is empty, a web page or a JSON error. Other unknown content may be a new media format. */
async function isNoResult(path: string): Promise<boolean> {
  await using file = await openRegular(path, 'refuse')
  if (file === undefined) return true
  const { bytesRead, buffer } = await file.read(Buffer.alloc(64), 0, 64, 0)
  return bytesRead === 0 || MARKUP.test(buffer.toString('utf8', 0, bytesRead))
}

async function writeAll(
  answer: Answer,
  file: FileHandle,
  path: string,
  deadline: Deadline,
  onProgress?: (progress: DownloadProgress) => void,
): Promise<Result<number>> {
  const total = lengthOf(answer)
  const requireRoom = keepReserve(dirname(path))
  let received = 0
  try {
    const tooLarge = await attempt(() => requireRoom(total ?? 0, 'announced'), path)
    if (tooLarge) return failed(tooLarge)
    for await (const chunk of answer.body) {
      if (!(chunk instanceof Uint8Array)) continue
      // Any received data restarts the limit, because a large video can take hours over a slow network. This is safe: the user sees the
      // progress and can cancel, and the download can't exhaust the memory or the disk.
      const problem = await attempt(async () => {
        await requireRoom(chunk.byteLength)
        await writeChunk(file, chunk)
      }, path)
      if (problem) return failed(problem)
      received += chunk.byteLength
      deadline.touch()
      onProgress?.({ received, total })
    }
    return succeeded(received)
  } catch (cause) {
    return failed(brokenExchange({ sent: true, cause }, deadline))
  }
}

async function attempt(write: () => Promise<void>, path: string): Promise<ServiceError | undefined> {
  try {
    await write()
    return undefined
  } catch (error) {
    return unwritable(path, error)
  }
}

async function writeChunk(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength;) {
    const { bytesWritten } = await file.write(chunk, offset)
    offset += bytesWritten
  }
}

function lengthOf(answer: Answer): number | undefined {
  const header = answer.headers['content-length']
  return typeof header === 'string' && /^\d+$/.test(header) ? Number(header) : undefined
}

async function place(
  temporary: string,
  name: string,
  target: DownloadTarget,
  bytes: number,
): Promise<Result<Downloaded>> {
  try {
    if ('folder' in target) {
      const trueName = withTrueEnding(name, await mediaContentOf(temporary))
      const path = await publishUnderFreeName(temporary, numberedIn(target.folder, trueName))
      return succeeded({ path, bytes })
    }
    return (await publishFile(temporary, target.file))
      ? succeeded({ path: target.file, bytes })
      : failed({
          kind: 'localFile',
          path: target.file,
          code: 'EEXIST',
          ...because(failure('localExists', { path: target.file })),
        })
  } catch (error) {
    return failed(unwritable('folder' in target ? target.folder : target.file, error))
  }
}

function unwritable(path: string, error: unknown): ServiceError {
  const code = codeOf(error) || 'unknown'
  const unwritable = failure('localUnwritable', { path, reason: whyNotWritable(error) })
  return { kind: 'localFile', path, code, ...because(unwritable) }
}

export type MarkingSystem = {
  readonly platform: NodeJS.Platform
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly run: (program: string, args: readonly string[]) => Pick<Child, 'ended' | 'stdout'>
}

const THIS_SYSTEM: MarkingSystem = {
  platform: process.platform,
  clock: Date.now,
  run: (program, args) => startProgram(program, { args }),
}

/** ID of the Internet zone on Windows. */
const INTERNET = 3
/** The flags that browsers set on macOS: downloaded and not yet opened by the user. */
const QUARANTINE_FLAGS = '0081'

/**
 * Marks a file as downloaded, so that the system warns before running it. Windows stores the mark in an alternate data stream,
 * macOS in an extended attribute, which only an external program can set from here. If the file system supports neither, the file
 * stays unmarked. Linux desktops don't have such a mark. Never throws.
 *
 * @param path absolute; renaming the file keeps the mark
 * @param origin scheme and host of the source, never an address with a key
 */
export async function markOrigin(
  path: string,
  origin: string,
  { platform, clock, run }: MarkingSystem = THIS_SYSTEM,
): Promise<void> {
  if (platform === 'win32') {
    const zone = `[ZoneTransfer]\r\nZoneId=${INTERNET}\r\nHostUrl=${origin}\r\n`
    await writeFile(`${path}:Zone.Identifier`, zone).catch(() => undefined)
  }
  if (platform === 'darwin') {
    const seconds = Math.floor(clock() / 1000).toString(16)
    const value = `${QUARANTINE_FLAGS};${seconds};Mediatray;`
    const marking = run('/usr/bin/xattr', ['-w', 'com.apple.quarantine', value, path])
    marking.stdout.resume()
    await marking.ended
  }
}
