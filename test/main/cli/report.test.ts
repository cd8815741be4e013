import { expect, it } from 'vitest'
import { stepsUnderWay } from '../../../src/main/cli/steps-under-way.ts'
import type { Sink } from '../../../src/main/cli/environment.ts'
import { createJsonReport } from '../../../src/main/cli/output/report.ts'
import type { ActiveJob } from '../../../src/shared/model/work.ts'
import { running, title } from '../desktop/work-samples.ts'

it('JSON lines escape terminal controls and Unicode line breaks without changing the values', () => {
  const signs = [0x1b, 0x7f, 0x85, 0x9b, 0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202e, 0x2066, 0x2069]
  const message = `odd ${String.fromCodePoint(...signs)} größe 猫 👩‍👩‍👧 "\\`
  const written: string[] = []
  const sink = { columns: undefined, write: (text: string) => written.push(text) } satisfies Sink
  createJsonReport(sink).say({ event: 'notice', message })
  const [line = ''] = written
  expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u)
  expect(line).toContain(String.raw`\u009b`)
  expect(line).toContain('größe 猫 👩‍👩‍👧')
  expect(JSON.parse(line)).toEqual({ event: 'notice', message })
})

const detailOf = (job: ActiveJob) =>
  stepsUnderWay({ jobs: [job], outbox: [], endedParts: [] }, () => true)[0]?.detail

it('counts the files that have failed so far', () => {
  const problems = [{ file: 'a.jpg', error: 'The disk is full.' }]
  const job = running(title('a.jpg', 1), 0.5)
  expect(detailOf({ ...job, problems })).toBe(`${detailOf(job)}, 1 problem`)
})
