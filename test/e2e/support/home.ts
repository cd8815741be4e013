/** A user's home folder: the app's data and the files that are dropped on it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Settings } from '../../../src/shared/model/settings.ts'

const SAMPLES = join(import.meta.dirname, '../../../assets/samples')

/** The sample photo with its metadata, but a ninth of its pixels, because the default preset encodes a photo several times. */
const SMALL_PHOTO = await sharp(join(SAMPLES, 'dawn-upright.jpg'))
  .resize({ width: 400 })
  .keepMetadata()
  .jpeg({ quality: 95 })
  .toBuffer()
const VIDEO = readFileSync(join(SAMPLES, 'sunrise.mp4'))

export type Home = {
  readonly path: string
  /** The app's data folder. */
  readonly data: string
  /** The default results folder. */
  readonly output: string
  /**
   * Creates a small photo with this name.
   * @returns its path
   */
  photo(name?: string): string
  photos(count: number): readonly string[]
  /** Creates a photo that is large enough for its processing to be interrupted. */
  largePhoto(name?: string): Promise<string>
  video(name?: string): string
  file(name: string, content: string | Uint8Array): string
  readSettings(): Partial<Settings>
  [Symbol.dispose](): void
}

/** @param settings written before the app is first launched */
export function makeHome(settings?: Partial<Settings>): Home {
  // The real path, as the system reports it to the app.
  const path = realpathSync.native(mkdtempSync(join(tmpdir(), 'mediatray-home-')))
  const data = join(path, '.config/Mediatray')
  const photos = join(path, 'Photos')
  const settingsFile = join(data, 'settings.json')
  for (const folder of [data, photos]) mkdirSync(folder, { recursive: true })
  if (settings !== undefined) writeFileSync(settingsFile, JSON.stringify({ settings }))

  const at = (name: string) => {
    const target = join(photos, name)
    mkdirSync(join(target, '..'), { recursive: true })
    return target
  }
  let copies = 0
  const copy = (content: Buffer, name: string) => {
    const target = at(name)
    copies += 1
    writeFileSync(target, distinct(content, copies))
    return target
  }
  const photo = (name = 'dawn.jpg') => copy(SMALL_PHOTO, name)
  return {
    path,
    data,
    output: join(path, 'Pictures/Mediatray'),
    photo,
    photos: (count) => Array.from({ length: count }, (_, index) => photo(`photo-${index + 1}.jpg`)),
    async largePhoto(name = 'large.jpg') {
      const target = at(name)
      await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#386' } })
        .jpeg()
        .toFile(target)
      return target
    },
    video: (name = 'sunrise.mp4') => copy(VIDEO, name),
    file(name, content) {
      const target = at(name)
      writeFileSync(target, content)
      return target
    },
    readSettings() {
      if (!existsSync(settingsFile)) return {}
      const stored: unknown = JSON.parse(readFileSync(settingsFile, 'utf8'))
      return isStored(stored) ? stored.settings : {}
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }),
  }
}

const isStored = (value: unknown): value is { readonly settings: Partial<Settings> } =>
  typeof value === 'object' && value !== null && 'settings' in value

/** Appends padding to a photo, or an empty box to a video. Files with equal contents would be skipped as already done. */
export function distinct(content: Buffer, n: number): Buffer {
  if (content[0] === 0xff) return Buffer.concat([content, Buffer.alloc(n)])
  const box = Buffer.from('\0\0\0\x0cfree\0\0\0\0', 'latin1')
  box.writeUInt32BE(n, 8)
  return Buffer.concat([content, box])
}
