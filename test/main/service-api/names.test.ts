import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mediaKindOf } from '../../../src/shared/media-types.ts'
import { downloadName } from '../../../src/main/service-api/transfers.ts'
import { uploadName } from '../../../src/main/service-api/upload-source.ts'

describe('the name sent with an upload', () => {
  test.each([
    ['photo.jpg', 'photo.jpg'],
    ['My photo (1).JPG', 'My photo (1).jpg'],
    ['100%.png', '100%25.png'],
    ['Blüte 花.jpeg', 'Bl%C3%BCte %E8%8A%B1.jpeg'],
    ['line\nbreak.png', 'line%0Abreak.png'],
  ])('%j becomes %j', (name, sent) => {
    expect(uploadName(name)).toBe(sent)
  })

  test('is always a short, valid header value that keeps the extension and can be decoded', () => {
    assert(
      property(
        string({ unit: 'binary', maxLength: 300 }),
        constantFrom('jpg', 'HEIC', 'mp4'),
        (stem, extension) => {
          const sent = uploadName(`${stem.replaceAll(/[/\\]/g, '')}x.${extension}`)
          expect(sent).toMatch(/^[\x21-\x7e][\x20-\x7e]*$/)
          expect(sent.length).toBeLessThanOrEqual(200)
          expect(mediaKindOf(sent)).toBeDefined()
          expect(() => decodeURIComponent(sent)).not.toThrow()
        },
      ),
    )
  })
})

describe('the suggested name of a download', () => {
  test.each([
    [`attachment; filename="photo-web.jpg"`, 'photo-web.jpg'],
    [`attachment; filename="Bl_te.jpg"; filename*=UTF-8''Bl%C3%BCte.jpg`, 'Blüte.jpg'],
    [`attachment; filename="../../etc/passwd"`, 'passwd'],
    [`attachment; filename="C:\\\\Windows\\\\evil.jpg"`, 'evil.jpg'],
    [`attachment; filename="a:b?.jpg"`, 'a_b_.jpg'],
    [`attachment; filename="CON.jpg"`, '_CON.jpg'],
    [`attachment; filename=".bashrc"`, '_.bashrc'],
    [`attachment; filename=".."`, 'job-1'],
    ['attachment', 'job-1'],
    ['nonsense;;;=', 'job-1'],
    [undefined, 'job-1'],
  ])('in %j is %j', (header, name) => {
    expect(downloadName(header, 'job-1')).toBe(name)
  })

  test('is never a path, never hidden and never too long, for any input', () => {
    assert(
      property(string({ unit: 'binary', maxLength: 600 }), (suggestion) => {
        const name = downloadName(
          `attachment; filename*=UTF-8''${encodeURIComponent(suggestion.toWellFormed())}`,
          'job',
        )
        expect(name).not.toMatch(/[/\\\p{Cc}]|^\.|^$/u)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(201)
      }),
    )
  })
})
