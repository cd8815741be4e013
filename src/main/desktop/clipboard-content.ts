/** What a paste brings: files, or a picture without a file. */
import type { Clipboard, ClipboardItem } from 'electron'
import { fileURLToPath } from 'node:url'

export type ClipboardContent =
  | { readonly kind: 'files'; readonly paths: readonly string[] }
  | { readonly kind: 'image'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'nothing' }

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/bmp', 'image/tiff'] as const

export async function readClipboard(clipboard: Clipboard): Promise<ClipboardContent> {
  const items = await clipboard.read()
  const paths = (await Promise.all(items.map(filesIn))).flat()
  if (paths.length > 0) return { kind: 'files', paths }
  for (const item of items) {
    const type = IMAGE_TYPES.find((candidate) => item.types.includes(candidate))
    if (type === undefined) continue
    const blob = await item.getType(type)
    return { kind: 'image', bytes: new Uint8Array(await blob.arrayBuffer()) }
  }
  return { kind: 'nothing' }
}

async function filesIn(item: ClipboardItem): Promise<string[]> {
  if (!item.types.includes('text/uri-list')) return []
  const list = await (await item.getType('text/uri-list')).text()
  return list
    .split(/\r?\n/)
    .filter((line) => line.startsWith('file:'))
    .flatMap(pathOf)
}

function pathOf(url: string): string[] {
  try {
    return [fileURLToPath(url)]
  } catch {
    return []
  }
}
