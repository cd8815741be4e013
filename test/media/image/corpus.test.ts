import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basicDefaults, ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { ProcessingError } from '../../../src/media/protocol.ts'
import { createProcessing, type Processing } from '../../../src/service/processing/processing.ts'
import { JOB_WORKER } from '../../entries.ts'
import { mediaCorpus } from '../../media-corpus.ts'

const pictures = mediaCorpus().filter(({ kind }) => kind === 'image')

describe.skipIf(pictures.length === 0)('real pictures of all kinds, through real worker processes', () => {
  let outputFolder: string
  let processing: Processing
  const said: string[] = []

  beforeAll(async () => {
    outputFolder = await mkdtemp(path.join(tmpdir(), 'mediatray-corpus-'))
    processing = createProcessing({
      workerPath: JOB_WORKER,
      log: (message) => said.push(message),
    })
  })
  afterAll(async () => {
    await processing.close()
    expect((await readdir(outputFolder)).filter((name) => name.startsWith('.'))).toEqual([])
    await rm(outputFolder, { recursive: true, force: true })
    // What the libraries said of refused files is there too.
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
      },
      { signal: new AbortController().signal, onProgress: () => {} },
    )
  const pictureCalled = (file: string) => pictures.find((picture) => picture.file === file)?.path ?? file

  it.each(pictures.filter((picture) => picture.expect === 'processable'))(
    '$file comes out upright, in full size, with its transparency and frames',
    async ({ path: inputPath, width, height, hasAlpha, frames, format }) => {
      const { outputPath } = await run(inputPath)
      const metadata = await sharp(outputPath).metadata()
      expect({ width: metadata.width, height: metadata.height }).toEqual({ width, height })
      expect(metadata.orientation ?? 1).toBe(1)
      expect(metadata.hasAlpha).toBe(hasAlpha)
      // Of an animated PNG, which shows its first frame everywhere, only that one is read.
      expect(metadata.pages ?? 1).toBe(format === 'webp' ? (frames ?? 1) : 1)
      await sharp(outputPath).stats()
    },
  )

  it.each(pictures.filter((picture) => picture.expect === 'reject'))(
    '$file is refused with a reason',
    async ({ path: inputPath }) => {
      const failure = await run(inputPath).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(ProcessingError)
      expect(String(failure)).toMatch(/damaged or incomplete|too large: 65536 × 65536/)
    },
  )

  it('the eight orientations look alike', async () => {
    const small = ImageRecipe.parse({ format: 'png', size: { width: 60, height: 45, fit: 'cover' } })
    const pixels = await Promise.all(
      [1, 2, 3, 4, 5, 6, 7, 8].map(async (orientation) => {
        const { outputPath } = await run(pictureCalled(`Landscape_${orientation}.jpg`), small, 'small')
        return sharp(outputPath).raw().toBuffer()
      }),
    )
    for (const other of pixels) expect(meanDifference(pixels[0], other)).toBeLessThan(12)
  })

  it('one drawing looks the same in every kind of bitmap', async () => {
    const png = ImageRecipe.parse({ format: 'png', size: { width: 32, height: 16 } })
    const [reference, ...others] = await Promise.all(
      ['rgb24.bmp', 'rgb16-565.bmp', 'pal8topdown.bmp', 'pal4rle-4bit.bmp'].map(async (file) => {
        const { outputPath } = await run(pictureCalled(file), png, 'bitmap')
        return sharp(outputPath).raw().toBuffer()
      }),
    )
    // The one with sixteen colours is dithered.
    for (const other of others) expect(meanDifference(reference, other)).toBeLessThan(40)
  })

  it('printer colours become screen colours', async () => {
    const png = ImageRecipe.parse({ format: 'png' })
    const { outputPath } = await run(pictureCalled('fogra-cmyk.tiff'), png, 'screen')
    const { channels } = await sharp(outputPath).stats()
    const [red = 0, green = 0, blue = 0] = channels.map(({ mean }) => mean)
    expect(red).toBeGreaterThan(190)
    expect(Math.max(green, blue)).toBeLessThan(60)
  })

  it('the arrow of a telephone points up, in its wide colours or in sRGB', async () => {
    for (const colour of ['keep', 'srgb'] as const) {
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

/** How far the dark parts of one row are apart, as a share of the width. */
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

function meanDifference(one: Buffer | undefined, other: Buffer): number {
  if (one?.length !== other.length) return Infinity
  return one.reduce((sum, value, index) => sum + Math.abs(value - (other[index] ?? 0)), 0) / one.length
}
