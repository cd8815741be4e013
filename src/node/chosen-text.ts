import { openRegular } from './open-regular.ts'

/** Maximum file size in bytes, far larger than any realistic collection of presets or settings. */
const LARGEST_FILE = 1_000_000

/**
 * Reads a JSON file that the user has chosen. Returns empty text, which is then rejected as invalid, if the file is too large or isn't a
 * regular file.
 * @throws the file system's error
 */
export async function readChosenText(path: string): Promise<string> {
  await using file = await openRegular(path, 'follow')
  const isReadable = file !== undefined && (await file.stat()).size <= LARGEST_FILE
  return isReadable ? decoded(await file.readFile()) : ''
}

/** Decodes UTF-8, or UTF-16 with a byte order mark, which Windows PowerShell writes if a command's output goes to a file. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}
