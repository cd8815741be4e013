/**
 * Opens the file that was accepted, and no other file. Between acceptance and reading, which may be hours apart, another user may replace
 * it with a link to a private file (docs/decisions/opened-once.md).
 */
import { type BigIntStats, fstatSync, readlinkSync } from 'node:fs'
import { type FileHandle, lstat, realpath } from 'node:fs/promises'
import path from 'node:path'
import { failure } from '../shared/failure/failure.ts'
import { FailureError } from '../shared/failure/failure-error.ts'
import { hasCode } from './errors.ts'
import { whyNotReadable } from './file-failure.ts'
import { openRegular } from './open-regular.ts'
import { ifPossible } from './if-possible.ts'

/** Identifies a file as it was when it was accepted, as text that can be stored and sent. Written by `identityOf`. */
export type FileIdentity = string

export type IdentifiedFile = AsyncDisposable & {
  readonly file: FileHandle
  readonly stats: BigIntStats
  readonly identity: FileIdentity
  /** Absolute, without links. */
  readonly realPath: string
}

/**
 * Opens a file.
 * @param file absolute
 * @param identity the file's identity when it was accepted; undefined accepts the file now, and follows links for the last time
 * @throws FailureError `fileReplaced` if another file is there now, or another FailureError if the file can't be read
 */
export async function openIdentified(file: string, identity?: FileIdentity): Promise<IdentifiedFile> {
  try {
    return identity === undefined ? await acceptFile(file) : await openAs(file, parse(identity, file))
  } catch (error) {
    if (error instanceof FailureError) throw error
    throw new FailureError(failure('fileUnreadable', { reason: whyNotReadable(error) }), { cause: error })
  }
}

/**
 * Opens a file that the user has just added. Follows links for the last time.
 * @param realPath the file's path without links, if it is known. Then no link is followed, even if a folder has since been replaced by one
 * @throws FailureError `fileReplaced` if the file isn't at `realPath` without links, or another FailureError if it isn't a regular file;
 * otherwise the file system's error
 */
export async function acceptFile(file: string, realPath?: string): Promise<IdentifiedFile> {
  const opened = await openAs(file, { realPath: realPath ?? (await realPathOfFile(file)) })
  try {
    if (realPath !== undefined && !(await isAt(realPath, opened.stats, opened.file))) throw replaced(file)
    return opened
  } catch (error) {
    await opened.file.close()
    throw error
  }
}

async function openAs(given: string, known: Known | Pick<Known, 'realPath'>): Promise<IdentifiedFile> {
  const { realPath } = known
  const file = await openRegular(realPath, 'refuse').catch((error: unknown) => {
    // A link has replaced the file.
    throw hasCode(error, 'ELOOP') ? replaced(given, error) : error
  })
  if (file === undefined) throw replaced(given)
  try {
    const stats = fstatSync(file.fd, { bigint: true })
    if ('inode' in known && !isSame(known, stats) && !(await isSavedAgain(known, stats, file)))
      throw replaced(given)
    return {
      file,
      stats,
      identity: identityOf(stats, given, realPath),
      realPath,
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Returns a file's path without links. Refuses devices without opening them, because opening may already have an effect. */
async function realPathOfFile(given: string): Promise<string> {
  const realPath = await realpath(given)
  const found = await lstat(realPath)
  if (found.isDirectory()) throw new FailureError(failure('fileIsFolder'))
  if (!found.isFile() && !found.isSymbolicLink()) throw new FailureError(failure('fileNotRegular'))
  return realPath
}

const replaced = (file: string, cause?: unknown): FailureError =>
  new FailureError(failure('fileReplaced', { name: path.basename(file) }), { cause })

type Known = {
  readonly device: bigint
  readonly inode: bigint
  readonly owner: bigint
  readonly group: bigint
  readonly mode: number
  readonly realPath: string
}

const NUMBERS = 5

/** @param realPath the path without links, which is stored only if it differs */
function identityOf({ dev, ino, uid, gid, mode }: BigIntStats, file: string, realPath: string): FileIdentity {
  const numbers = [dev, ino, uid, gid, mode & 0o777n]
  return [...numbers, ...(realPath === file ? [] : [realPath])].join(':')
}

function parse(identity: FileIdentity, file: string): Known {
  const parts = identity.split(':')
  const [device = -1n, inode = -1n, owner = -1n, group = -1n, mode = -1n] = parts
    .slice(0, NUMBERS)
    .map(numberIn)
  const realPath = parts.length > NUMBERS ? parts.slice(NUMBERS).join(':') : file
  return { device, inode, owner, group, mode: Number(mode), realPath }
}

/** Returns the path without links that a file had when it was accepted. */
export const realPathIn = (identity: FileIdentity, file: string): string => parse(identity, file).realPath

/** Reads a number. Other text becomes -1, which no file has. */
const numberIn = (text: string): bigint => (/^\d{1,20}$/.test(text) ? BigInt(text) : -1n)

const isSame = ({ device, inode }: Known, { dev, ino }: BigIntStats): boolean =>
  device === dev && inode === ino

/**
 * Whether the user saved the file again: editors write a new file and rename it. Device numbers may also change with a restart. The file
 * must be at the accepted path without links, belong to the same user, and be readable by everyone who could read the accepted file. This
 * excludes a private file, whether someone links to it, links a folder to its folder, or gives it a second name here.
 */
async function isSavedAgain(known: Known, stats: BigIntStats, file: FileHandle): Promise<boolean> {
  return known.owner === stats.uid && isAsReadable(known, stats) && (await isAt(known.realPath, stats, file))
}

const GROUP_READS = 0o040
const OTHERS_READ = 0o004

function isAsReadable(known: Known, { mode: bits, gid }: BigIntStats): boolean {
  const mode = Number(bits)
  if ((mode & OTHERS_READ) !== 0) return true
  if ((known.mode & OTHERS_READ) !== 0) return false
  return (known.mode & GROUP_READS) === 0 || ((mode & GROUP_READS) !== 0 && gid === known.group)
}

/** Returns the path of an open file on Linux; undefined if it isn't known, and on other systems. */
function placeOf({ fd }: FileHandle): string | undefined {
  if (process.platform !== 'linux') return undefined
  // The kernel has the path in memory, so this call doesn't block. A call on another thread would take much longer.
  return ifPossible(() => readlinkSync(`/proc/self/fd/${fd}`))
}

/**
 * Whether an open file is at a path. Linux reports the path of an open file. Otherwise, compares the open file with the one at the path.
 */
async function isAt(realPath: string, { dev, ino }: BigIntStats, file: FileHandle): Promise<boolean> {
  const place = placeOf(file)
  if (place !== undefined) return place === realPath
  if ((await realpath(realPath)) !== realPath) return false
  const found = await lstat(realPath, { bigint: true })
  return found.dev === dev && found.ino === ino
}

export type Readers = Pick<BigIntStats, 'mode' | 'gid'>

/** Returns the permissions that all of the files have in common; undefined if none is known. */
export function readersOfAll(identities: readonly (FileIdentity | undefined)[]): Readers | undefined {
  const known = identities.flatMap((identity) => (identity === undefined ? [] : [parse(identity, '')]))
  const [first] = known
  if (first === undefined) return undefined
  const mode = known.reduce((common, one) => common & one.mode, first.mode)
  return { mode: BigInt(mode), gid: known.every(({ group }) => group === first.group) ? first.group : -1n }
}

/**
 * Returns the permissions for a file that is made from another file. Users who couldn't read or change the original can't read or change
 * the new file either. The umask isn't considered.
 * @param made the new file, whose group decides whether the group's permissions apply
 */
export function modeAtMost(original: Readers, made: Pick<BigIntStats, 'gid'>): number {
  const mode = Number(original.mode)
  const others = mode & 0o006
  const group = original.gid === made.gid ? mode & 0o060 : mode & 0o060 & (others << 3)
  return 0o600 | group | others
}
