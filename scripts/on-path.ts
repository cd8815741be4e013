/** Finds system commands. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** @returns the path of the program that a shell would run; undefined if there isn't one */
export const onPath = (command: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(isExecutable)
