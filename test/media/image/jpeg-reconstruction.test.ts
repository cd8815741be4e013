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
    '0000000c4a584c200d0a870a00000014667479706a786c20000000006a786c20000000116a786c7000000000ff0a43402400',
    '00006e6a627264c030f4b70d200882d0322000c40b60a505048050a3404a00000000d9ff27280000000079b0ff1501000000',
    'e4ff0b0a000000403fec7f811f00a82c20050b1280e000104a46494600010100000100010000fe0008627920416461534546',
    '5420627920416461030000007b62726f62457869661bb70000c4efd9e6bf432cd254139d44c323516cafafa495305b1e5044',
    '8148657f5dd235de05a3d10403db37960c0c888403e09e6754feaa90c9822420db2bd9ca1b1510949a1a30c0c0efc366effc',
    '528833f5451824b77dcea07bfc054c0a94c8956d4d5ed0f9b275e2bf89ea811c0000011c62726f62786d6c201b2a0b00e4f8',
    'fdd95f49375efa804764c0b932c60dde04f69d87b7f7f86a742e061a611e6814906499bb3e46cd83323a5c1e4ac2379dfb2c',
    '83c91940dfb5f0fffa212cc616f6a52a5bdd0793f9a2f03c4edacf5a67f45c8db4313a3631effa7db3bfd7d1ff616a70b770',
    '95733d82aa804168569c571612f044d7a3fb62dad9edd6c0f1b4a4a04dcce378aab7c218e6741c4fadd535753ed1627986e7',
    '29bda24e8fed7970a7b6a78c2a02a14f9d001b9c7b6921128077c62357ec2fc7b58fc72386ac1b86a339066d02608e473a7b',
    '21014881b73e1b90c8f502163f2911e19d223146db7b204e9b4c4304b167e46832f0a8b63f746d13b3df0ae3226518f5fee9',
    'ec770600e8a8b737ee4eb6630b6fe8d8000001006a786c7080000001e05b021000b4030e6e0c6c0e6efeff0e000018000800',
    '0100000000008080258914c8bc490f80a799e11e008042928282c26c24c660825d43a631b34f03003f3c4778be813ecf23cc',
    '01fae3c593175400f44e0031d83a0400e1aad059190000f05408000022ab04000013000000404f0000000000000000000000',
    '00000000801449901b24df4b88538877a01e2ccab449b3451fc04b119a43e80660862c108511856c480080170340b4d41f04',
    '440da1ac00f84ad8240d0000280b09000025fa0400001300000080bd00000000000000000000000000000000000000000040',
    '49222d16b7b902000fa806d42f383d83db801a500302',
  ].join(''),
  'hex',
)
/** As in the preset that removes metadata. */
const REMOVING: PhotoRecipe = { quality: 92, colour: 'keep', metadata: 'strip' }

function boxNamed(file: Buffer, wanted: string): Buffer | undefined {
  const box = boxesIn(file, 0, file.length).find(({ type }) => type === wanted)
  return box && file.subarray(box.body, box.end)
}

const typesIn = (file: Buffer) => boxesIn(file, 0, file.length).map(({ type }) => type)

/** All content that the box has compressed. It follows bits without a known length. */
function compressedIn(box: Buffer = Buffer.alloc(0)): string {
  for (let at = 0; at < box.length; at++)
    try {
      const content = brotliDecompressSync(box.subarray(at)).toString('latin1')
      if (content.startsWith('\xe0')) return content
    } catch {
      // It begins later.
    }
  return ''
}

const decode = (from: string, to: string) => spawnSync('djxl', [from, to])
const pixels = (path: string) => sharp(path).raw().toBuffer()

describe('a JPEG XL made from a JPEG', () => {
  it('keeps its coded pixels, and goes back to a JPEG without metadata', async () => {
    const { bytes, losses } = await processContent('a.jxl', TRANSCODED, REMOVING)
    expect(typesIn(bytes)).toEqual(['JXL ', 'ftyp', 'jbrd', 'jxlc'])
    expect(codestreamOf(bytes)).toEqual(codestreamOf(TRANSCODED))
    expect(compressedIn(boxNamed(TRANSCODED, 'jbrd'))).toContain('by Ada')
    const left = compressedIn(boxNamed(bytes, 'jbrd'))
    expect([left.length, left.slice(3, 7)]).toEqual([17, 'JFIF'])
    expect(losses).toEqual([])
  })

  it.skipIf(spawnSync('djxl', ['--version']).status !== 0)('is read by libjxl', async () => {
    const { output } = await processContent('a.jxl', TRANSCODED, REMOVING)
    const [before, after] = [
      await photoFile('a.jpg', Buffer.alloc(0)),
      await photoFile('b.jpg', Buffer.alloc(0)),
    ]
    expect(decode(await photoFile('b.jxl', TRANSCODED), before).status).toBe(0)
    expect(decode(output, after).stderr.toString()).toContain('Reconstructed')
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
    const coded = codestreamOf(damaged) ?? Buffer.alloc(0)
    expect(typesIn(withoutMetadata(damaged, coded))).toEqual(['JXL ', 'ftyp', 'jxlc'])
  })
})
