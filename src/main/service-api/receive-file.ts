import { randomUUID } from 'node:crypto'
import { open, unlink, writeFile, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { failed, succeeded, type Result, type ServiceError } from '../../shared/service-error.ts'
import { publishFile, publishUnderFreeName } from '../../node/publish-file.ts'
import { codeOf } from '../../node/errors.ts'
import { numberedIn, withTrueEnding } from '../../node/file-name.ts'
import { mediaContentOf } from '../../node/media-content.ts'
import { startProgram, type Child } from '../../node/child-process.ts'
import type { Answer, Deadline } from './exchange.ts'
import { brokenExchange } from './failure.ts'

/**
 * In a folder, the name comes from the service, with the ending of what came, and gets a number where it is taken; a file has
 * to be new.
 */
export type DownloadTarget = { readonly folder: string } | { readonly file: string }

export type Downloaded = { readonly path: string; readonly bytes: number }

export type DownloadProgress = {
  /** In bytes. */
  readonly received: number
  /** In bytes, where the service says it. */
  readonly total: number | undefined
}

/**
 * Streams an answer into a temporary file in the target's folder, and gives it its place when it is whole.
 *
 * @param sender what the service suggests as a name, and where it is, for the system's mark of origin
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
    answer.body.destroy()
    return failed(unwritable(folder, error))
  }

  const received = await writeAll(answer, file, temporary, deadline, onProgress)
  await file.close().catch(() => undefined)
  if (received.ok) await markOrigin(temporary, sender.origin)
  const placed = received.ok ? await place(temporary, sender.name, target, received.value) : received
  if (!placed.ok) await unlink(temporary).catch(() => undefined)
  return placed
}

async function writeAll(
  answer: Answer,
  file: FileHandle,
  path: string,
  deadline: Deadline,
  onProgress?: (progress: DownloadProgress) => void,
): Promise<Result<number>> {
  const total = lengthOf(answer)
  let received = 0
  try {
    for await (const chunk of answer.body) {
      if (!(chunk instanceof Uint8Array)) continue
      const problem = await writeChunk(file, chunk, path)
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

async function writeChunk(
  file: FileHandle,
  chunk: Uint8Array,
  path: string,
): Promise<ServiceError | undefined> {
  try {
    for (let offset = 0; offset < chunk.byteLength;) {
      const { bytesWritten } = await file.write(chunk, offset)
      offset += bytesWritten
    }
    return undefined
  } catch (error) {
    return unwritable(path, error)
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
          message: `${target.file} exists already and was left as it is.`,
        })
  } catch (error) {
    return failed(unwritable('folder' in target ? target.folder : target.file, error))
  }
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'it is not a folder',
  EACCES: 'writing there is not allowed',
  EPERM: 'writing there is not allowed',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
}

function unwritable(path: string, error: unknown): ServiceError {
  const code = codeOf(error) || 'unknown'
  return { kind: 'localFile', path, code, message: `${path} can’t be written: ${WHY[code] ?? code}.` }
}

export type MarkingSystem = {
  readonly platform: NodeJS.Platform
  /** ms since 1970. */
  readonly clock: () => number
  readonly run: (program: string, args: readonly string[]) => Pick<Child, 'ended' | 'stdout'>
}

const THIS_SYSTEM: MarkingSystem = {
  platform: process.platform,
  clock: Date.now,
  run: (program, args) => startProgram(program, { args }),
}

/** The zone of the internet, in the words of Windows. */
const INTERNET = 3
/** Downloaded, and not yet looked at by the person: the flags that browsers set on a Mac. */
const QUARANTINE_FLAGS = '0081'

/**
 * Tells the system that a file came from somewhere else, so that it asks before it lets the file do anything.
 *
 * Windows keeps the mark in a stream beside the content, macOS in an attribute, which only a program can set from here. A
 * file system that has no room for either leaves the file unmarked. Linux desktops know no such mark. Never throws.
 *
 * @param path absolute; it keeps its mark under another name
 * @param origin the scheme and host that it came from, never an address with a key
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
