/**
 * Keeps requests that arrive while the app quits for an update. The installer starts the program itself, without the arguments of these
 * requests, so the next start reads them from a file.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { writeWholeSync } from '../../../node/write-file.ts'
import { parseJson } from '../../../shared/parse-json.ts'

const Kept = z.array(z.array(z.string()))

const fileIn = (dataFolder: string): string => join(dataFolder, 'next-start.json')

/** @param starts the arguments of each start @throws the file system's error */
export const keepStarts = (dataFolder: string, starts: readonly (readonly string[])[]): void =>
  writeWholeSync(fileIn(dataFolder), JSON.stringify(starts))

/** Returns the arguments of the starts that were kept during an update, and deletes them. */
export function takeKeptStarts(dataFolder: string): readonly (readonly string[])[] {
  try {
    const text = readFileSync(fileIn(dataFolder), 'utf8')
    rmSync(fileIn(dataFolder))
    return Kept.parse(parseJson(text))
  } catch {
    return []
  }
}
