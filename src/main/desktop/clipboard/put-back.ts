/** Puts results or earlier content on the clipboard, with Mediatray's mark. Each call replaces the whole content. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Clipboard, ClipboardItem } from 'electron'
import type { Kept, Mark } from './copied.ts'
import { FILES, GNOME_FILES, IMAGE, MARK, nativeFormat } from './formats.ts'

export type WritableClipboard = {
  readonly clipboard: Pick<Clipboard, 'write'>
  readonly ClipboardItem: typeof ClipboardItem
  readonly platform: NodeJS.Platform
}

/** Electron converts these to a bitmap. It silently drops an image in any other format. */
const BITMAPS: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.jfif'])

/** The names of compressed images, for apps that prefer them to a bitmap. */
const COMPRESSED: Readonly<Partial<Record<NodeJS.Platform, Readonly<Record<string, string>>>>> = {
  linux: { '.jpg': 'image/jpeg', '.webp': 'image/webp', '.avif': 'image/avif', '.jxl': 'image/jxl' },
  darwin: { '.jpg': 'public.jpeg', '.webp': 'org.webmproject.webp', '.avif': 'public.avif' },
  win32: { '.jpg': 'JFIF' },
}

async function imageFormats(path: string, platform: NodeJS.Platform): Promise<Record<string, Blob>> {
  const ending = extname(path).toLowerCase()
  const name = COMPRESSED[platform]?.[ending === '.jpeg' ? '.jpg' : ending]
  const isBitmap = BITMAPS.has(ending)
  if (!isBitmap && name === undefined) return {}
  const bytes = new Blob([new Uint8Array(await readFile(path))])
  return {
    ...(isBitmap ? { [IMAGE]: bytes } : {}),
    ...(name === undefined ? {} : { [nativeFormat(name)]: bytes }),
  }
}

/**
 * @param paths absolute
 * @param image a photo to offer as an image too, for apps that can't paste files; absolute
 */
export async function putFiles(
  { clipboard, ClipboardItem: Item, platform }: WritableClipboard,
  paths: readonly string[],
  image: string | undefined,
  mark: Mark,
): Promise<void> {
  const urls = paths.map((path) => pathToFileURL(path).href)
  const gnomeFiles = new Blob([['copy', ...urls].join('\n')])
  await clipboard.write([
    new Item({
      [FILES]: urls.join('\r\n'),
      ...(platform === 'linux' ? { [GNOME_FILES]: gnomeFiles } : {}),
      ...(image === undefined ? {} : await imageFormats(image, platform)),
      [MARK]: new Blob([JSON.stringify(mark)]),
    }),
  ])
}

export async function putContent(
  { clipboard, ClipboardItem: Item }: WritableClipboard,
  content: Kept,
  mark: Mark,
): Promise<void> {
  await clipboard.write([
    new Item({ ...Object.fromEntries(content), [MARK]: new Blob([JSON.stringify(mark)]) }),
  ])
}
