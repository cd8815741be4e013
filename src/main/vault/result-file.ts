/**
 * Decides whether a reported result may be touched. A service can report any path, even another photo's, so only regular files in the job's
 * own results folder are ever changed, moved or deleted.
 */
import { lstat, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isAtOrBelow, isBelow } from '../../node/contained-path.ts'
import { withTrueEnding } from '../../node/file-name.ts'
import { mediaContentOf } from '../../node/media-content.ts'
import { partlyRealPath } from '../../node/trusted-path.ts'
import type { KeptReason } from '../../shared/model/replacement.ts'
import { isOwnVault } from './vault-folder.ts'
import { COPIES, KeepOriginal, outputOf, withEndingOf } from './vault-parts.ts'

type NotOurs = Extract<KeptReason, 'noResult' | 'badResult' | 'misplaced'>

/**
 * Returns why a reported result must not be touched; undefined if it is the job's own file. Never throws. Check this again before each
 * use, because the service can still write to the folder. Paths outside the folder are compared as text and never accessed.
 */
export async function whyForeign(job: string, result: string): Promise<NotOurs | undefined> {
  if (result === '') return 'noResult'
  const why = await whyOutside(job, result)
  if (why !== undefined) return why
  const found = await lstat(result).catch(() => undefined)
  if (found?.isFile() !== true) return 'noResult'
  // Another hard link to it may be one of the user's files.
  return found.nlink > 1 ? 'badResult' : undefined
}

async function whyOutside(job: string, result: string): Promise<NotOurs | undefined> {
  const output = outputOf(job)
  const isOwn = await isOwnFolder(job)
  // The usual case: no part of the path below the vault is a link.
  if (isOwn && dirname(result) === output) return undefined
  const folder = isOwn ? await partlyRealPath(output) : undefined
  const isHere = (path: string) => folder !== undefined && isAtOrBelow(path, folder)
  if (!isBelow(result, output, process.platform) && !isHere(result)) return 'misplaced'
  return isHere(await partlyRealPath(dirname(result))) ? undefined : 'misplaced'
}

/** @throws KeepOriginal */
export async function requireOwnResult(job: string, result: string): Promise<void> {
  const why = await whyForeign(job, result)
  if (why !== undefined) throw new KeepOriginal(why)
}

/**
 * Returns where a result belongs. If its extension differs from the original's, its content determines the extension, so that a photo never
 * gets the extension of a program.
 */
export async function placeFor(original: string, result: string): Promise<string> {
  const content = await mediaContentOf(result).catch(() => undefined)
  const place = withEndingOf(original, result)
  return place === original ? place : withEndingOf(original, withTrueEnding(basename(result), content))
}

/**
 * Deletes a result if it is the job's own file. No other function deletes results by their reported paths.
 * @throws the file system's error
 */
export async function deleteResult(job: string, result: string): Promise<void> {
  if ((await whyForeign(job, result)) === undefined) await rm(result, { force: true })
}

/** Deletes everything in the job's results folder except these files. Links are deleted, but not the files that they lead to. */
export async function clearResults(job: string, except: ReadonlySet<string | null>): Promise<void> {
  if (!(await isOwnFolder(job))) return
  const output = outputOf(job)
  for (const name of await readdir(output).catch(() => [])) {
    const path = join(output, name)
    if (!except.has(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Deletes copies from other volumes that a crash left unfinished. */
export async function clearCopies(job: string): Promise<void> {
  if (await isOwnVault(dirname(job)))
    await rm(join(job, COPIES), { recursive: true, force: true }).catch(() => undefined)
}

/** Whether the job's folder and its results folder exist in a vault of this user. False if one was replaced by a link. */
async function isOwnFolder(job: string): Promise<boolean> {
  if (!(await isOwnVault(dirname(job)))) return false
  const [folder, output] = await Promise.all(
    [job, outputOf(job)].map((path) => lstat(path).catch(() => null)),
  )
  return folder?.isDirectory() === true && output?.isDirectory() === true
}
