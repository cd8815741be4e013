import { describe, expect, it } from 'vitest'
import { catalogOf, createTranslation } from '../../../src/node/translation.ts'
import { createStudioTranslation } from '../../../src/shared/i18n/i18n.ts'
import { textFaultWords } from '../../../src/shared/preset/fault-words.ts'
import { checkPresetText } from '../../../src/shared/preset/preset-faults.ts'
import { growthOf } from '../../growth.ts'

const lines = (...all: readonly string[]): string => all.join('\n')

function insertRow(text: string) {
  const checked = checkPresetText(text)
  return checked.readable ? checked.faults : checked.fault
}

describe('a text that isn’t JSON', () => {
  it.each([
    ['commaMissing', 3, 'effort', lines('{', '  "format": "jpeg"', '  "effort": "small"', '}')],
    ['commaTooMany', 2, ',', lines('{', '  "name": "A",', '}')],
    ['colonMissing', 1, '1', '{ "quality" 1 }'],
    ['nameMissing', 1, 'quality', '{ quality: 1 }'],
    ['valueMissing', 2, '}', lines('{ "quality":', '}')],
    ['notAValue', 1, '07', '{ "quality": 07 }'],
    ['quoteMissing', 1, '', '{ "name": "A }'],
    ['notClosed', 1, '{', lines('{ "name": "A"', '')],
    ['afterTheEnd', 2, '}', lines('{}', '}')],
    ['valueMissing', 1, '', ''],
  ])('is reported as %s, with the line and the word', (code, line, near, text) => {
    const fault = insertRow(text)
    expect(fault).toMatchObject({ code, line })
    if (near !== '') expect(fault).toMatchObject({ near })
  })
})

it.each([
  [{ image: { bitDepth: 10 } }, 'Nur AVIF unterstützt eine Bittiefe von 10.'],
  [{ image: { mayShrink: true } }, 'Bei Bedarf Bildmaße verringern braucht eine maximale Dateigröße.'],
  [
    { image: { look: 80, lossless: true } },
    'Visuelle Qualität lässt sich nicht mit Verlustfrei kombinieren.',
  ],
  [{ image: { size: {} } }, 'Gib eine Breite oder eine Höhe an.'],
  [{ image: { size: { width: 9, fit: 'cover' } } }, 'Diese Skalierung braucht Breite und Höhe.'],
  [{ image: 5 }, 'image ist ungültig.'],
  [{ video: { bitDepth: 10 } }, 'H.264 unterstützt keine Bittiefe von 10.'],
  [{ video: { crf: 20, bitrate: 90_000 } }, 'Mbit/s lässt sich nicht mit Qualität kombinieren.'],
  [
    { video: { codec: 'copy', look: 80 } },
    'Visuelle Qualität lässt sich bei durchgereichten Videos nicht verwenden.',
  ],
  [
    { video: { codec: 'webp', container: 'webp', look: 80 } },
    'Visuelle Qualität lässt sich bei animierten Bildern nicht verwenden.',
  ],
  [{ image: {}, results: { name: 'x' } }, 'Der Name braucht „name“ oder „number“'],
  [{ image: {}, results: { name: '{x}' } }, 'In geschweiften Klammern darf nur'],
  [{ image: {}, results: { name: '.{name}' } }, 'Der Name darf nicht mit einem Punkt'],
  [{ image: {}, results: { name: '{name}?' } }, 'Der Name enthält ein Zeichen'],
])('every fault of a preset is described in German: %j', async (parts, words) => {
  const checked = checkPresetText(JSON.stringify({ name: 'A', ...parts }))
  const [fault] = checked.readable ? checked.faults : []
  const t = createStudioTranslation(catalogOf('de'), createTranslation('de'))
  expect(fault && textFaultWords({ field: fault }, t)).toContain(words)
})

it('JSON with only unknown fields is checked in linear time', () => {
  const growth = growthOf(
    1_000,
    (size) => `{${Array.from({ length: size }, (_, n) => `"field ${n}":${n}`).join(',\n')}}`,
    checkPresetText,
  )
  expect(growth).toBeLessThan(1.6)
})

describe('requests that can’t be fulfilled', () => {
  it('include out-of-range numbers', () => {
    const text = '{\n "name": "A",\n "image": {\n  "size": {\n   "width": 20480\n  }\n }\n}'
    expect(insertRow(text)).toEqual([
      { path: 'image.size.width', line: 5, reason: { kind: 'range', min: 1, max: 16_384 }, wayOut: null },
    ])
  })

  it('come with a fix for a container that doesn’t support the codec', () => {
    expect(insertRow('{ "name": "A", "video": { "container": "webm" } }')).toEqual([
      {
        path: 'video.container',
        line: 1,
        reason: { kind: 'codecInContainer', container: 'webm', codec: 'h264', takes: ['vp9', 'av1'] },
        wayOut: { path: 'video.container', value: 'mp4' },
      },
    ])
  })

  it('come with a fix for an animated image in a video container', () => {
    expect(insertRow('{ "name": "A", "video": { "codec": "webp" } }')).toMatchObject([
      { path: 'video.container', wayOut: { path: 'video.container', value: 'webp' } },
    ])
  })

  it('offer a fix when a passthrough video would be resized', () => {
    expect(insertRow('{ "name": "A", "video": { "codec": "copy", "height": 720 } }')).toMatchObject([
      { reason: { kind: 'untouched', what: 'height' }, wayOut: { path: 'video.height', value: undefined } },
    ])
  })

  it('include unknown fields, an invalid name, and a preset for neither photos nor videos', () => {
    const faults = insertRow('{ "name": "A ", "imgae": {} }')
    expect(faults).toMatchObject([
      { path: 'name', reason: { kind: 'name' } },
      { path: 'imgae', reason: { kind: 'unknown' } },
      { path: '', reason: { kind: 'neither' } },
    ])
  })
})
