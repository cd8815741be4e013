/** Moves a finished file to its destination, and gives it its final name and dates. */
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import type { BigIntStats } from 'node:fs'
import path from 'node:path'
import { type FinishedFile } from '../../media/protocol.ts'
import { contentHash } from '../../node/content-hash.ts'
import { hasCode } from '../../node/errors.ts'
import { fingerprintOf } from '../../node/file-fingerprint.ts'
import { isTakenAway } from '../../node/mounted-disk.ts'
import type { FileIdentity } from '../../node/file-identity.ts'
import type { Placing } from '../../node/placement-notes.ts'
import { openFolderBelow, type OpenedFolder } from '../../node/opened-folder.ts'
import { openToReaders } from '../../node/result-permissions.ts'
import { type NoteReservation, publishUnderFreeName } from '../../node/publish-file.ts'
import type { ResultRules } from '../../shared/preset/preset.ts'
import { type NamedResult, outputName } from './output-name.ts'
import { keepDates } from './result-dates.ts'

export type PlacedResult = NamedResult & {
  /** Absolute. Never written to. */
  readonly inputPath: string
  /** The input's identity when the job was accepted. If absent, any file at the path is accepted. */
  readonly identity?: FileIdentity | undefined
  /** Absolute; must exist. The result appears in this folder or a subfolder under its final name only when it is complete. */
  readonly outputFolder: string
  /** Where the output folder's disk is mounted (`mountPointOf`). */
  readonly mount?: string | undefined
  /** Folder names below `outputFolder` that lead to the result's folder. */
  readonly subfolder: readonly string[]
  readonly rules: ResultRules
  /** Called before the file is moved to its final name, which was unused. */
  readonly onPlacing?: ((to: Placing) => Promise<void>) | undefined
}

/**
 * Moves a finished file to its final path.
 * @param original attributes of the input when it was read
 * @returns the result's absolute path
 */
export async function placeResult(
  result: PlacedResult,
  original: BigIntStats,
  file: FinishedFile,
  noteReservation?: NoteReservation,
): Promise<string> {
  const { rules, outputFolder, mount, subfolder } = result
  if (rules.dates === 'keep') await keepDates(original, file.temporaryPath)
  const { ino, size, birthtimeNs, mtimeMs: date } = await openToReaders(file.temporaryPath, original)
  if (await isTakenAway(mount)) throw diskGone(outputFolder)
  const isCopy = file.isCopy ?? file.notes.includes('original-kept')
  const made = {
    inode: String(ino),
    born: String(birthtimeNs),
    size: Number(size),
    isCopy,
    quality: file.quality,
    read: fingerprintOf(original),
  }
  const sha256 = result.onPlacing === undefined ? '' : await contentHash(file.temporaryPath, made.size)
  const nameOf = outputName(rules.name, result, { ...file, date: Number(date) })
  const shown = path.join(outputFolder, ...subfolder)
  await using folder = await openSubfolder(outputFolder, subfolder)
  /** The path as users know it. */
  const known = (target: string) => path.join(shown, path.basename(target))
  const target = await publishUnderFreeName(
    file.temporaryPath,
    (attempt) => path.join(folder.access, nameOf(attempt)),
    noteReservation && ((reserved) => noteReservation(known(reserved))),
    (free) => result.onPlacing?.({ path: known(free), ...made, sha256 }),
  )
  return known(target)
}

export const diskGone = (folder: string): FailureError => new FailureError(failure('diskRemoved', { folder }))

/**
 * Opens the folder for results and creates missing subfolders. Existing subfolders must be real folders: a link could lead anywhere, but
 * results are written only below the folder that the user chose.
 */
async function openSubfolder(outputFolder: string, subfolder: readonly string[]): Promise<OpenedFolder> {
  try {
    return await openFolderBelow(outputFolder, subfolder)
  } catch (error) {
    if (!hasCode(error, 'ELOOP') && !hasCode(error, 'ENOTDIR')) throw error
    const folder = path.join(outputFolder, ...subfolder)
    throw new FailureError(failure('folderNotReal', { folder }), { cause: error })
  }
}
