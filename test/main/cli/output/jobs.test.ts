import { expect, it, vi } from 'vitest'
import { languages } from '../../../../src/node/translation.ts'
import { jobEvents } from '../../../../src/main/cli/output/jobs.ts'
import { speaking } from '../../../../src/main/cli/output/language.ts'
import type { Outcome, PartDetails } from '../../../../src/shared/model/job.ts'
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

it('counts what results lost, unless the originals were kept for it', () => {
  const lost: Outcome = { kind: 'done', results: 3, uploaded: null, lost: [{ codes: ['pages'], results: 2 }] }
  const lineOf = (more: Partial<PartDetails>) =>
    jobEvents.record({
      record: record(title('a.tiff', 3), lost, more),
      outbox: null,
      problems: [],
      results: [],
    }).lines[0]
  expect(lineOf({})).toMatch(/Done, 2 lost something: a\.tiff \+ 2 more, Web 2048$/)
  expect(lineOf({ replaced: { replaced: 1, kept: 2, restored: 0 } })).toMatch(
    /Done: a\.tiff \+ 2 more, Web 2048, 1 replaced, 2 kept$/,
  )
})

it('times are local', () => {
  vi.stubEnv('TZ', 'Etc/GMT-5')
  try {
    expect(rows('en')[0]).toContain('1970-01-01 05:00')
  } finally {
    vi.unstubAllEnvs()
  }
})
