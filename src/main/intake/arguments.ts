import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RejectedItem } from '../../shared/model/media-item.ts'

const SCHEME = /^[a-z][a-z0-9+.-]+:/i
const DRIVE_LETTER = /^[a-z]:[\\/]/i

/**
 * Extracts file paths from launch arguments, including those of "Open with", or from a file manager's URI list. Accepts plain paths and
 * `file:` URLs. Ignores options before `--` and links with other schemes. Rejects `file:` URLs that don't name a local path.
 *
 * @param folder the caller's working directory, to which relative paths refer
 */
export function pathsFromArguments(values: readonly string[], folder: string) {
  const paths: string[] = []
  const rejected: RejectedItem[] = []
  let optionsEnded = false
  for (const value of values) {
    if (value === '--' && !optionsEnded) optionsEnded = true
    else if (value === '' || (value.startsWith('-') && !optionsEnded)) continue
    else if (/^file:/i.test(value)) {
      const found = fromUrl(value)
      if (typeof found === 'string') paths.push(found)
      else rejected.push(found)
    } else if (DRIVE_LETTER.test(value) || !SCHEME.test(value)) paths.push(resolve(folder, value))
  }
  return { paths, rejected }
}

function fromUrl(url: string): string | RejectedItem {
  try {
    return fileURLToPath(url)
  } catch (error) {
    // For example, a file on another host or an encoded slash.
    const detail = error instanceof Error ? error.message : ''
    return { path: url, name: basename(url), reason: 'missing', detail }
  }
}
