/** A JPEG XL that was made from a JPEG keeps its pixels when only its metadata is removed. */
import { spawnSync } from 'node:child_process'
import { brotliDecompressSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { boxesIn } from '../../../src/node/media-header/heif-boxes.ts'
import { withoutJpegMetadata } from '../../../src/media/image/jpeg-reconstruction.ts'
import { codestreamOf, withoutMetadata } from '../../../src/media/image/jpeg-xl-file.ts'
import { readMetadata } from '../../../src/media/metadata/read-metadata.ts'
import { photoFile, type PhotoRecipe, processContent, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

/** libjxl made it from a JPEG of 16 × 16 pixels with Exif, XMP, a comment and appended bytes, all by Ada. */
const TRANSCODED = Buffer.from(
  [
    'AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAAARanhscAAAAAD/CkNAJAAAAG5qYnJkwDD0tw0gCILQMiAAxAtgpQUE',
    'gFCjQEoAAAAA2f8nKAAAAAB5sP8VAQAAAOT/CwoAAABAP+x/gR8AqCwgBQsSgOAAEEpGSUYAAQEAAAEAAQAA/gAIYnkgQWRhU0VG',
    'VCBieSBBZGEDAAAAe2Jyb2JFeGlmG7cAAMTv2ea/QyzSVBOdRMMjUWyvr6SVMFseUESBSGV/XdI13gWj0QQD2zeWDAyIhAPgnmdU',
    '/qqQyYIkINsr2cobFRCUmhowwMDvw2bv/FKIM/VFGCS3fc6ge/wFTAqUyJVtTV7Q+bJ14r+J6oEcAAABHGJyb2J4bWwgGyoLAOT4',
    '/dlfSTde+oBHZMC5MsYN3gT2nYe39/hqdC4GGmEeaBSQZJm7PkbNgzI6XB5Kwjed+yyDyRlA37Xw//ohLMYW9qUqW90Hk/mi8DxO',
    '2s9aZ/RcjbQxOjYx7/p9s7/X0f9hanC3cJVzPYKqgEFoVpxXFhLwRNej+2La2e3WwPG0pKBNzON4qrfCGOZ0HE+t1TV1PtFieYbn',
    'Kb2iTo/teXCntqeMKgKhT50AG5x7aSESgHfGI1fsL8e1j8cjhqwbhqM5Bm0CYI5HOnshAUiBtz4bkMj1AhY/KRHhnSIxRtt7IE6b',
    'TEMEsWfkaDLwqLY/dG0Ts98K4yJlGPX+6ex3BgDoqLc37k62Ywtv6NgAAAEAanhscIAAAAHgWwIQALQDDm4MbA5u/v8OAAAYAAgA',
    'AQAAAAAAgIAliRTIvEkPgKeZ4R4AgEKSgoLCbCTGYIJdQ6Yxs08DAD88R3i+gT7PI8wB+uPFkxdUAPROADHYOgQA4arQWRkAAPBU',
    'CAAAIqsEAAATAAAAQE8AAAAAAAAAAAAAAAAAAACAFEmQGyTfS4hTiHegHizKtEmzRR/ASxGaQ+gGYIYsEIURhWxIAIAXA0C01B8E',
    'RA2hrAD4StgkDQAAKAsJAAAl+gQAABMAAACAvQAAAAAAAAAAAAAAAAAAAAAAAAAAAEBJIi0Wt7kCAA+oBtQvOD2D24AaUAMC',
  ].join(''),
  'base64',
)
/** As in the preset that removes metadata. */
const REMOVING: PhotoRecipe = { quality: 92, colour: 'keep', metadata: 'strip' }

function boxNamed(file: Buffer, wanted: string): Buffer | undefined {
  const box = boxesIn(file, 0, file.length).find(({ type }) => type === wanted)
  return box && file.subarray(box.body, box.end)
}

const typesIn = (file: Buffer) => boxesIn(file, 0, file.length).map(({ type }) => type)

/** All content that the box has compressed. It follows bits without a known length. */
function compressedIn(box: Buffer | undefined): string {
  for (let at = 0; box !== undefined && at < box.length; at++)
    try {
      const content = brotliDecompressSync(box.subarray(at)).toString('latin1')
      if (content.startsWith('\xe0')) return content
    } catch {
      // It begins later.
    }
  return ''
}

describe('a JPEG XL made from a JPEG', () => {
  it('keeps its coded pixels, and goes back to a JPEG without metadata', async () => {
    const { bytes, losses } = await processContent('a.jxl', TRANSCODED, REMOVING)
    expect(typesIn(bytes)).toEqual(['JXL ', 'ftyp', 'jxlp', 'jbrd', 'jxlp'])
    expect(codestreamOf(bytes)).toEqual(codestreamOf(TRANSCODED))
    expect(compressedIn(boxNamed(TRANSCODED, 'jbrd'))).toContain('by Ada')
    expect(compressedIn(boxNamed(bytes, 'jbrd'))).toMatch(/^\xe0\0\x10JFIF[^]{10}$/)
    expect(losses).toEqual([])
  })

  it.skipIf(spawnSync('djxl', ['--version']).status !== 0)('is read by libjxl', async () => {
    const { output } = await processContent('a.jxl', TRANSCODED, REMOVING)
    const decode = (from: string, to: string, ...more: readonly string[]) =>
      spawnSync('djxl', [from, to, ...more])
    const [before, after] = [
      await photoFile('a.jpg', Buffer.alloc(0)),
      await photoFile('b.jpg', Buffer.alloc(0)),
    ]
    expect(decode(await photoFile('b.jxl', TRANSCODED), before).status).toBe(0)
    expect(decode(output, after).stderr.toString()).toContain('Reconstructed')
    const pixels = (path: string) => sharp(path).raw().toBuffer()
    expect(await pixels(after)).toEqual(await pixels(before))
    expect((await readMetadata(before, 'jpeg')).comments).toEqual([{ text: 'by Ada' }])
    expect(await readMetadata(after, 'jpeg')).toEqual({ comments: [] })
  })

  it('keeps metadata without the location', async () => {
    const { bytes, output } = await processContent('a.jxl', TRANSCODED, {
      ...REMOVING,
      metadata: 'strip-location',
    })
    expect(codestreamOf(bytes)).toEqual(codestreamOf(TRANSCODED))
    const { exif, xmp } = await readMetadata(output, 'jxl')
    expect(exif?.includes('Ada Hidden')).toBe(true)
    expect(xmp?.includes('A title')).toBe(true)
  })

  it.each<[string, PhotoRecipe]>([
    ['smaller dimensions', { size: { width: 8 } }],
    ['a lower quality', { quality: 60 }],
    ['a file size', { maxBytes: 700 }],
    ['a rotation', { rotate: 90 }],
    ['gray', { grayscale: true }],
  ])('is encoded again for %s', async (_, recipe) => {
    const { bytes } = await processContent('a.jxl', TRANSCODED, { ...REMOVING, ...recipe })
    expect(codestreamOf(bytes)?.equals(codestreamOf(TRANSCODED) ?? bytes)).toBe(false)
    expect(bytes.includes('jbrd')).toBe(false)
  })

  it('doesn’t go back to a JPEG if its data can’t be read', () => {
    const data = boxNamed(TRANSCODED, 'jbrd') ?? Buffer.alloc(0)
    for (let length = 0; length < data.length; length++)
      expect(withoutJpegMetadata(data.subarray(0, length))).toBeUndefined()
    const damaged = Buffer.from(TRANSCODED)
    damaged.fill(0xff, damaged.indexOf('jbrd') + 40, damaged.indexOf('jbrd') + 90)
    expect(typesIn(withoutMetadata(damaged))).toEqual(['JXL ', 'ftyp', 'jxlp', 'jxlp'])
  })
})
