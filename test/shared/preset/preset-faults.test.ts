import { describe, expect, it } from 'vitest'
import { checkPresetText } from '../../../src/shared/preset/preset-faults.ts'

const lines = (...all: readonly string[]): string => all.join('\n')

function slipIn(text: string) {
  const checked = checkPresetText(text)
  return checked.readable ? checked.faults : checked.fault
}

describe('a text that is not JSON', () => {
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
  ])('says %s, the line and the word', (code, line, near, text) => {
    const fault = slipIn(text)
    expect(fault).toMatchObject({ code, line })
    if (near !== '') expect(fault).toMatchObject({ near })
  })
})

describe('wishes that can’t be had', () => {
  it('says where a number ends', () => {
    const text = lines(
      '{',
      '  "name": "A",',
      '  "image": {',
      '    "size": {',
      '      "width": 20480',
      '    }',
      '  }',
      '}',
    )
    expect(slipIn(text)).toEqual([
      { path: 'image.size.width', line: 5, reason: { kind: 'range', min: 1, max: 16_384 }, wayOut: null },
    ])
  })

  it('knows the way out of a container that does not hold the codec', () => {
    expect(slipIn('{ "name": "A", "video": { "container": "webm" } }')).toEqual([
      {
        path: 'video.container',
        line: 1,
        reason: { kind: 'codecInContainer', container: 'webm', codec: 'h264', takes: ['vp9', 'av1'] },
        wayOut: { path: 'video.container', value: 'mp4' },
      },
    ])
  })

  it('knows the way out of a moving picture in a container for films', () => {
    expect(slipIn('{ "name": "A", "video": { "codec": "webp" } }')).toMatchObject([
      { path: 'video.container', wayOut: { path: 'video.container', value: 'webp' } },
    ])
  })

  it('knows the way out of untouched pictures that are to be smaller', () => {
    expect(slipIn('{ "name": "A", "video": { "codec": "copy", "height": 720 } }')).toMatchObject([
      { reason: { kind: 'untouched', what: 'height' }, wayOut: { path: 'video.height', value: undefined } },
    ])
  })

  it('names the fields that presets do not have, a wrong name, and a preset for nothing', () => {
    const faults = slipIn('{ "name": "A ", "imgae": {} }')
    expect(faults).toMatchObject([
      { path: 'name', reason: { kind: 'name' } },
      { path: 'imgae', reason: { kind: 'unknown' } },
      { path: '', reason: { kind: 'neither' } },
    ])
  })
})
