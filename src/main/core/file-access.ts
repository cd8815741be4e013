/** What may be opened, shown, dragged out, pictured and measured: known files that are photos or videos, by name and content. */
import { realpath, stat } from 'node:fs/promises'
import { isBelow } from '../../node/contained-path.ts'
import { mediaContentOf } from '../../node/media-content.ts'
import { resultKindOf } from '../../shared/media-types.ts'
import type { KnownPath, KnownPaths } from './known-paths.ts'

export type Access =
  | { readonly kind: 'allowed'; /** Bytes. */ readonly size: number }
  /** The page was not told of it, or a service names it outside the folder that its job was given. Nothing was touched. */
  | { readonly kind: 'foreign' }
  | { readonly kind: 'gone' }
  /** Something else than its name says, or nothing that this app deals with. */
  | { readonly kind: 'notMedia' }

export interface FileAccess {
  /** Of a photo or video. Never throws. */
  toFile(path: string): Promise<Access>
  /** Of a photo or video, or of a folder, to show where it is. Never throws. */
  toPlace(path: string): Promise<Access>
}

export type FileAccessOptions = {
  readonly known: Pick<KnownPaths, 'find'>
  readonly platform: NodeJS.Platform
}

const FOREIGN = { kind: 'foreign' } as const
const GONE = { kind: 'gone' } as const
const NOT_MEDIA = { kind: 'notMedia' } as const

export function createFileAccess({ known, platform }: FileAccessOptions): FileAccess {
  /** First by the words alone; then, as a link may lead anywhere, by where the file really is. */
  async function isWhereItBelongs(path: string, found: KnownPath): Promise<boolean> {
    if (found.kind !== 'result') return true
    const folder = await realpath(found.below).catch(() => found.below)
    if (!isBelow(path, found.below, platform) && !isBelow(path, folder, platform)) return false
    return isBelow(await realpath(path), folder, platform)
  }

  async function toFile(path: string): Promise<Access> {
    const found = known.find(path)
    if (found === undefined || found.kind === 'folder') return FOREIGN
    try {
      if (!(await isWhereItBelongs(path, found))) return FOREIGN
      const file = await stat(path)
      const kind = resultKindOf(path)
      if (!file.isFile() || kind === undefined) return NOT_MEDIA
      const content = await mediaContentOf(path)
      return content?.kind === kind ? { kind: 'allowed', size: file.size } : NOT_MEDIA
    } catch {
      return GONE
    }
  }

  return {
    toFile,
    toPlace: (path) => (known.find(path)?.kind === 'folder' ? toFolder(path) : toFile(path)),
  }
}

async function toFolder(path: string): Promise<Access> {
  const folder = await stat(path).catch(() => undefined)
  if (folder === undefined) return GONE
  return folder.isDirectory() ? { kind: 'allowed', size: 0 } : NOT_MEDIA
}
