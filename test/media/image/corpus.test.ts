import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openImage } from '../../../src/media/image/source-image.ts'
import { basicDefaults, ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { FailureError } from '../../../src/shared/failure/failure-error.ts'
import { createProcessing, type Processing } from '../../../src/service/processing/processing.ts'
import { firstOf, isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { WORKER } from '../../entries.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { meanDifference } from './process-photo.ts'

const pictures = mediaCorpus().filter(({ kind }) => kind === 'image')

/** What `npm test` processes. */
const OF_EACH_KIND = new Set([
  'Landscape_1.jpg',
  'Landscape_6.jpg',
  'Blüte 花 🌸 (Frühling).jpeg',
  "O'Brien “16-bit” flag.png",
  'Alpha Lossless (1).webp',
  'rotating-squares.webp',
  'rainbow-451x461.heic',
  'rgb24.bmp',
  'fogra-cmyk.tiff',
])

describe.skipIf(pictures.length === 0)('real images of all kinds, through real worker processes', () => {
  let outputFolder: string
  let processing: Processing
  const said: string[] = []

  beforeAll(async () => {
    outputFolder = await mkdtemp(path.join(tmpdir(), 'mediatray-corpus-'))
    processing = createProcessing({
      workerPath: WORKER,
      log: (message) => said.push(message),
    })
  })
  afterAll(async () => {
    await processing.close()
    expect((await readdir(outputFolder)).filter((name) => name.startsWith('.'))).toEqual([])
    await rm(outputFolder, { recursive: true, force: true })
    // Checks only for workers that ended, because the libraries' messages about refused files are logged too.
    expect(said.filter((line) => line.startsWith('A worker ended'))).toEqual([])
  })

  const run = (
    inputPath: string,
    image = ImageRecipe.parse({ ...basicDefaults().image }),
    presetName = 'basic',
  ) =>
    processing.run(
      {
        inputPath,
        inputName: path.basename(inputPath),
        outputFolder,
        presetName,
        recipe: { kind: 'image', image },
        ranges: basicDefaults().variations,
        rules: basicDefaults().results,
        subfolder: [],
        number: 1,
        inputs: 1,
        variation: 1,
        variations: 1,
        left: 1,
      },
      { signal: new AbortController().signal, onProgress: () => {} },
    )
  const pictureCalled = (file: string) => pictures.find((picture) => picture.file === file)?.path ?? file

  const processable = pictures.filter((picture) => picture.expect === 'processable')
  it.each(processable.filter(({ file }) => isLongSuite || OF_EACH_KIND.has(file)))(
    '$file is processed upright, at full size, with its transparency, frames and pages',
    async ({ path: inputPath, width, height, hasAlpha, frames, pages }) => {
      const { outputPath } = await run(inputPath)
      const metadata = await sharp(outputPath).metadata()
      expect({ width: metadata.width, height: metadata.height }).toEqual({ width, height })
      expect(metadata.orientation ?? 1).toBe(1)
      expect(metadata.hasAlpha).toBe(hasAlpha)
      const result = await openImage(outputPath)
      expect({ frames: result.frames, pages: result.frames > 1 ? 1 : (metadata.pages ?? 1) }).toEqual({
        frames: frames ?? 1,
        pages: pages ?? 1,
      })
      await sharp(outputPath).stats()
    },
  )

  it.each(pictures.filter((picture) => picture.expect === 'reject'))(
    '$file is refused with a reason',
    async ({ path: inputPath }) => {
      const failure = await run(inputPath).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(FailureError)
      expect(String(failure)).toMatch(/damaged or incomplete|too large: 65536 × 65536/)
    },
  )

  itInLongSuite('one drawing looks the same in every kind of bitmap', async () => {
    const png = ImageRecipe.parse({ format: 'png', size: { width: 32, height: 16 } })
    const [reference, ...others] = await Promise.all(
      ['rgb24.bmp', 'rgb16-565.bmp', 'pal8topdown.bmp', 'pal4rle-4bit.bmp'].map(async (file) => {
        const { outputPath } = await run(pictureCalled(file), png, 'bitmap')
        return sharp(outputPath).raw().toBuffer()
      }),
    )
    // The limit is generous because the sixteen-color image is dithered.
    for (const other of others) expect(meanDifference(reference ?? [], other)).toBeLessThan(40)
  })

  it('printer colors are converted to screen colors', async () => {
    const png = ImageRecipe.parse({ format: 'png' })
    const { outputPath } = await run(pictureCalled('fogra-cmyk.tiff'), png, 'screen')
    const { channels } = await sharp(outputPath).stats()
    const [red = 0, green = 0, blue = 0] = channels.map(({ mean }) => mean)
    expect(red).toBeGreaterThan(190)
    expect(Math.max(green, blue)).toBeLessThan(60)
  })

  it('the arrow in a phone photo points up, both in wide gamut and in sRGB', async () => {
    for (const colour of firstOf(['keep', 'srgb'] as const)) {
      const recipe = ImageRecipe.parse({ format: 'png', colour, size: { width: 300 }, metadata: 'keep' })
      const { outputPath } = await run(pictureCalled('arrow-iPhone8Plus-rotated.heic'), recipe, colour)
      const metadata = await sharp(outputPath).metadata()
      expect(metadata.icc !== undefined).toBe(colour === 'keep')
      expect(metadata.exif).toBeDefined()
      expect(metadata.orientation ?? 1).toBe(1)
      expect(await darkWidth(outputPath, 0.16)).toBeLessThan((await darkWidth(outputPath, 0.42)) / 2)
    }
  })
})

/** Width of the dark part of one row, as a fraction of the image's width. */
async function darkWidth(file: string, at: number): Promise<number> {
  const { width, height } = await sharp(file).metadata()
  const row = await sharp(file)
    .extract({ left: 0, top: Math.round(height * at), width, height: 1 })
    .toColourspace('b-w')
    .removeAlpha()
    .raw()
    .toBuffer()
  const dark = [...row.keys()].filter((x) => (row[x] ?? 255) < 70)
  return dark.length === 0 ? 0 : (Math.max(...dark) - Math.min(...dark)) / width
}
