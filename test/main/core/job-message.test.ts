import { expect, it } from 'vitest'
import { messageAbout } from '../../../src/main/core/job-message.ts'
import { exampleReport, type JobReport } from '../../../src/shared/model/job-report.ts'

const example = exampleReport('id', new Date(0))
const report = (job: Partial<JobReport['job']>): JobReport => ({
  ...example,
  test: false,
  job: { ...example.job, problems: [], outcome: 'done', ...job },
})

it('says what became of a job, in the language of the settings', () => {
  expect(messageAbout(report({}), 'en')).toEqual({
    outcome: 'done',
    title: '1 result is ready',
    text: 'harbor.heic + 1 more, Web 2048',
    link: null,
  })
  expect(messageAbout(report({}), 'de').title).toEqual(expect.stringContaining('Ergebnis'))
  expect(messageAbout(report({ replaced: { replaced: 2, kept: 1, restored: 0 } }), 'en').title).toBe(
    '2 replaced, 1 kept',
  )
  expect(messageAbout(report({ outcome: 'failed', error: 'No memory.' }), 'en')).toMatchObject({
    title: 'harbor.heic + 1 more failed',
    text: 'No memory.',
  })
})

it('is short enough for all services', () => {
  const { title, text } = messageAbout(report({ outcome: 'failed', error: 'ab'.repeat(5_000) }), 'en')
  expect([title.length, text.length]).toEqual([27, 1_000])
})

it('is short enough in bytes too, and isn’t cut within a character', () => {
  const family = '👨‍👩‍👧‍👦'
  const { text } = messageAbout(report({ outcome: 'failed', error: family.repeat(1_000) }), 'en')
  expect(text).toBe(`${family.repeat(90)}…`)
  expect(Buffer.byteLength(text)).toBeLessThan(4_096)
})

it('links to results in Drive', () => {
  const job = { uploaded: 3, results: [], output: { kind: 'drive', folderId: 'a/b' } } as const
  expect(messageAbout(report({ ...job, results: [] }), 'en')).toMatchObject({
    title: '3 files are in Drive',
    link: 'https://drive.google.com/drive/folders/a%2Fb',
  })
})
