import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDeviceName } from '../../../src/shared/paths.ts'
import { type MadeResult, type NamedResult, outputName } from '../../../src/service/processing/output-name.ts'
import { templateProblem, USUAL_NAME } from '../../../src/shared/preset/result-name.ts'

const RESULT: NamedResult = {
  inputName: 'Tower bridge.HEIC',
  presetName: 'Web 2048',
  number: 7,
  inputs: 120,
  variation: 1,
  variations: 1,
}
const MADE: MadeResult = {
  width: 2048,
  height: 1365,
  date: new Date(2026, 2, 9, 23, 59).getTime(),
  taken: '2025-12-31 23.59.58',
  extension: 'jpg',
}

const named = (template: string, change: Partial<NamedResult> = {}, attempt = 1) =>
  outputName(template, { ...RESULT, ...change }, MADE)(attempt)

describe('the name of a result', () => {
  it.each([
    [USUAL_NAME, 'Tower bridge-web-2048.jpg'],
    ['{name}', 'Tower bridge.jpg'],
    ['{name} {width}x{height}', 'Tower bridge 2048x1365.jpg'],
    ['{date} {number}', '2026-03-09 007.jpg'],
    ['{taken} {number}', '2025-12-31 23.59.58 007.jpg'],
    ['{number}_{name}_{number}', '007_Tower bridge_007.jpg'],
  ])('follows the template %s', (template, name) => expect(named(template)).toBe(name))

  it('has the extension of the user’s own file if that is one of the same format', () => {
    expect(named('{name}', { inputName: 'a.jpeg', originalPath: '/photos/a.JFIF' })).toBe('a.jfif')
    expect(named('{name}', { inputName: 'a.jpeg' })).toBe('a.jpeg')
    expect(named('{name}', { inputName: 'a.jpeg', originalPath: '/photos/a.png' })).toBe('a.jpg')
  })

  it('shows that a capture date is unknown', () => {
    expect(outputName('{taken} {name}', RESULT, { ...MADE, taken: undefined })(1)).toBe(
      'undated Tower bridge.jpg',
    )
  })

  it('distinguishes variations and name conflicts in every template', () => {
    expect(named('{name}', { variations: 3, variation: 2 })).toBe('Tower bridge-v2.jpg')
    expect(named('{number}', { variations: 3, variation: 2 }, 4)).toBe('007-v2-4.jpg')
  })

  it('is never a reserved device name', () => {
    expect(named('{name}', { inputName: 'con.png' })).toBe('_con.jpg')
    expect(named(USUAL_NAME, { inputName: 'com1.2026.png' })).toBe('_com1.2026-web-2048.jpg')
  })

  it('contains no character that moves a cursor or imitates another name', () => {
    expect(named('{name}', { inputName: 'photo\u202Egnp\u0007\n.png' })).toBe('photo_gnp__.jpg')
  })

  it('expands no placeholder inside an input’s name', () => {
    expect(named('{name}-{width}', { inputName: '{preset}$1$&.png' })).toBe('{preset}$1$&-2048.jpg')
  })

  it('fits every file system, regardless of the name and the template', () => {
    const template = fc
      .array(fc.constantFrom('{name}', '{preset}', '{number}', '{date}', '-', 'ü', '猫'), {
        minLength: 1,
        maxLength: 20,
      })
      .map((parts) => `x${parts.join('')}{name}`)
      .filter((text) => templateProblem(text) === undefined)
    const inputName = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
      .map((name) => `${name}.jpg`)
    fc.assert(
      fc.property(template, inputName, fc.integer({ min: 1, max: 99_999 }), (text, inputName, attempt) => {
        const name = named(text, { inputName, presetName: '猫'.repeat(80), variations: 12 }, attempt)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        expect(name).toMatch(/\.jpg$/)
        expect(isDeviceName(name)).toBe(false)
      }),
    )
  })
})

describe('a template', () => {
  it.each([
    ['{name}{preset}{width}{height}{date}{number}', undefined],
    ['Photo {number}, {width} × {height}', undefined],
    ['', /\{name\} or \{number\}/],
    ['{preset}-{date}', /\{name\} or \{number\}/],
    ['{name}-{user}', /braces/],
    ['{name}-{', /braces/],
    ['../{name}', /character/],
    ['{name}/{number}', /character/],
    ['{name}\\x', /character/],
    ['{name}:stream', /character/],
    ['{name}?', /character/],
    ['{name}\u202Egpj', /character/],
    ['.{name}', /begin/],
    [' {name}', /begin/],
    ['{name} ', /end with a space/],
  ])('is checked: "%s"', (template, problem) => {
    if (problem === undefined) expect(templateProblem(template)).toBeUndefined()
    else expect(templateProblem(template)?.message).toMatch(problem)
  })
})
