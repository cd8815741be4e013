import { expect, it, vi } from 'vitest'
import { languages } from '../../../../src/node/translation.ts'
import { jobEvents } from '../../../../src/main/cli/output/jobs.ts'
import { speaking } from '../../../../src/main/cli/output/language.ts'
import type { Outcome } from '../../../../src/shared/model/job.ts'
import { record, title } from '../../../part-samples.ts'

const failed = {
  kind: 'failed',
  reason: 'The disk is full.',
  failure: { code: 'fileEmpty', values: {} },
} as Outcome

const rows = (language: string) =>
  speaking(
    language,
    () =>
      jobEvents.record({ record: record(title('a.jpg', 1), failed), outbox: null, problems: [], results: [] })
        .lines,
  )

it.each(languages())('a sentence isn’t followed by a colon or a comma: %s', (language) => {
  expect(rows(language).filter((line) => /[.。]\s*[:：,،、]/.test(line))).toEqual([])
})

it('the reason of a failure follows', () => {
  expect(rows('en')).toEqual([
    expect.stringContaining('Failed: a.jpg, Web 2048'),
    '  problem: The file is empty.',
  ])
})

it('times are local', () => {
  vi.stubEnv('TZ', 'Etc/GMT-5')
  try {
    expect(rows('en')[0]).toContain('1970-01-01 05:00')
  } finally {
    vi.unstubAllEnvs()
  }
})
