import { copyFileSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEvents, type CoreEvents } from '../../../src/main/core/events.ts'
import { createFileAccess } from '../../../src/main/core/file-access.ts'
import { measureResults } from '../../../src/main/core/measure-results.ts'
import { openHistory } from '../../../src/main/history/index.ts'
import { printFile } from '../../../src/main/ledger/index.ts'
import { aliasesIn } from '../aliases/test-aliases.ts'
import { systemTiming } from '../../../src/node/timing.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { Outcome } from '../../../src/shared/model/job.ts'
import { acceptance, submissionOf } from '../history/sample-records.ts'
import { samples } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const PHOTO = join(samples, 'dawn-upright.jpg')

const log = () => undefined
const vault = { contentsOf: () => new Map<string, string>() }
/** Files that were written just now have no print yet. */
const clock = () => Date.now() + 60_000

/** @returns the size that the history stores for a finished job, in bytes; null if it stores none */
async function measured(output: string, results: readonly string[]): Promise<number | null | undefined> {
  const events = createEvents<CoreEvents>(log)
  const file = join(temporaryFolder(), 'history.db')
  const history = openHistory({ file, clock: Date.now, log })
  onTestFinished(() => history.close())
  const id = asRecordId('a')
  history.recordSubmission(submissionOf(id, ['/in/a.jpg'], { output: { kind: 'folder', path: output } }))
  history.recordResults(
    id,
    results.map((outputPath, index) => ({ file: 'a.jpg', outputPath, index })),
    [],
  )
  history.recordOutcome(id, { kind: 'done', results: results.length, uploaded: null }, Date.now())
  const access = createFileAccess({ find: () => undefined })
  const aliases = aliasesIn(join(file, '..'))
  await measureResults({ events, history, aliases, access, vault, timing: systemTiming, log }).now()
  expect(history.unmeasured()).toEqual([])
  return history.details(id)?.resultBytes
}

describe('the size of the results', () => {
  it('is the total size of the files in the job’s folder', async () => {
    const output = temporaryFolder()
    const results = ['one.jpg', 'below/two.jpg'].map((name) => join(output, name))
    mkdirSync(join(output, 'below'))
    for (const result of results) copyFileSync(PHOTO, result)
    expect(await measured(output, results)).toBe(2 * statSync(PHOTO).size)
  })

  it('is not measured if a service names a file outside the job’s folder, or a link that leads outside', async () => {
    const output = temporaryFolder()
    const link = join(output, 'link.jpg')
    symlinkSync(PHOTO, link)
    for (const named of ['/etc/passwd', PHOTO, join(output, '..', 'a.jpg'), link])
      expect(await measured(output, [named]), named).toBeNull()
  })

  it('excludes Windows network shares and device paths, regardless of the job’s folder', async () => {
    const access = createFileAccess({ find: () => undefined }, 'win32')
    for (const folder of ['C:\\out', '\\\\host\\share'])
      for (const named of ['\\\\host\\share\\a.jpg', '//host/share/a.jpg', '\\\\?\\C:\\out\\a.jpg'])
        expect(await access.toResult(named, folder), named).toEqual({ kind: 'foreign' })
  })
})

describe('with a service that is wrong about its results', () => {
  type Claim = readonly [input: string, result: string]
  type Case = {
    readonly claims: readonly Claim[]
    readonly failed?: readonly string[]
    readonly outcome?: Outcome
  }

  /** Measures a job whose originals are `a.jpg` and `b.jpg`, and whose service names these results. */
  async function measuredJob({ claims, failed = [], outcome }: Case) {
    const folder = temporaryFolder()
    const output = join(folder, 'out')
    mkdirSync(output)
    const inputs = ['a.jpg', 'b.jpg'].map((name) => join(folder, name))
    const results = ['one.jpg', 'two.jpg'].map((name) => join(output, name))
    for (const path of [...inputs, ...results, join(folder, 'outside.jpg')]) copyFileSync(PHOTO, path)
    const events = createEvents<CoreEvents>(log)
    const history = openHistory({ file: join(folder, 'history.db'), clock, log })
    onTestFinished(() => history.close())
    const id = asRecordId('a')
    const submission = submissionOf(id, inputs, { output: { kind: 'folder', path: output } })
    const items = await Promise.all(
      submission.plan.items.map(async (item) => ({
        ...item,
        size: 2 * statSync(PHOTO).size,
        print: (await printFile(item.path, clock))?.print ?? '',
      })),
    )
    await history.recordAcceptedSubmission(
      { ...submission, plan: { ...submission.plan, items } },
      { ...acceptance, acceptedAt: Date.now() },
    )
    const named = claims.map(([input, result], index) => ({
      file: join(folder, input),
      outputPath: join(folder, result),
      index,
    }))
    history.recordResults(
      id,
      named,
      failed.map((name) => ({ file: join(folder, name), error: 'It failed.' })),
    )
    history.recordOutcome(id, outcome ?? { kind: 'done', results: claims.length, uploaded: null }, Date.now())
    const access = createFileAccess({ find: () => undefined })
    const timing = { ...systemTiming, clock }
    const aliases = aliasesIn(join(folder, 'data'))
    await measureResults({ events, history, aliases, access, vault, timing, log }).now()
    const rolesOf = (path: string) => history.ledger.at(path).map(({ role }) => role)
    return {
      done: inputs.filter((path) => rolesOf(path).includes('input')).map((path) => basename(path)),
      resultsKnown: results.filter((path) => rolesOf(path).length === 1).length,
      originalsAsResults: inputs.filter((path) => rolesOf(path).includes('result')).length,
      files: history.totals().files,
      bytes: history.totals().resultBytes,
      shown: history.details(id)?.resultBytes,
    }
  }
  const { size } = statSync(PHOTO)
  const NOTHING_ELSE = { originalsAsResults: 0 }
  const A: Claim = ['a.jpg', 'out/one.jpg']
  const B: Claim = ['b.jpg', 'out/two.jpg']

  it('counts what is right', async () => {
    expect(await measuredJob({ claims: [A, B] })).toEqual({
      ...NOTHING_ELSE,
      done: ['a.jpg', 'b.jpg'],
      resultsKnown: 2,
      files: 2,
      bytes: 2 * size,
      shown: 2 * size,
    })
  })

  it.each<readonly [string, Case, { readonly done: readonly string[]; readonly shown: number | null }]>([
    ['a result that is listed twice', { claims: [A, A, B] }, { done: ['a.jpg', 'b.jpg'], shown: 2 * size }],
    ['a result of two originals', { claims: [A, ['b.jpg', 'out/one.jpg']] }, { done: [], shown: size }],
    ['an original as its result', { claims: [A, ['b.jpg', 'b.jpg']] }, { done: ['a.jpg'], shown: null }],
    ['another original as a result', { claims: [A, ['b.jpg', 'a.jpg']] }, { done: ['a.jpg'], shown: null }],
    [
      'a result outside the folder',
      { claims: [A, ['b.jpg', 'outside.jpg']] },
      { done: ['a.jpg'], shown: null },
    ],
    [
      'a result that is missing',
      { claims: [A, ['b.jpg', 'out/none.jpg']] },
      { done: ['a.jpg'], shown: null },
    ],
    [
      'a result of a file with a problem',
      {
        claims: [A, B],
        failed: ['b.jpg'],
        outcome: { kind: 'problems', results: 1, problems: 1, uploaded: null },
      },
      { done: ['a.jpg'], shown: 2 * size },
    ],
    [
      'results of a job that failed',
      { claims: [A, B], outcome: { kind: 'failed', reason: 'No.' } },
      { done: [], shown: 2 * size },
    ],
    [
      'results of a canceled job',
      { claims: [A], outcome: { kind: 'cancelled', results: 1 } },
      { done: ['a.jpg'], shown: size },
    ],
  ])('%s counts once at most, and only for a file that is done', async (_, given, { done, shown }) => {
    const measurement = await measuredJob(given)
    expect(measurement).toMatchObject({ ...NOTHING_ELSE, done, shown, files: done.length })
    expect(measurement.bytes).toBe(done.length * size)
  })
})
