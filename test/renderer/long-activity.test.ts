import { expect, it } from 'vitest'
import { longActivity } from '../../src/renderer/job-pane/long-activity.ts'
import { jobOf } from '../../src/shared/model/job-state.ts'
import { running, title } from '../part-samples.ts'
import { windowTranslation } from '../window-translation.ts'

const t = windowTranslation('en')

it.each([
  ['memory', { waitsForMemory: true }],
  ['disk space', { waitsForDiskSpace: true }],
])('reports that other files are waiting for %s', (what, waits) => {
  const { progress, ...part } = running(title('a', 24), 0.5)
  const at = { ...part, progress: { ...progress, ...waits } }
  expect(longActivity(jobOf([at]), at, t)).toBe(`Resizing file 7 of 24; others are waiting for ${what}`)
})

it.each([
  [24, 0, undefined, 'Resizing file 7 of 24'],
  [24, 0, 16, 'Resizing file 7 of 24'],
  [0, 16, undefined, 'Resizing file 7 of 16'],
  [0, 16, 4, 'Resizing file 7 of 16, 4 in parallel'],
  [0, 1, undefined, 'Resizing'],
])(
  'of %d photos and %d videos, of which %s are processed at the same time: %s',
  (photos, videos, count, words) => {
    const { progress, ...part } = running(title('a', photos, videos), 0.5)
    const at = { ...part, progress: { ...progress, filesInProgress: count } }
    expect(longActivity(jobOf([at]), at, t)).toBe(words)
  },
)
