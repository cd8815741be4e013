/** Languages made of the English texts, which show whether translations would fit and whether the window is mirrored completely. */
import type { Area, Incomplete } from '../../../src/shared/i18n/catalog.ts'
import { english } from '../../../src/shared/i18n/english.ts'

/** Latin letters with accents, 40% longer. */
export const LONGER = 'en-XA'
/** Arabic letters, from right to left. */
export const MIRRORED = 'ar-XB'

const ARABIC = Array.from('ابتثجحخدذرزسشصضطظعغفقكلمنهوي')

/** Changes the words of a text, but not its placeholders. */
const outsidePlaceholders = (text: string, change: (words: string) => string): string =>
  text
    .split(/(\{\{\w+\}\})/)
    .map((piece) => (piece.startsWith('{{') ? piece : change(piece)))
    .join('')

const accented = (text: string): string => {
  const words = outsidePlaceholders(text, (piece) =>
    piece.replaceAll(/[aeo]/gi, (letter) => `${letter}\u0301`.normalize()),
  )
  // Words that can wrap, as in other languages.
  const more = Array.from({ length: Math.ceil((text.length * 0.4) / 6) }, (_, at) => ['öñé', 'ţŵöñé'][at % 2])
  return `${words} ${more.join(' ')}`
}

const arabic = (text: string): string =>
  outsidePlaceholders(text, (piece) =>
    piece.replaceAll(/[a-z]/gi, (letter) => ARABIC[letter.toLowerCase().charCodeAt(0) - 97] ?? letter),
  )

const mapAreas = (change: (area: Area) => Area): Incomplete =>
  Object.fromEntries(
    Object.entries(english).map(([part, areas]) => [
      part,
      Object.fromEntries(Object.entries(areas).map(([name, area]) => [name, change(area)])),
    ]),
  )

const mapTexts = (area: Area, change: (text: string) => string): Area =>
  Object.fromEntries(Object.entries(area).map(([key, text]) => [key, change(text)]))

/** Adds the plural categories of Arabic. */
const withArabicForms = (area: Area): Area =>
  Object.fromEntries(
    Object.entries(area).flatMap(([key, text]) => {
      const [, name] = /^(.+)_other$/.exec(key) ?? []
      return name === undefined
        ? [[key, text]]
        : ['zero', 'two', 'few', 'many', 'other'].map((category) => [`${name}_${category}`, text])
    }),
  )

export const pseudoLanguages = (): Readonly<Record<string, Incomplete>> => ({
  [LONGER]: mapAreas((area) => mapTexts(area, accented)),
  [MIRRORED]: mapAreas((area) => mapTexts(withArabicForms(area), arabic)),
})
