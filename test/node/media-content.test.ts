import { describe, expect, it } from 'vitest'
import { readMediaContent } from '../../src/node/media-content.ts'

const before = (count: number) => '\0'.repeat(count)

describe('the first bytes of a file', () => {
  const image = 'heic heix heim heis hevc hevx hevm hevs mif1 msf1 mif2 avif avis avci jpeg'.split(' ')
  const atoms = 'moov mdat wide free skip pnot junk pict prfl udta uuid styp'.split(' ')
  it.each([
    ['image', '\xff\xd8\xff\xe0'],
    ['image', '\xff\xd8\0stray bytes\xff\xff\xe0\0\x10JFIF'],
    ['image', '\x89PNG\r\n\x1a\n'],
    ['image', 'GIF87a'],
    ['image', 'GIF89a'],
    ['image', 'RIFF\x01\0\0\0WEBPVP8 '],
    ['image', 'BM\x36'],
    ['image', '\0\0\0\x0cJXL \r\n\x87\n'],
    ['image', '\xff\n\xba'],
    ['image', 'II*\0'],
    ['image', 'MM\0*'],
    ['image', 'II+\0'],
    ['image', 'MM\0+'],
    ...image.map((brand) => ['image', `${before(4)}ftyp${brand}`] as const),
    ['video', `${before(4)}ftypqt  `],
    ['video', `${before(4)}ftypisom`],
    ...atoms.map((atom) => ['video', before(4) + atom] as const),
    ['video', 'RIFF\x01\0\0\0AVI LIST'],
    ['video', 'RIFF\x01\0\0\0AVIXLIST'],
    ['video', 'RIFF\x01\0\0\0AVI\x19LIST'],
    ['video', '\x1aE\xdf\xa3'],
    ['video', '\0\0\x01\xba'],
    ['video', '\0\0\x01\xb3'],
    ['video', 'FLV\x01'],
    ['video', 'OggS'],
    ['video', '0&\xb2u\x8ef\xcf\x11'],
    [undefined, 'RIFF\x01\0\0\0WAVE'],
    // An incomplete signature doesn't count.
    [undefined, 'XXXX\x01\0\0\0WEBPVP8 '],
    [undefined, 'XXXX\x01\0\0\0AVI LIST'],
    [undefined, 'RIFF\x01\0\0\0WEBX'],
    [undefined, 'GIF8!!'],
    [undefined, 'FLV?'],
    [undefined, 'BN'],
    [undefined, 'ftypheic'],
    [undefined, '\xff\xd8'],
    [undefined, '\xff\xd8 without a segment \xff\0\xff\xd9'],
    [undefined, 'not first \xff\xd8\xff\xe0'],
    [undefined, ''],
    [undefined, 'plain text that is neither'],
  ] as const)('identify %s: %j', (kind, head) => {
    expect(readMediaContent(Buffer.from(head, 'latin1'))?.kind).toBe(kind)
  })
})
