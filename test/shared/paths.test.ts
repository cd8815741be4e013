import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { windowTranslation } from '../window-translation.ts'
import { jobName } from '../../src/shared/i18n/names.ts'
import { isAbsolutePath, plainName, shownSentence, shownText } from '../../src/shared/paths.ts'

const t = windowTranslation('en')

it('replaces characters that reverse text or move the cursor with a visible symbol', () => {
  expect(shownText('photo\u202Egpj.exe')).toBe('photo\uFFFDgpj.exe')
  expect(shownText('a\u0000\u001B[2J\u0085b\u2028c')).toBe('a\uFFFD\uFFFD[2J\uFFFDb\uFFFDc')
  expect(jobName({ name: 'photo\u2066gpj.exe', files: 3, driveInput: null }, t)).toBe(
    'photo\uFFFDgpj.exe + 2 more',
  )
  expect(jobName({ name: '', files: null, driveInput: '1\u202E2' }, t)).toBe('Drive folder 1\uFFFD2')
})

it('a sentence keeps the isolates of its names, but none that a name brings alone', () => {
  const [begin, end] = ['\u2068', '\u2069']
  expect(shownSentence(`${begin}a.jpg${end} (${begin}2 MB${end})`)).toBe(
    `${begin}a.jpg${end} (${begin}2 MB${end})`,
  )
  expect(shownSentence(`${begin}a${end}b${end} c${begin}`)).toBe(`${begin}a${end}b\uFFFD c\uFFFD`)
  expect(shownSentence('photo\u202Egpj.exe')).toBe('photo\uFFFDgpj.exe')
})

it('names in any script are preserved, including the joiners of emoji and Persian', () => {
  for (const name of [
    'Grüße – Übersicht.jpg',
    'שלום.jpg',
    'صورة.png',
    'می\u200Cخواهم.webp',
    '👩\u200D👧.heic',
  ]) {
    expect(shownText(name)).toBe(name)
    expect(plainName(name)).toBe(name)
  }
})

/** Any character, often one of the block with misleading ones. The library's own unit for this takes seconds to create. */
const unit = fc
  .oneof(fc.integer({ min: 0, max: 0x10_ffff }), fc.integer({ min: 0x2000, max: 0x206f }))
  .map((code) => String.fromCodePoint(code))

it('no derived name contains a character that reverses text or moves the cursor', () => {
  fc.assert(
    fc.property(fc.string({ unit }), (name) => {
      expect(plainName(name)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}]/u)
    }),
  )
})

it.each(['/home/me', 'C:\\Users\\me', 'c:/Users/me', '\\\\server\\share'])('%s is absolute', (path) => {
  expect(isAbsolutePath(path)).toBe(true)
})
it.each(['home/me', './me', 'C:me', '\\\\\\server', 'x/C:\\me', '', '1:/me'])(
  '%s is not absolute',
  (path) => {
    expect(isAbsolutePath(path)).toBe(false)
  },
)
