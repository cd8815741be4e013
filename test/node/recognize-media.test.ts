import { describe, expect, it } from 'vitest'
import { recognize } from '../../src/node/recognize-media.ts'
import { SUPPORTED_EXTENSIONS } from '../../src/shared/media-types.ts'

const CONTENT = {
  jpeg: '\xff\xd8\xff\xe0',
  strayJpeg: '\xff\xd8\0\x01\x02\xff\xe0\0\x10JFIF',
  png: '\x89PNG\r\n\x1a\n',
  tiff: 'II*\0\x08\0\0\0',
  canonTiff: 'II*\0\x10\0\0\0CR\x02\0',
  gif: 'GIF89a',
  jxl: '\0\0\0\x0cJXL \r\n\x87\n',
  heic: '\0\0\0\x18ftypheic\0\0\0\0mif1heic',
  avif: '\0\0\0\x18ftypavif\0\0\0\0mif1avif',
  /** The major brand only says that it is an image; the compatible brands name the codec. */
  plainAvif: '\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf',
  plainHeic: '\0\0\0\x18ftypmif1\0\0\0\0mif1heic',
  mp4: '\0\0\0\x18ftypisom\0\0\0\0isommp41',
  mov: '\0\0\0\x14ftypqt  \0\0\0\0qt  ',
  m4a: '\0\0\0\x18ftypM4A \0\0\0\0M4A isom',
  cr3: '\0\0\0\x18ftypcrx \0\0\0\x01crx isom',
  webm: '\x1aE\xdf\xa3\x9fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x84webm',
  mkv: '\x1aE\xdf\xa3\xa3B\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82\x88matroska',
  mpeg: '\0\0\x01\xba',
  ts: `G@\x11\x10${'\xff'.repeat(184)}`.repeat(3),
  m2ts: `\0\0\0\0G@\x11\x10${'\xff'.repeat(184)}`.repeat(3),
  flv: 'FLV\x01',
  asf: '0&\xb2u\x8ef\xcf\x11',
  olympus: 'IIRO\x08\0\0\0',
  bmp: 'BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0',
  text: 'The free encyclopedia',
  bmText: 'BMW, Mercedes and others',
} as const

const recognized = (name: string, content: keyof typeof CONTENT) =>
  recognize(name, Buffer.from(CONTENT[content], 'latin1'))

const image = (format?: string) => ({ kind: 'image', ...(format === undefined ? {} : { format }) })
const video = (format?: string) => ({ kind: 'video', ...(format === undefined ? {} : { format }) })

describe('a file', () => {
  it.each([
    ['a.jpg', 'jpeg', image()],
    ['a.JPEG', 'jpeg', image()],
    ['a.jpe', 'jpeg', image('jpg')],
    ['a.jfif', 'jpeg', image('jpg')],
    ['a.jpg', 'strayJpeg', image()],
    ['a.jfif', 'strayJpeg', image('jpg')],
    ['a.tif', 'tiff', image('tiff')],
    ['a.heif', 'heic', image('heic')],
    ['a.hif', 'plainHeic', image('heic')],
    ['a.qt', 'mov', video('mov')],
    ['a.m4v', 'mp4', video()],
    ['a.3gp', 'mp4', video('mp4')],
    ['a', 'jpeg', image('jpg')],
    ['a.dat', 'png', image('png')],
    ['a.jpg', 'png', image('png')],
    ['a.mp4', 'jpeg', image('jpg')],
    ['a.png', 'mp4', video('mp4')],
    ['a', 'webm', video('webm')],
    ['a', 'mkv', video('mkv')],
    ['a.bin', 'bmp', image('bmp')],
    ['a.mpg', 'mpeg', video('mpg')],
    ['a.mp4', 'ts', video('ts')],
    ['a.ts', 'ts', video('ts')],
    ['a.mts', 'm2ts', video('ts')],
    ['a', 'flv', video('flv')],
    ['a.avi', 'asf', video('wmv')],
  ] as const)('is recognized by content, whatever its name is: %s with %s', (name, content, expected) => {
    expect(recognized(name, content)).toEqual(expected)
  })

  it.each([
    ['a.avif', 'avif', 'avif'],
    ['a.heic', 'avif', 'avif'],
    ['a.heic', 'plainAvif', 'avif'],
    ['a.jxl', 'jxl', 'jxl'],
    ['a.gif', 'gif', 'gif'],
    ['a.png', 'gif', 'gif'],
    ['a', 'gif', 'gif'],
  ] as const)(
    'keeps a format of the built-in service, whatever its name is: %s with %s',
    (name, content, format) => {
      expect(recognized(name, content)).toEqual(image(format))
    },
  )

  it.each([
    ['a.cr2', 'canonTiff'],
    ['a.tif', 'canonTiff'],
    ['a.cr3', 'cr3'],
    ['a.mp4', 'cr3'],
    ['a.nef', 'tiff'],
    ['a.dng', 'tiff'],
    ['a.ARW', 'tiff'],
    ['a.orf', 'olympus'],
    ['a', 'olympus'],
    ['a.raf', 'text'],
  ] as const)('is RAW by content, or by its ending if the content is TIFF: %s with %s', (name, content) => {
    expect(recognized(name, content)).toEqual({ kind: 'raw' })
  })

  it('is a JPEG if a camera’s RAW ending is wrong', () => {
    expect(recognized('a.nef', 'jpeg')).toEqual(image('jpg'))
  })

  it.each([
    ['notes', 'bmText'],
    ['notes.txt', 'text'],
    ['notes.txt', 'strayJpeg'],
    ['song', 'm4a'],
    ['song.m4a', 'mp4'],
    ['sound.mka', 'mkv'],
    ['MVI_0001.THM', 'jpeg'],
    ['song.wma', 'asf'],
    ['index.ts', 'text'],
    ['a.tif', 'text'],
    ['a.avif', 'text'],
  ] as const)('isn’t a photo or video: %s with %s', (name, content) => {
    expect(recognized(name, content)).toEqual({ kind: 'unknown' })
  })

  it.each(SUPPORTED_EXTENSIONS)(
    'with the ending %s stays what its name says if its content is damaged',
    (extension) => {
      expect(recognized(`a.${extension}`, 'text')).toMatchObject({
        kind: expect.stringMatching(/image|video/),
      })
      expect(recognized(`a.${extension}`, 'text')).not.toHaveProperty('format')
    },
  )
})
