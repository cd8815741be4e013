import { basename } from 'node:path'
import { openRegular } from '../../../node/open-regular.ts'

/** In bytes. Far larger than any realistic collection of presets or settings. */
const LARGEST_FILE = 1_000_000

/** Reads a JSON file that the user has chosen. An oversized file isn't read; its empty text is then rejected as invalid. */
export async function readChosenText(
  path: string,
): Promise<{ readonly file: string; readonly text: string }> {
  await using file = await openRegular(path, 'follow')
  const isReadable = file !== undefined && (await file.stat()).size <= LARGEST_FILE
  return { file: basename(path), text: isReadable ? await file.readFile('utf8') : '' }
}
