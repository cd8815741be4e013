import { describe, expect, it } from 'vitest'
import { uploadNameFrom } from '../../../src/service/http/upload-name.ts'
import { SUPPORTED_EXTENSIONS } from '../../../src/shared/media-types.ts'

/** Header bytes as Node delivers them. */
const raw = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
const safe = (header: string): string => uploadNameFrom(header).safe

describe('the name of an upload', () => {
  it.each([
    ['a photo.jpg', 'a photo.jpg'],
    ['  a.jpg  ', 'a.jpg'],
    ['Gr%C3%B6%C3%9Fe.png', 'Größe.png'],
    [raw('Größe 花.png'), 'Größe 花.png'],
    ['100 % sure.png', '100 % sure.png'],
    ['na\u00efve.png', 'naïve.png'],
    ['C:\\photos\\a.jpg', 'a.jpg'],
    ['/etc/../a.jpg', 'a.jpg'],
    ['..%2F..%2Fa.jpg', 'a.jpg'],
    ['a.tar.JPG', 'a.tar.JPG'],
  ])('%j is %j', (header, original) => {
    expect(uploadNameFrom(header)).toEqual({ original, safe: original })
  })

  it.each(SUPPORTED_EXTENSIONS)('may end in .%s, in any case', (extension) => {
    for (const name of [`a.${extension}`, `a.${extension.toUpperCase()}`]) expect(safe(name)).toBe(name)
  })

  it.each([undefined, '', '   ', ['a.jpg', 'b.jpg']])('is missing if the header is %j', (header) => {
    expect(() => uploadNameFrom(header)).toThrow(
      expect.objectContaining({
        status: 400,
        message: 'The X-Filename header must contain the file name.',
      }),
    )
  })

  it.each(['a', 'a.docx', 'a.gif', 'jpg', '.jpg', 'a.jpg/', 'a.jpg.exe', '%00'])(
    'is refused if its type is not supported: %s',
    (header) => {
      expect(() => uploadNameFrom(header)).toThrow(
        expect.objectContaining({
          status: 400,
          message: 'X-Filename must end in the extension of a supported image or video.',
        }),
      )
    },
  )
})

describe('the file name of an upload', () => {
  it.each([
    ['characters that no file system accepts', 'a<b>c:d"e|f?g*h.jpg', 'a_b_c_d_e_f_g_h.jpg'],
    [
      'invisible characters',
      encodeURIComponent('a\u0007b\u200ec\u2028d\u2029e\uFFFDf.jpg'),
      'a_b_c_d_e_f.jpg',
    ],
    ['dots and spaces around it', '.. .a . ..jpg', 'a.jpg'],
    ['a spelling that systems read as another name', encodeURIComponent('e\u0301.png'), '\u00e9.png'],
    ['devices of Windows', 'con.jpg', 'upload-con.jpg'],
    ['devices of Windows in capitals with a suffix', 'LPT9.x.jpg', 'upload-LPT9.x.jpg'],
    ['only dots before it', '....jpg', 'upload.jpg'],
  ])('has no %s', (_name, header, expected) => {
    expect(safe(header)).toBe(expected)
  })

  it.each(['console.jpg', 'com10.jpg', 'xcon.jpg', 'com.jpg'])(
    'is kept if it only starts like a device: %s',
    (header) => {
      expect(safe(header)).toBe(header)
    },
  )

  it('is cut to 180 bytes between characters, without a trailing separator', () => {
    expect(safe(`${'x'.repeat(180)}.jpg`)).toBe(`${'x'.repeat(180)}.jpg`)
    expect(safe(`${'x'.repeat(181)}.jpg`)).toBe(`${'x'.repeat(180)}.jpg`)
    expect(safe(`${'x'.repeat(179)}${encodeURIComponent('é')}.jpg`)).toBe(`${'x'.repeat(179)}.jpg`)
    const flag = encodeURIComponent('🇩🇪')
    expect(safe(`${'x'.repeat(172)}${flag}.jpg`)).toBe(`${'x'.repeat(172)}🇩🇪.jpg`)
    expect(safe(`${'x'.repeat(173)}${flag}.jpg`)).toBe(`${'x'.repeat(173)}.jpg`)
    expect(safe(`${'x'.repeat(179)} y.jpg`)).toBe(`${'x'.repeat(179)}.jpg`)
  })
})
