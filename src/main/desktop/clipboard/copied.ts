/** Reads what is on the clipboard. Electron reads each format only on request, from the content at that time. */
import { hash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Clipboard, ClipboardBookmark, ClipboardItem } from 'electron'
import * as z from 'zod'
import {
  FILES,
  GNOME_FILES,
  hasText,
  IMAGE,
  isConcealed,
  isKept,
  KDE_CUT,
  MARK,
  OTHER_IMAGES,
  WINDOWS_EFFECT,
} from './formats.ts'

export type ReadableClipboard = Pick<Clipboard, 'read'>

export type Copied =
  | {
      readonly kind: 'files'
      readonly paths: readonly string[]
      /** Whether pasting moves the files. */
      readonly isCut: boolean
    }
  | { readonly kind: 'image'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'nothing' }

export const readCopied = async (clipboard: ReadableClipboard): Promise<Copied> =>
  copiedIn(await clipboard.read())

export const typesIn = (items: readonly ClipboardItem[]): readonly string[] =>
  items.flatMap(({ types }) => types)

export async function copiedIn(items: readonly ClipboardItem[]): Promise<Copied> {
  const paths = (await Promise.all(items.map(filesIn))).flat()
  if (paths.length > 0) return { kind: 'files', paths, isCut: await isCut(items) }
  const types = typesIn(items)
  for (const type of [IMAGE, ...OTHER_IMAGES]) {
    // A bitmap that can't be read is empty.
    const bytes = types.includes(type) ? await bytesIn(items, type) : undefined
    if (bytes !== undefined && bytes.length > 0) return { kind: 'image', bytes }
  }
  return { kind: 'nothing' }
}

export async function bytesIn(
  items: readonly ClipboardItem[],
  type: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const item = items.find(({ types }) => types.includes(type))
  const value = await item?.getType(type)
  return value instanceof Blob ? new Uint8Array(await value.arrayBuffer()) : new Uint8Array()
}

const textIn = async (items: readonly ClipboardItem[], type: string): Promise<string> =>
  new TextDecoder().decode(await bytesIn(items, type))

async function filesIn(item: ClipboardItem): Promise<string[]> {
  if (!item.types.includes(FILES)) return []
  const list = await textIn([item], FILES)
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

const MOVE = 2

async function isCut(items: readonly ClipboardItem[]): Promise<boolean> {
  const types = typesIn(items)
  if (types.includes(GNOME_FILES) && (await textIn(items, GNOME_FILES)).startsWith('cut')) return true
  if (types.includes(KDE_CUT) && (await textIn(items, KDE_CUT)).startsWith('1')) return true
  return types.includes(WINDOWS_EFFECT) && (await bytesIn(items, WINDOWS_EFFECT))[0] === MOVE
}

/** Whether automatic mode may process the content: an image without files or text, not secret, and not from Mediatray. */
export function mayBeAutomatic(items: readonly ClipboardItem[]): boolean {
  const types = typesIn(items)
  const isOther = types.includes(FILES) || types.includes(MARK) || hasText(types) || isConcealed(types)
  return !isOther && [IMAGE, ...OTHER_IMAGES].some((type) => types.includes(type))
}

/** Identifies copied content: the same for two copies of the same files or of the same image. */
export function printOf(copied: Copied): string {
  switch (copied.kind) {
    case 'files':
      return hash('sha256', JSON.stringify([copied.isCut, ...copied.paths]))
    case 'image':
      return hash('sha256', copied.bytes)
    case 'nothing':
      return ''
  }
}

const Mark = z.object({ run: z.string(), isResult: z.boolean(), preset: z.string().nullable() })

/** The mark that Mediatray puts on the clipboard together with its content. */
export type Mark = z.infer<typeof Mark>

/** Ends the mark, because Windows may add any bytes to the end of a format. */
const END = '\n'
export const markText = (mark: Mark): string => JSON.stringify(mark) + END

/** Returns Mediatray's mark; undefined for content of other apps. */
export async function markIn(items: readonly ClipboardItem[]): Promise<Mark | undefined> {
  if (!typesIn(items).includes(MARK)) return undefined
  try {
    const [text = ''] = (await textIn(items, MARK)).split(END)
    return Mark.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Everything on the clipboard that can be put back later. */
export type Kept = ReadonlyMap<string, Blob | ClipboardBookmark>

export async function keepContent(items: readonly ClipboardItem[]): Promise<Kept> {
  const types = typesIn(items)
  const kept = new Map<string, Blob | ClipboardBookmark>()
  for (const item of items) {
    for (const type of item.types) {
      if (!isKept(type, types)) continue
      const value = await item.getType(type)
      if (!(value instanceof Blob) || value.size > 0) kept.set(type, value)
    }
  }
  return kept
}
