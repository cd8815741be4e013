import { EXIT, type ExitCode } from '../../../src/shared/command-end.ts'
import { expect, it } from 'vitest'
import { createLastCodes } from '../../../src/main/cli/last-codes.ts'
import { mediaItem } from '../history/sample-records.ts'

const AFTER = [
  { what: 'the same files are done', paths: ['/a', '/b'], troubled: [], preset: 'Web', list: [EXIT.done] },
  {
    what: 'only some are done',
    paths: ['/a', '/b'],
    troubled: ['/b'],
    preset: 'Web',
    list: [EXIT.done, EXIT.problems, EXIT.failed],
  },
  {
    what: 'another preset is done',
    paths: ['/a', '/b'],
    troubled: [],
    preset: 'Mail',
    list: [EXIT.done, EXIT.done, EXIT.problems],
  },
] as const

const job = (paths: readonly string[], preset = 'Web') => ({ inputs: paths.map(mediaItem), preset })

it.each(AFTER)('a job with problems counts after $what: $list', ({ paths, troubled, preset, list }) => {
  const codes = createLastCodes()
  codes.note(job(['/a', '/b', '/c']), [EXIT.done, EXIT.problems], ['/a', '/b'])
  const code: ExitCode = troubled.length > 0 ? EXIT.failed : EXIT.done
  codes.note(job(paths, preset), [code], troubled)
  expect(codes.list()).toEqual(list)
})

it('a job that failed for a reason that isn’t about single files stays failed', () => {
  const codes = createLastCodes()
  codes.note(job(['/a']), [EXIT.failed], [])
  codes.note(job(['/a']), [EXIT.done], [])
  expect(codes.list()).toEqual([EXIT.done, EXIT.failed])
})
