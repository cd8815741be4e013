import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { processImage } from '../../../src/media/image/process-image.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import type { VariationValues } from '../../../src/shared/preset/variation.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mediatray-larger-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Every pixel another one, so that a better quality always takes more bytes. */
const NOISE = sharp({
  create: {
    width: 64,
    height: 48,
    channels: 3,
    background: '#888',
    noise: { type: 'gaussian', mean: 128, sigma: 40 },
  },
})
const poor = () => NOISE.clone().jpeg({ quality: 30 })

type Changes = {
  readonly recipe?: z.input<typeof ImageRecipe>
  readonly neverLarger?: boolean
  readonly variation?: VariationValues
}

let files = 0
/** Whether the result of a recipe that compresses less than the file has the bytes of the file. */
async function isKept(
  content: Buffer,
  { recipe, neverLarger = true, variation }: Changes = {},
  ending = 'jpg',
) {
  files += 1
  const inputPath = path.join(folder, `${files}.${ending}`)
  await writeFile(inputPath, content)
  const { temporaryPath, notes, width, height } = await processImage({
    inputPath,
    recipe: ImageRecipe.parse({ quality: 95, ...recipe }),
    variation,
    neverLarger,
    temporaryPath: (extension) => path.join(folder, `${files}-result.${extension}`),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  const result = await readFile(temporaryPath)
  const kept = result.equals(content)
  expect(notes).toEqual(kept ? ['original-kept'] : [])
  expect(await sharp(result).metadata()).toMatchObject({ width, height })
  return kept
}

const NO_VARIATION: VariationValues = {
  brightness: 1,
  saturation: 1,
  hue: 0,
  rotation: 0,
  cropLeft: 0,
  cropTop: 0,
  cropRight: 0,
  cropBottom: 0,
  mirror: false,
}

describe('a photo that its recipe would only make larger', () => {
  it.each(['jpeg', 'png', 'webp', 'avif'] as const)('is the original as it was: %s', async (format) => {
    const made = {
      jpeg: { quality: 30 },
      png: { palette: true },
      webp: { quality: 20 },
      avif: { quality: 20 },
    }
    const content = await NOISE.clone().toFormat(format, made[format]).toBuffer()
    expect(await isKept(content, {}, format)).toBe(true)
    expect(await isKept(content, { recipe: { format } }, format)).toBe(true)
  })

  it('gets a new file all the same where the recipe says so, and where it is one of several variations', async () => {
    const content = await poor().toBuffer()
    expect(await isKept(content, { neverLarger: false })).toBe(false)
    expect(await isKept(content, { variation: NO_VARIATION })).toBe(false)
  })

  it.each<[string, z.input<typeof ImageRecipe>]>([
    ['another format', { format: 'webp' }],
    ['a smaller size', { size: { width: 63 } }],
    ['a frame', { size: { width: 80, height: 80, fit: 'contain' } }],
    ['another shape', { crop: { aspect: 1 } }],
    ['another side up', { rotate: 180 }],
    ['gray', { grayscale: true }],
  ])('is made anew for %s', async (_, recipe) => {
    expect(await isKept(await poor().toBuffer(), { recipe })).toBe(false)
  })

  it('is made anew where its pixels do not lie as they are shown', async () => {
    const turned = await poor().withMetadata({ orientation: 6 }).toBuffer()
    expect(await isKept(turned, { recipe: { metadata: 'keep' } })).toBe(false)
  })

  it('is made anew where its colours are converted, and not for a profile that says sRGB anyway', async () => {
    const wide = await poor().withIccProfile('p3').toBuffer()
    expect(await isKept(wide)).toBe(false)
    expect(await isKept(wide, { recipe: { colour: 'keep' } })).toBe(true)
    expect(await isKept(await poor().withIccProfile('srgb').toBuffer())).toBe(true)
  })

  it('is made smaller where it can be', async () => {
    const rich = await NOISE.clone().jpeg({ quality: 100 }).toBuffer()
    expect(await isKept(rich, { recipe: { quality: 60 } })).toBe(false)
    expect((await stat(path.join(folder, `${files}-result.jpg`))).size).toBeLessThan(rich.length)
  })
})

const segment = (marker: number, content: string) => {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, Buffer.from(content, 'latin1')])
}
const withSegment = (jpeg: Buffer, marker: number, content: string) =>
  Buffer.concat([jpeg.subarray(0, 2), segment(marker, content), jpeg.subarray(2)])
const chunk = (type: string, content: string) => {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(content.length)
  return Buffer.concat([size, Buffer.from(type + content, 'latin1'), Buffer.alloc(4)])
}

describe('what a recipe that strips metadata is asked to remove', () => {
  it('is removed, and stays where the recipe keeps it', async () => {
    const content = await poor()
      .withExif({ IFD0: { Artist: 'Ada' } })
      .toBuffer()
    expect(await isKept(content)).toBe(false)
    expect(await isKept(content, { recipe: { metadata: 'keep' } })).toBe(true)
  })

  it.each([
    ['a comment', 0xfe, 'by Ada'],
    ['a caption', 0xed, 'Photoshop 3.0\0…'],
    ['further pictures', 0xe2, 'MPF\0…'],
    ['a thumbnail', 0xe0, 'JFXX\0…'],
  ])('is also %s in a JPEG', async (_, marker, content) => {
    expect(await isKept(withSegment(await poor().toBuffer(), marker, content))).toBe(false)
  })

  it('is also what a phone has put behind the end of a JPEG', async () => {
    const jpeg = await poor().toBuffer()
    expect(await isKept(Buffer.concat([jpeg, Buffer.from('SEFT place and time')]))).toBe(false)
    expect(await isKept(Buffer.concat([jpeg, Buffer.alloc(8)]))).toBe(true)
    const progressive = await poor().jpeg({ quality: 30, progressive: true }).toBuffer()
    expect(await isKept(progressive)).toBe(true)
  })

  it('is also a text in a PNG and in a WebP', async () => {
    const png = await NOISE.clone().png({ palette: true }).toBuffer()
    const noted = Buffer.concat([png.subarray(0, 33), chunk('prVt', 'by Ada'), png.subarray(33)])
    expect(await isKept(noted, {}, 'png')).toBe(false)
    const webp = await NOISE.clone().webp({ quality: 20 }).toBuffer()
    const more = Buffer.concat([webp, Buffer.from('NOTE\x04\0\0\0Ada!', 'latin1')])
    more.writeUInt32LE(more.length - 8, 4)
    expect(await isKept(more, {}, 'webp')).toBe(false)
  })
})
