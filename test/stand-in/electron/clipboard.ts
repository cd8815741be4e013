/**
 * The clipboard as Electron 45 shows it: standard formats under their MIME types, all others as `osclipboard`. What is written is
 * converted as Chromium does it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type * as Electron from 'electron'
import { lacking } from './lacking.ts'

export type ClipboardContent = Readonly<Record<string, Uint8Array | string>>
type Native = ReadonlyMap<string, Uint8Array<ArrayBuffer>>
type Value = string | Blob | Electron.ClipboardBookmark | Promise<Blob | string>

const STANDARD = ['text/plain', 'text/html', 'text/rtf', 'image/svg+xml', 'image/png', 'text/uri-list']
const RAW = /^electron application\/osclipboard;format="(.*)"$/
/** About what fits into one of Chromium's bitmaps. */
const MOST_PIXELS = 0x1fff_ffff
const NO_BYTES = new Uint8Array()
/** The text that macOS shares between search fields: on a separate pasteboard, but listed with the content. */
const FIND_TEXT = 'electron application/findtext'

export type ClipboardConditions = {
  /** Where another process keeps the content, so that it outlives the app. */
  readonly file?: string | null
  readonly platform?: () => string
  /** Whether the system accepts what the app writes. A Wayland compositor ignores it while another app is in front. */
  readonly acceptsWrites?: () => boolean
}

const bytesOf = (value: Uint8Array | string) =>
  typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value)
const nativeName = (type: string): string => RAW.exec(type)?.[1] ?? type
const shownType = (name: string): string =>
  STANDARD.includes(name) || name.startsWith('web ') || name === FIND_TEXT
    ? name
    : `electron application/osclipboard;format="${name}"`

/** What `GlobalSize` reports on Windows: the block that holds the content, which has more bytes. */
function padded(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array((Math.floor(bytes.length / 16) + 1) * 16).fill(0xcd)
  block.set(bytes)
  return block
}

/** A separate clipboard for the test. The user's is neither read nor changed. */
export function createClipboard({
  file = null,
  platform = () => 'linux',
  acceptsWrites = () => true,
}: ClipboardConditions = {}) {
  let native: Native = file === null ? new Map() : nativeIn(file)
  /** What the app has written and believes to own, although the system ignored it. */
  let ignored: Native | undefined
  let findText: Uint8Array<ArrayBuffer> = NO_BYTES
  let isBusy = false
  let reads = 0

  const seen = (): Native => {
    if (isBusy) return new Map()
    const content = ignored ?? native
    return findText.length === 0 ? content : new Map([...content, [FIND_TEXT, findText]])
  }

  class ClipboardItem {
    readonly #items: Readonly<Record<string, Value>> | null
    readonly #types: readonly string[]
    constructor(items: Readonly<Record<string, Value>>, found?: readonly string[]) {
      if (found === undefined && (typeof items !== 'object' || items === null || Array.isArray(items)))
        throw new TypeError(
          "Failed to construct 'ClipboardItem': 1 argument required — an object mapping MIME types to payloads.",
        )
      if (found === undefined && Object.keys(items).length === 0)
        throw new TypeError("Failed to construct 'ClipboardItem': at least one MIME type is required.")
      this.#items = found === undefined ? { ...items } : null
      this.#types = found ?? Object.keys(items)
    }
    get types(): string[] {
      return [...this.#types]
    }
    /** An item that was read gives what the clipboard contains now, and an empty blob for what it doesn't contain. */
    async getType(type: string): Promise<Blob> {
      if (this.#items === null) return new Blob([await readNow(type)], { type })
      if (!Object.hasOwn(this.#items, type))
        throw new Error(`The type '${type}' was not found in the ClipboardItem`)
      const value = await this.#items[type]
      if (value instanceof Blob) return value
      return new Blob([typeof value === 'string' ? value : JSON.stringify(value)], { type })
    }
    async written(): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
      if (this.#items === null)
        throw new TypeError(
          'clipboard.write cannot accept a ClipboardItem returned from clipboard.read() — construct a new ClipboardItem to write.',
        )
      const written = new Map<string, Uint8Array<ArrayBuffer>>()
      for (const [type, given] of Object.entries(this.#items)) {
        const value = await given
        if (typeof value !== 'string' && !(value instanceof Blob))
          throw new TypeError('ClipboardItem payload values must be a string or a Blob')
        written.set(type, value instanceof Blob ? new Uint8Array(await value.arrayBuffer()) : bytesOf(value))
      }
      return written
    }
  }

  async function readNow(type: string): Promise<Uint8Array<ArrayBuffer>> {
    reads += 1
    if (!type.startsWith('image/') || type === 'image/svg+xml') {
      const bytes = seen().get(nativeName(type)) ?? NO_BYTES
      return platform() === 'win32' && RAW.test(type) && bytes.length > 0 ? padded(bytes) : bytes
    }
    const png = seen().get('image/png')
    if (png === undefined || !(await isBitmap(png))) return NO_BYTES
    if (type !== 'image/jpeg') return png
    const { default: sharp } = await import('sharp')
    return new Uint8Array(await sharp(png).jpeg({ quality: 100 }).toBuffer())
  }

  function replace(next: Native): void {
    ignored = undefined
    native = next
    if (file === null) return
    const kept = [...next].map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])
    writeFileSync(file, JSON.stringify(Object.fromEntries(kept)))
  }

  const text = () => new TextDecoder().decode(seen().get('text/plain'))
  const clipboard = lacking('clipboard', {
    clear() {
      replace(new Map())
    },
    has: (type: string) => Promise.resolve([...seen().keys()].map(shownType).includes(type)),
    read: () => Promise.resolve([new ClipboardItem({}, [...seen().keys()].map(shownType))]),
    readText: () => Promise.resolve(text()),
    async write(items: readonly ClipboardItem[]) {
      const next = new Map<string, Uint8Array<ArrayBuffer>>()
      for (const item of items) {
        if (!(item instanceof ClipboardItem))
          throw new TypeError('clipboard.write expects an array of ClipboardItem')
        for (const [type, bytes] of await item.written()) {
          if (type === FIND_TEXT) {
            if (platform() === 'darwin') findText = bytes
            continue
          }
          const [name, content] = await committed(type, bytes)
          if (content !== undefined) next.set(name, content)
        }
      }
      // Without any format that can be committed, the clipboard keeps its content. Nothing reports why.
      if (next.size === 0 || isBusy) return
      if (acceptsWrites()) replace(next)
      else ignored = next
    },
    writeText(value: string) {
      replace(new Map([['text/plain', bytesOf(value)]]))
      return Promise.resolve()
    },
  })
  return {
    clipboard,
    ClipboardItem,
    /** Replaces the content as another app would. Formats are named as the platform names them. */
    set: (given: ClipboardContent): void => {
      replace(new Map(Object.entries(given).map(([name, value]) => [name, bytesOf(value)])))
    },
    /** Returns what other apps find on the clipboard. */
    get: (): ClipboardContent => Object.fromEntries(native),
    /** Searches for a text in another app, on macOS. */
    search: (text: string): void => {
      findText = bytesOf(text)
    },
    findText: (): string => new TextDecoder().decode(findText),
    /** Whether another app keeps the clipboard open, so that nothing can be read or written. */
    setBusy: (busy: boolean): void => {
      isBusy = busy
    },
    /** How often content was read, apart from the names of formats. */
    reads: () => reads,
  }
}

const nativeIn = (file: string): Native =>
  new Map(Object.entries(readClipboardFile(file)).map(([name, bytes]) => [name, bytesOf(bytes)]))

/** Returns what is on a clipboard that is kept in a file. */
export function readClipboardFile(file: string): ClipboardContent {
  if (!existsSync(file)) return {}
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  return Object.fromEntries(
    Object.entries(kept).map(([name, base64]) => [name, new Uint8Array(Buffer.from(base64, 'base64'))]),
  )
}

/** Images become bitmaps, which only PNG and JPEG can. Lists of files keep their file URLs. */
async function committed(
  type: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<readonly [name: string, content: Uint8Array<ArrayBuffer> | undefined]> {
  if (type === 'text/uri-list') {
    const urls = new TextDecoder().decode(bytes).split(/\r?\n/)
    return [type, bytesOf(urls.filter((url) => url.startsWith('file:')).join('\r\n'))]
  }
  if (!type.startsWith('image/')) return [nativeName(type), bytes]
  if (!(await isBitmap(bytes))) return ['image/png', undefined]
  const { default: sharp } = await import('sharp')
  return ['image/png', new Uint8Array(await sharp(bytes).png({ compressionLevel: 1 }).toBuffer())]
}

async function isBitmap(bytes: Uint8Array): Promise<boolean> {
  const { default: sharp } = await import('sharp')
  const found = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  return (found?.format === 'png' || found?.format === 'jpeg') && found.width * found.height <= MOST_PIXELS
}
