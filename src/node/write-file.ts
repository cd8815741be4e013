/** Writes small files and links atomically. docs/decisions/writing-files.md explains why it doesn't use a library. */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Modes of the app's own folders and files: only the user can access them. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** The mode of files that the user saves under a chosen name. The system's umask applies. */
export const USUAL_MODE = 0o666

/** Returns the path of a new hidden file in the same folder, because a rename is atomic only within one file system. */
const temporaryBeside = (path: string): string => join(dirname(path), `.${randomUUID()}.tmp`)

/**
 * Replaces a file atomically after flushing the new content to disk. Creates the folder if it doesn't exist.
 * @param path absolute. A link is replaced and not followed: in a shared folder, it may belong to someone else
 * @param mode of the file
 * @throws the file system's error; the old file is then unchanged
 */
export async function writeWhole(
  path: string,
  content: string | AsyncIterable<string>,
  mode = FILE_MODE,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
  const temporary = temporaryBeside(path)
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      // `writeFile` continues after a short write. A bare `write` would leave half a file on a disk that fills up.
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/**
 * Synchronous version of `writeWhole`.
 * @param temporary a new file in the same folder, for callers that remove such files of killed processes
 */
export function writeWholeSync(path: string, content: string, temporary = temporaryBeside(path)): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })
  replaceBy(temporary, path, () => {
    const file = openSync(temporary, 'wx', FILE_MODE)
    try {
      writeFileSync(file, content)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  })
}

/**
 * Replaces a link atomically.
 * @throws the file system's error; the old link is then unchanged
 */
export function replaceLinkSync(path: string, target: string): void {
  const temporary = temporaryBeside(path)
  replaceBy(temporary, path, () => symlinkSync(target, temporary))
}

function replaceBy(temporary: string, path: string, create: () => void): void {
  try {
    create()
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
