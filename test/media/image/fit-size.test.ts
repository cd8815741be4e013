import { describe, expect, it } from 'vitest'
import sharp from 'sharp'
import { decodeJpegXl } from '../../../src/media/image/jpeg-xl.ts'
import { fitIntoBytes } from '../../../src/media/image/fit-size.ts'
import { firstOf, isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { samplePhoto, photoFile, processPhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const FORMATS = ['jpeg', 'webp', 'avif', 'jxl'] as const
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const DC = 'http://purl.org/dc/elements/1.1/'
const photo = () => photoFile('a.png', samplePhoto().png())

describe('a photo with a maximum file size', () => {
  it.each(firstOf(FORMATS))(
    'never exceeds it, and usually uses at least nine tenths of it, as %s',
    async (format) => {
      const real = mediaCorpus().filter(({ file }) => /^(HMD|Landscape_3)/.test(file))
      const inputs = real.length > 0 ? real.map(({ path }) => path) : [await photo()]
      const shares: number[] = []
      for (const input of inputs)
        for (const room of isLongSuite ? [15_000, 25_000, 40_000] : [25_000]) {
          // AVIF takes ten times as long as the others, so it gets half the side length and a quarter of the limit.
          const [side, maxBytes] = format === 'avif' ? [240, room / 4] : [480, room]
          const size = { width: side, height: side }
          const { bytes } = await processPhoto(input, { format, size, maxBytes })
          expect(bytes.length).toBeLessThanOrEqual(maxBytes)
          shares.push(bytes.length / maxBytes)
        }
      const used = shares.filter((share) => share >= 0.9)
      expect(used.length, shares.join()).toBeGreaterThanOrEqual(Math.floor(shares.length * 0.9))
    },
  )

  it('keeps its dimensions, unless they may be reduced and the quality would otherwise be poor', async () => {
    const input = await photo()
    const full = await processPhoto(input, { format: 'jpeg', maxBytes: 12_000 })
    expect([full.width, full.height]).toEqual([480, 320])
    const shrunk = await processPhoto(input, { format: 'jpeg', maxBytes: 12_000, mayShrink: true })
    expect(shrunk.width).toBeLessThan(480)
    expect([full.notes, shrunk.notes]).toEqual([[], ['shrunk-to-fit']])
    expect(shrunk.width / shrunk.height).toBeCloseTo(1.5, 1)
    expect(shrunk.bytes.length).toBeLessThanOrEqual(12_000)
    expect(shrunk.bytes.length).toBeGreaterThan(0.9 * 12_000)
    const roomy = await processPhoto(input, { format: 'jpeg', maxBytes: 60_000, mayShrink: true })
    expect([roomy.width, roomy.notes]).toEqual([480, []])
  })

  itInLongSuite('has smaller dimensions if only its height had to be reduced', async () => {
    const narrow = await photoFile('narrow.png', samplePhoto(20, 4_000).png())
    const whole = await processPhoto(narrow, { format: 'png' })
    const recipe = { format: 'png', maxBytes: whole.bytes.length - 500, mayShrink: true } as const
    const shrunk = await processPhoto(narrow, recipe)
    expect(shrunk.width).toBe(20)
    expect(shrunk.height).toBeLessThan(4_000)
    expect(shrunk.notes).toEqual(['shrunk-to-fit'])
  })

  it.each(firstOf(['png', 'tiff'] as const))(
    'meets it only with smaller dimensions as %s, which is always lossless',
    async (format) => {
      const input = await photo()
      await expect(processPhoto(input, { format, maxBytes: 50_000 })).rejects.toThrow(
        /as small as 50 kB\. The smallest possible size is [\d,]+ kB at 480 × 320 pixels/,
      )
      const shrunk = await processPhoto(input, { format, maxBytes: 50_000, mayShrink: true })
      expect(shrunk.bytes.length).toBeLessThanOrEqual(50_000)
      expect(shrunk.bytes.length).toBeGreaterThan(45_000)
    },
  )

  it('fails with the smallest possible size if the limit can’t be met', async () => {
    const failure = await processPhoto(await photo(), { format: 'jpeg', maxBytes: 1000 }).catch(
      (error: unknown) => error,
    )
    const [, least] =
      /The smallest possible size is (\d+) kB at 480 × 320 pixels\. Increase/.exec(String(failure)) ?? []
    const { bytes } = await processPhoto(await photo(), { format: 'jpeg', quality: 1 })
    expect(Number(least)).toBe(Math.ceil(bytes.length / 1000))
    await expect(
      processPhoto(await photo(), { format: 'jpeg', maxBytes: 1000 * Number(least) }),
    ).resolves.toBeDefined()
  })

  itInLongSuite('loses a profile and metadata that leave too little room for its pixels', async () => {
    const { icc = Buffer.alloc(0) } = await sharp(
      await samplePhoto(9, 9).withIccProfile('p3').png().toBuffer(),
    ).metadata()
    const profile = Buffer.concat([icc, Buffer.alloc(300_000)])
    profile.writeUInt32BE(profile.length)
    const described = samplePhoto(160, 120)
      .withIccProfile(await photoFile('large.icc', profile))
      .withExif({ IFD0: { Make: 'A camera' }, IFD2: { UserComment: 'x'.repeat(50_000) } })
      .withXmp(
        `<rdf:RDF xmlns:rdf="${RDF}"><rdf:Description dc:title="${'y'.repeat(50_000)}" xmlns:dc="${DC}"/></rdf:RDF>`,
      )
    const input = await photoFile('large.jpg', described.jpeg())
    for (const mayShrink of [true, false]) {
      const made = await processPhoto(input, {
        maxBytes: 60_000,
        mayShrink,
        colour: 'keep',
        metadata: 'keep',
      })
      expect(made.bytes.length).toBeLessThanOrEqual(60_000)
      expect(made.width).toBe(160)
      expect(made.losses.map(({ code }) => code)).toEqual(['tags', 'color', 'xmp'])
    }
  })

  it('keeps its profile, metadata and bit depth through repeated encoding', async () => {
    const described = samplePhoto()
      .withIccProfile('p3')
      .withExif({ IFD0: { Copyright: 'Somebody' } })
    const input = await photoFile('p3.png', described.toColourspace('rgb16').png())
    const kept = { colour: 'keep', metadata: 'keep' } as const
    const jpeg = await processPhoto(input, { ...kept, format: 'jpeg', maxBytes: 30_000 })
    const { icc, exif } = await sharp(jpeg.bytes).metadata()
    expect(icc).toBeDefined()
    expect(exif?.toString('latin1')).toContain('Somebody')
    const jxl = await processPhoto(input, { ...kept, format: 'jxl', maxBytes: 30_000 })
    expect((await decodeJpegXl(jxl.bytes)).depth).toBe(16)
  })
})

describe('the search for a quality', () => {
  it('needs few encodings if sizes grow evenly, and also ends if they jump', async () => {
    const tried: number[] = []
    const encoding = (bytesAt: (quality: number) => number) => ({
      width: 10,
      height: 10,
      isLossless: false,
      encode(quality = 0) {
        tried.push(quality)
        return Promise.resolve({ bytes: Buffer.alloc(Math.round(bytesAt(quality))), width: 10, height: 10 })
      },
    })
    const limit = { maxBytes: 10_000, mayShrink: false }
    const even = await fitIntoBytes(
      encoding((quality) => 500 * Math.exp(quality / 25)),
      limit,
    )
    expect(even.bytes.length).toBeGreaterThan(9500)
    expect(tried.length).toBeLessThanOrEqual(4)
    const jump = await fitIntoBytes(
      encoding((quality) => (quality < 61.7 ? 3000 : 30_000)),
      limit,
    )
    expect(jump.bytes.length).toBe(3000)
  })

  it('finds a size between two larger steps of the encoder', async () => {
    const STEPS = [
      [70, 27_475],
      [54, 10_391],
      [52, 9000],
      [0, 7519],
    ] as const
    const { bytes } = await fitIntoBytes(
      {
        width: 10,
        height: 10,
        isLossless: false,
        encode(quality = 0) {
          const [, size = 0] = STEPS.find(([from]) => quality >= from) ?? []
          return Promise.resolve({ bytes: Buffer.alloc(size), width: 10, height: 10 })
        },
      },
      { maxBytes: 10_000, mayShrink: true },
    )
    expect(bytes.length).toBe(9000)
  })
})
