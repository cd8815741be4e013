import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failedText, readReport, slowestText, timesOf } from '../../scripts/spec-times.ts'

const LOOP = join(import.meta.dirname, '../../scripts/busy-loop.ts')

type Result = { readonly fullName: string; readonly status: string; readonly duration?: number; why?: string }

const report = (specs: readonly Result[], file: { status?: string; message?: string } = {}): string =>
  JSON.stringify({
    testResults: [
      {
        name: '/project/test/a.test.ts',
        status: file.status ?? 'passed',
        message: file.message ?? '',
        assertionResults: specs.map(({ why, ...spec }) => ({
          ...spec,
          failureMessages: why === undefined ? [] : [why],
        })),
      },
    ],
  })

const runs = [
  report([
    { fullName: 'quick', status: 'passed', duration: 12 },
    { fullName: 'slow', status: 'passed', duration: 4_000 },
    { fullName: 'left out', status: 'skipped' },
  ]),
  report([
    { fullName: 'quick', status: 'failed', duration: 20, why: 'Error: expected 1\n    at test/a.test.ts:3' },
    { fullName: 'slow', status: 'passed', duration: 9_000 },
  ]),
]

describe('several runs of the same specs', () => {
  const times = timesOf(runs.flatMap((text) => readReport(text, '/project')))

  it('are listed by the longest time of each spec', () => {
    expect(times.map(({ name, median, longest, runs: count }) => [name, median, longest, count])).toEqual([
      ['slow', 4_000, 9_000, 2],
      ['quick', 12, 20, 2],
      ['left out', 0, 0, 1],
    ])
    expect(slowestText(times, 1).split('\n')[1]).toBe('   9.0 s    4.0 s  slow (test/a.test.ts)')
  })

  it('list each spec that failed in any run, with the reason', () => {
    expect(failedText(times)).toBe('✗ quick (test/a.test.ts): failed in 1 of 2\n    Error: expected 1')
  })
})

it('a file that fails outside of its specs counts as a failure, too', () => {
  const text = report([{ fullName: 'fine', status: 'passed' }], {
    status: 'failed',
    message: 'It ended early',
  })
  expect(failedText(timesOf(readReport(text, '/project')))).toContain('the whole file (test/a.test.ts)')
})

it('a busy loop ends with the process that started it', async () => {
  const loop = fork(LOOP)
  await once(loop, 'message')
  loop.disconnect()
  expect(await once(loop, 'exit')).toEqual([0, null])
})
