import { describe, expect, it } from 'vitest'
import { languages } from '../../../src/node/translation.ts'
import { readSize } from '../../../src/shared/i18n/typed-size.ts'
import { decimalOf, readNumber } from '../../../src/shared/typed-number.ts'
import { windowTranslation } from '../../window-translation.ts'

describe('a typed number', () => {
  it.each([
    ['29.97', 29.97],
    ['29,97', 29.97],
    ['.5', 0.5],
    ['-180', -180],
    [' 80 ', 80],
    ['２．５', 2.5],
    ['٢٫٥', 2.5],
  ])('%j is %d', (text, number) => {
    expect(readNumber(text, '.')).toBe(number)
  })

  it.each(['', ' ', '-', ',', '1,000,000', '0x10', '1e3', 'Infinity', 'good'])('isn’t %j', (text) => {
    expect(readNumber(text, '.')).toBeNaN()
  })

  it.each([
    ['2,000', '.', Number.NaN],
    ['2,000', ',', 2],
    ['2.000', ',', Number.NaN],
    ['23.976', '.', 23.976],
    ['23.976', '.,', 23.976],
    ['0,125', '.', 0.125],
    ['1920,5', '.', 1920.5],
  ])('%j, where %j separates decimals, is %d', (text, decimals, number) => {
    expect(readNumber(text, decimals)).toBe(number)
  })
})

it.each(languages())('a number is read as its field shows it: %s', (language) => {
  const t = windowTranslation(language)
  for (const number of [23.976, 1.234567, 0.1, 2000, 1234.5, -180])
    expect(readNumber(t.typedNumber(number), decimalOf(t))).toBe(number)
})

describe('a typed size', () => {
  const german = windowTranslation('de')
  it.each([
    ['1,5MB', 1_500_000],
    ['1.5 mb', 1_500_000],
    ['1,500 kB', 1500],
    ['20KB', 20_000],
    ['20k', 20_000],
    ['8MiB', 8_388_608],
    ['٨ MB', 8_000_000],
    ['８ＭＢ', 8_000_000],
    ['300', 300],
  ])('%j has %d bytes', (text, bytes) => {
    expect(readSize(text, 'B', german)).toBe(bytes)
  })

  it('has the unit of its field if none is typed', () => {
    expect(readSize('2,5', 'MB', german)).toBe(2_500_000)
    expect(readSize('500 kB', 'MB', german)).toBe(500_000)
  })

  it.each(['', 'MB', '5 parsecs', '1-2 MB', '5 M B'])('isn’t %j', (text) => {
    expect(readSize(text, 'MB', german)).toBeNaN()
  })

  it('isn’t a number with a comma that the language reads as a thousands separator', () => {
    expect(readSize('1,500kB', 'B', windowTranslation('en'))).toBeNaN()
  })

  it.each(languages())('can be typed as it is shown: %s', (language) => {
    const t = windowTranslation(language)
    for (const [unit, factor] of [
      ['kB', 1e3],
      ['MB', 1e6],
      ['GB', 1e9],
    ] as const)
      expect(readSize(t.sizeIn(1.5, unit), 'B', t)).toBe(1.5 * factor)
  })
})
