import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ifPossible } from './if-possible.ts'

/**
 * Creates a folder that only this user can enter, and missing folders above it. Node's recursive `mkdir` isn't used: in an existing folder
 * that accepts no entries, such as /proc, it would retry forever.
 * @throws the file system's error
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) makeFolder(parent)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if (!isFolder(folder)) throw error
  }
}

const isFolder = (path: string): boolean => ifPossible(() => statSync(path))?.isDirectory() === true
