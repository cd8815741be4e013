import { stat } from 'node:fs/promises'
import { succeeds } from './if-possible.ts'

/** Whether the path exists, after following links. Returns false if that can't be determined. */
export const exists = (path: string): Promise<boolean> => succeeds(stat(path))

/** Like `exists`, but only for a regular file. */
export const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() === true

/** Like `exists`, but only for a folder. */
export const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true
