import { constants } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { mediaKindOf } from '../../shared/media-types.ts'
import type { MediaItem, RejectedItem, RejectionReason } from '../../shared/model/media-item.ts'
import { codeOf } from '../../node/errors.ts'

export type Examined =
  | { readonly kind: 'item'; readonly item: MediaItem; readonly realPath: string }
  | { readonly kind: 'rejected'; readonly item: RejectedItem }
  | { readonly kind: 'folder'; readonly realPath: string }

export type ExamineLimits = {
  /** Bytes; where inputs are uploaded, larger ones can't be used (section 8). */
  readonly maxBytes?: number | undefined
}

/**
 * What stands behind a path. Symbolic links are followed; the item keeps the path by which it was brought in.
 *
 * @param knownRealPath spares a system call where the path is known to contain no link
 */
export async function examine(
  path: string,
  limits: ExamineLimits,
  knownRealPath?: string,
): Promise<Examined> {
  try {
    const found = await stat(path)
    if (found.isDirectory()) return { kind: 'folder', realPath: await realpath(path) }
    const kind = mediaKindOf(path)
    if (!found.isFile()) return reject(path, 'notAFile')
    if (kind === undefined) return reject(path, 'unsupported')
    if (found.size === 0) return reject(path, 'empty')
    if (limits.maxBytes !== undefined && found.size > limits.maxBytes) return reject(path, 'tooLargeToUpload')
    await access(path, constants.R_OK)
    return {
      kind: 'item',
      item: { path, name: basename(path), kind, size: found.size },
      realPath: knownRealPath ?? (await realpath(path)),
    }
  } catch (error) {
    return rejectFor(path, error)
  }
}

/** A path that the system does not let us use. */
export function rejectFor(path: string, error: unknown): Examined & { readonly kind: 'rejected' } {
  const code = codeOf(error)
  const missing = code === 'ENOENT' || code === 'ENOTDIR'
  return reject(path, missing ? 'missing' : 'unreadable', code)
}

function reject(
  path: string,
  reason: RejectionReason,
  detail?: string,
): Examined & { readonly kind: 'rejected' } {
  const item = { path, name: basename(path), reason }
  return { kind: 'rejected', item: detail === undefined || detail === '' ? item : { ...item, detail } }
}
