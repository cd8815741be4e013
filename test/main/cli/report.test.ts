import { expect, it } from 'vitest'
import { stepsUnderWay } from '../../../src/main/cli/steps-under-way.ts'
import type { Sink } from '../../../src/main/cli/environment.ts'
import { createHumanReport, createJsonReport, type Verbosity } from '../../../src/main/cli/output/report.ts'
import { failure } from '../../../src/shared/failure/failure.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { PartAt } from '../../../src/shared/model/job.ts'
import { record, running, title } from '../../part-samples.ts'

function writing() {
  const written: string[] = []
  const sink = { columns: undefined, write: (text: string) => written.push(text) } satisfies Sink
  return { written, sink }
}

it('JSON lines escape terminal controls and Unicode line breaks without changing the values', () => {
  const signs = [0x1b, 0x7f, 0x85, 0x9b, 0x061c, 0x200e, 0x200f, 0x2028, 0x2029, 0x202e, 0x2066, 0x2069]
  const message = `odd ${String.fromCodePoint(...signs)} größe 猫 👩‍👩‍👧 "\\`
  const { written, sink } = writing()
  createJsonReport(sink).say({ event: 'notice', message })
  const [line = ''] = written
  expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u)
  expect(line).toContain(String.raw`\u009b`)
  expect(line).toContain('größe 猫 👩‍👩‍👧')
  expect(JSON.parse(line)).toEqual({ event: 'notice', message })
})

const textTo = (sink: Sink, verbosity: Verbosity = 'usual') =>
  createHumanReport({ stdout: sink, stderr: sink, verbosity, redraws: true })

const detailOf = (job: PartAt<'service'>) =>
  stepsUnderWay({ jobs: [job], outbox: [], endedParts: [] }, () => true)[0]?.detail

it('reports that the built-in service is used, and at which address, only with --verbose', () => {
  const { written, sink } = writing()
  const event = { event: 'service', kind: 'builtIn', baseUrl: 'http://127.0.0.1:1/api' } as const
  for (const verbosity of ['usual', 'verbose'] as const) textTo(sink, verbosity).say(event)
  expect(written).toEqual(['Using the built-in service at http://127.0.0.1:1/api.\n'])
})

it('counts the files that have failed so far', () => {
  const problems = [{ file: 'a.jpg', error: 'The disk is full.' }]
  const job = running(title('a.jpg', 1), 0.5)
  expect(detailOf({ ...job, problems })).toBe(`${detailOf(job)}, 1 problem`)
})

it('reports how many videos are processed in parallel, and that others wait for memory', () => {
  const { progress, ...job } = running(title('a.mp4', 0, 16), 0.5)
  const detail = (more: Partial<typeof progress>) => detailOf({ ...job, progress: { ...progress, ...more } })
  expect(detail({ filesInProgress: 4 })).toBe(`${detail({})}, 4 in parallel`)
  expect(detail({ filesInProgress: 2, waitsForMemory: true })).toBe(
    `${detail({})}, 2 in parallel; others are waiting for memory`,
  )
})

it('shows the reason of a refused submission after its name', () => {
  const { written, sink } = writing()
  textTo(sink).say({
    event: 'entry',
    id: asRecordId('r1'),
    inputs: { files: ['/in/a.jpg'] },
    state: 'refused',
    target: null,
    message: '',
    failure: failure('originalsGone'),
    lookAlikes: [],
  })
  expect(written).toEqual(['r1  refused: a.jpg. The original files no longer exist.\n'])
})

it('reports files that are left out by reason: done, in progress, and results', () => {
  const file = { path: '/in/a.jpg', size: 1, presets: [], isDone: true, at: 1, resultOf: null }
  const pending = { ...file, isDone: false, at: null, pending: ['Web'], isPending: true }
  const result = { ...file, resultOf: { preset: 'Web', at: 1 } }
  const { written, sink } = writing()
  const report = textTo(sink)
  report.say({ event: 'skipped', files: [file], left: 0 })
  report.say({ event: 'skipped', files: [file, pending, result], left: 1 })
  report.say({ event: 'skipped', files: [result], left: 0 })
  expect(written).toEqual([
    'The file is already done.\n',
    [
      'Skipped 1 file already done.',
      'Skipped 1 file already in progress. “outbox send” sends the submissions that are still waiting in the outbox.',
      'Skipped 1 result of earlier jobs with the same preset.\n',
    ].join('\n'),
    'Skipped 1 result of earlier jobs with the same preset.\nThere is nothing else to process.\n',
  ])
})

it('files that can’t be used are listed one by one up to ten, and otherwise summarized by reason', () => {
  const files = Array.from({ length: 11 }, (_, n) => `${n}.txt`)
  const events = files.map((name, n) => ({
    event: 'notTaken' as const,
    item: { path: `/in/${name}`, name, reason: n === 10 ? ('empty' as const) : ('unsupported' as const) },
  }))
  const { written, sink } = writing()
  textTo(sink).sayEach(events.slice(0, 10))
  expect(written).toHaveLength(10)
  written.length = 0
  textTo(sink).sayEach(events)
  expect(written).toEqual([
    'Skipped 10 files: Not a photo or video (/in/0.txt, /in/1.txt, /in/2.txt and 7 more)\n',
    'Skipped 1 file: The file is empty (0 bytes) (/in/10.txt)\n',
  ])
  written.length = 0
  createJsonReport(sink).sayEach(events)
  expect(written).toHaveLength(11)
})

it('counts all parts of a job that was only partly followed', () => {
  const { written, sink } = writing()
  const group = { id: asRecordId('r1'), parts: 3 }
  const part = { ...group, preset: 'Web', state: 'done' } as const
  textTo(sink).say({
    event: 'group',
    id: group.id,
    outcome: null,
    parts: [
      { ...part, part: 2, submission: asRecordId('r2') },
      { ...part, part: 3, submission: asRecordId('r3') },
    ],
  })
  expect(written.join('').split('\n')).toEqual([
    'r1  job of 3 parts',
    '  Part 2 of 3, Web: done',
    '  Part 3 of 3, Web: done',
    '',
  ])
})

it('says how far a job has got that continues from the outbox, and that originals aren’t replaced yet', () => {
  const { written, sink } = writing()
  const whole = { id: asRecordId('r_a'), parts: 2, photos: 14, videos: 0, presets: 1, folders: 1 }
  const output = { kind: 'folder', path: '/home/ada/.mediatray-vault-1/2026-11-27-2/results' } as const
  const rest = { ...record(title('a', 11), { kind: 'forgotten' }, { output }), outcome: null, endedAt: null }
  const first = record(title('b', 3), { kind: 'done', results: 3, uploaded: null }, { output })
  const parts = [rest, first].map((one, part) => ({ ...one, place: { ...whole, part } }))
  const details = { ...rest, place: { ...whole, part: 0 }, parts }
  textTo(sink).say({ event: 'record', record: details, outbox: 'waiting', problems: [], results: [] })
  expect(written.join('').split('\n')).toEqual([
    'r_a  1970-01-01 00:00  waiting in the outbox after 3 of 14: a + 13 more, Web 2048',
    '  r_a  Web 2048: not finished',
    '  r_b  Web 2048: Done, but not all of its originals are replaced yet',
    '',
  ])
})
