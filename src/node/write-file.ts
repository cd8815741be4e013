/**
 * Writing a small file of our own whole or not at all. Why no library does it: docs/decisions/writing-files.md.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Nobody but the user reads what the app keeps. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** Hidden, and beside the target: only within one file system is renaming a single step. */
const temporaryBeside = (path: string): string => join(dirname(path), `.${randomUUID()}.tmp`)

/**
 * Replaces the file in one step, after its content has reached the disk. Its folder is made when missing.
 *
 * @param path absolute
 * @throws what the file system says; then the old file is still there, whole
 */
export async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE })
  const temporary = temporaryBeside(path)
  try {
    const file = await open(temporary, 'wx', FILE_MODE)
    try {
      // `writeFile` goes on after a short write; a bare `write` would leave half a file on a disk that fills up.
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

/** Like `writeWhole`, for where nothing may happen in between. */
export function writeWholeSync(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE })
  const temporary = temporaryBeside(path)
  try {
    const file = openSync(temporary, 'wx', FILE_MODE)
    try {
      writeFileSync(file, content)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
