import { expect, it } from 'vitest'
import { newJobPresets } from '../../../src/shared/model/settings.ts'

it.each([
  [null, [], []],
  ['Web', [], ['Web']],
  ['Web', ['Web', 'Mail'], ['Web', 'Mail']],
  // An earlier version chose another preset, or none.
  ['Print', ['Web', 'Mail'], ['Print']],
  [null, ['Web', 'Mail'], []],
])(
  'a new job with the default %s, once %j, has the presets %j',
  (defaultPreset, defaultPresets, expected) => {
    expect(newJobPresets({ defaultPreset, defaultPresets })).toEqual(expected)
  },
)
