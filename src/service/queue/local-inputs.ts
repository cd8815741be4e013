/** Files of this computer that a request names: which of them are photos or videos that can be read. */
import { stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import type { FileError } from '../../shared/api/resources.ts'
import { extensionOf, mediaKindOf, SUPPORTED_EXTENSIONS } from '../../shared/media-types.ts'
import type { JobInput } from './job-plan.ts'
import { codeOf } from '../../node/errors.ts'
import { mediaContentOf } from '../../node/media-content.ts'

export type Checked = { readonly input: JobInput } | { readonly problem: string }

/** How many files are looked at together: enough to hide a slow disk, few enough for the limit of open files. */
const CHECKED_TOGETHER = 16

/**
 * Section 4, `POST /jobs`: local inputs are checked before acceptance. A path given twice counts once.
 * @returns the good ones in the order given, and the others with the path as given and the reason
 */
export async function checkLocalInputs(
  paths: readonly string[],
): Promise<{ readonly inputs: readonly JobInput[]; readonly skipped: FileError[] }> {
  const distinct = [...new Map(paths.map((path) => [isAbsolute(path) ? resolve(path) : path, path]))]
  const inputs: JobInput[] = []
  const skipped: FileError[] = []
  for (let start = 0; start < distinct.length; start += CHECKED_TOGETHER) {
    const group = distinct.slice(start, start + CHECKED_TOGETHER)
    const results = await Promise.all(group.map(([path]) => checkLocalInput(path)))
    for (const [index, result] of results.entries()) {
      if ('input' in result) inputs.push(result.input)
      else skipped.push({ file: group[index]?.[1] ?? '', error: result.problem })
    }
  }
  return { inputs, skipped }
}

/** Looks at one file as the service will read it. */
export async function checkLocalInput(path: string): Promise<Checked> {
  if (path.includes('\0')) return { problem: 'The path holds a character that no file name may have' }
  if (!isAbsolute(path)) return { problem: 'The path is not absolute' }
  const kind = mediaKindOf(path)
  if (!kind) return { problem: unsupported(extensionOf(path)) }
  try {
    const info = await stat(path)
    if (info.isDirectory()) return { problem: 'This is a folder, not a file' }
    if (!info.isFile()) return { problem: 'This is not a regular file' }
    if (info.size === 0) return { problem: 'The file is empty' }
    const actual = (await mediaContentOf(path))?.kind
    if (actual !== kind) return { problem: mismatch(kind, actual) }
    return { input: { path, kind } }
  } catch (error) {
    return { problem: unreadable(error) }
  }
}

/** Why a file of such an extension is not taken. */
export function unsupported(extension: string): string {
  const given =
    extension === '' ? 'The file name has no extension' : `Files of type .${extension} are not supported`
  return `${given}; supported are ${SUPPORTED_EXTENSIONS.join(', ')}`
}

function mismatch(expected: string, actual: string | undefined): string {
  const found = actual
    ? `it holds ${actual === 'image' ? 'an image' : 'a video'}`
    : 'its content is neither image nor video'
  return `The name says ${expected === 'image' ? 'image' : 'video'}, but ${found}`
}

function unreadable(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'The file does not exist'
  if (code === 'EACCES' || code === 'EPERM') return 'The file may not be read by this user'
  if (code === 'ENAMETOOLONG') return 'The path is too long'
  return `The file can't be read${code === '' ? '' : ` (${code})`}`
}
