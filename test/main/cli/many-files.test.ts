/** What a command reports about many files and jobs: a summary, and what Mediatray keeps. */
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, expect, test } from 'vitest'
import type { Sink } from '../../../src/main/cli/environment.ts'
import type { EventOf, Report } from '../../../src/main/cli/output/events.ts'
import { createHumanReport, createProgressBars } from '../../../src/main/cli/output/report.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { isLongSuite, itInLongSuite } from '../../faults/long-suite.ts'
import { commandFolder, jsonLines, type ProcessOptions, run, runHere, startCommand } from './command.ts'

const sample = resolve(import.meta.dirname, '../../../assets/samples/dawn-upright.jpg')
let folder = ''
let held: ProcessOptions
beforeEach(() => void ({ folder, held } = commandFolder()))

async function photos(count: number): Promise<string> {
  const into = join(folder, 'photos')
  await mkdir(into)
  for (let n = 0; n < count; n += 1) await copyFile(sample, join(into, `${n}.jpg`))
  return into
}

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

const sink = (lines: string[]): Sink => ({ columns: undefined, write: (text) => lines.push(text) })

function recorded(verbosity: 'quiet' | 'usual' | 'verbose' = 'usual') {
  const out: string[] = []
  const err: string[] = []
  const report = createHumanReport({ stdout: sink(out), stderr: sink(err), verbosity, redraws: true })
  return { report, out: () => linesOf(out.join('')), err: () => linesOf(err.join('')) }
}

const submission = (id: string) => ({ id: asRecordId(id), inputs: { files: [`/${id}.jpg`] } })

const countResults = (into: string): Promise<number> =>
  readdir(into).then(
    (names) => names.filter((name) => !name.startsWith('.')).length,
    () => 0,
  )

const finished = (id: string, files: number, failed = 0): EventOf<'finished'> => ({
  event: 'finished',
  inputs: { files: [] },
  id: asRecordId(id),
  jobId: `job-${id}`,
  outcome:
    failed === 0
      ? { kind: 'done', results: files, uploaded: null }
      : { kind: 'problems', results: files - failed, problems: failed, uploaded: null },
  files,
  variations: 1,
  results: Array.from({ length: files - failed }, (_, n) => ({
    file: `/in/${n}.jpg`,
    outputPath: `/out/${n}.jpg`,
  })),
  problems: Array.from({ length: failed }, (_, n) => ({
    file: `/in/bad\u001b[2J\n${n}.jpg`,
    error: 'The file is damaged.',
  })),
  notes: [],
})

const sayAll = (report: Report, events: readonly EventOf<'finished'>[]) => {
  const outcomes = report.outcomes(events.length)
  for (const event of events) outcomes.say(event)
  outcomes.end()
}

const PAGES = loss('pages', { count: 4, first: 2, last: 5 }, lossReason('holdsOnePage', { format: 'JPEG' }))

const lossy = (files: number): EventOf<'finished'> => {
  const event = finished('r1', files)
  const results = event.results.map((result) => ({ ...result, losses: [PAGES] }))
  return {
    ...event,
    outcome: { kind: 'done', results: files, uploaded: null, lost: [{ codes: ['pages'], results: files }] },
    results,
  }
}

test('what results lost and how they were made is reported, and grouped if the list is long', () => {
  const one = recorded()
  sayAll(one.report, [{ ...lossy(1), notes: [{ note: 'tone-mapped', results: 1 }] }])
  expect(one.out()).toEqual([
    'job-r1  Done, 1 result, 1 lost something:',
    '  /out/0.jpg',
    '  /in/0.jpg: Pages 2 to 5. JPEG holds one page.',
    expect.stringMatching(/^ {2}1 .*\.$/),
  ])
  const many = recorded()
  sayAll(many.report, [lossy(200)])
  expect(many.out()).toEqual([
    'job-r1  Done, 200 results in /out, 200 lost something:',
    '  200 files: Pages 2 to 5. JPEG holds one page. (/in/0.jpg, /in/1.jpg, /in/2.jpg and 197 more)',
  ])
})

test('a job with 10,000 files is reported in a few lines, with the folder of the results and the reasons of problems', () => {
  const { report, out, err } = recorded()
  sayAll(report, [finished('r1', 10_000, 4_000)])
  expect(out()).toEqual([
    'job-r1  Done with 4,000 problems, 6,000 results in /out',
    expect.stringMatching(
      /^ {2}problem: 4,000 files: .*damaged.* \(\/in\/bad\uFFFD\[2J\uFFFD0\.jpg, .* and 3,997 more\)$/,
    ),
  ])
  expect(err()).toEqual(['The history keeps it. Retry its failed files: mediatray-cli retry r1'])
})

test('10,000 jobs are reported in one summary at the end, and with --verbose one by one', () => {
  const events = Array.from({ length: 10_000 }, (_, n) => finished(`r${n}`, 1, n < 3 ? 1 : 0))
  const usual = recorded()
  sayAll(usual.report, events)
  expect(usual.out().slice(0, 2)).toEqual([
    '10,000 jobs: 3 done with problems, 9,997 done.',
    '9,997 results in /out.',
  ])
  expect(usual.out().length + usual.err().length).toBeLessThan(10)
  expect(usual.err().join('')).toContain('“history --outcome problems failed cancelled”')
  const verbose = recorded('verbose')
  sayAll(verbose.report, events)
  expect(verbose.out().length).toBeGreaterThan(19_000)
})

test('--quiet leaves out confirmations and waits, but not skipped files, results and what is kept', () => {
  const { report, out, err } = recorded('quiet')
  const accepted = {
    event: 'accepted',
    id: asRecordId('r1'),
    inputs: { files: ['/a.jpg'] },
    jobId: 'j',
  } as const
  report.say({ ...accepted, skipped: [] })
  report.say({ event: 'waiting', reason: 'working', message: 'Waiting.' })
  report.say({ event: 'service', kind: 'builtIn', baseUrl: 'http://127.0.0.1:1/api' })
  expect(err()).toEqual([])
  report.say({ ...accepted, skipped: [{ file: 'b.jpg', error: 'Damaged.' }] })
  sayAll(report, [finished('r1', 2)])
  report.sayEach([{ event: 'kept', id: asRecordId('r2'), inputs: { files: ['/c.jpg'] }, because: 'offline' }])
  expect(out()).toHaveLength(3)
  expect(err()).toEqual([
    'j  accepted: a.jpg.',
    expect.stringContaining('skipped: b.jpg'),
    expect.stringContaining('kept in the outbox: c.jpg'),
  ])
})

test('several kept submissions are reported in the plural', () => {
  const { report, err } = recorded()
  const names = Array.from({ length: 13 }, (_, n) => `r${n}`)
  report.sayEach(names.map((name) => ({ event: 'kept', ...submission(name), because: 'turn' })))
  expect(err()[0]).toMatch(/^13 submissions are kept in the outbox: .*\. Run “outbox send” to send them\.$/)
})

test('submissions that are refused or unconfirmed are reported as kept in the outbox', () => {
  const { report, err } = recorded()
  const outcomes = report.outcomes(11)
  outcomes.say({ event: 'refused', ...submission('r1'), why: 'invalid', message: 'No.', skipped: [] })
  outcomes.say({ event: 'unknown', ...submission('r2'), lookAlikes: [] })
  outcomes.end()
  expect(err().join('\n')).toMatch(
    /1 unconfirmed: .*outbox.*\n1 refused.*\nThe refused submission stays in the outbox/,
  )
})

test('in a terminal of 40 columns, a progress line keeps the name of its job and never wraps', () => {
  const written: string[] = []
  const bars = createProgressBars({ columns: 40, write: (text) => written.push(text) })
  const step = {
    what: { kind: 'job', jobId: 'j' },
    label: 'holiday.jpg',
    detail: '3 of 9',
    remaining: null,
  } as const
  bars.draw([
    { ...step, share: 0.5 },
    { ...step, share: null, label: '猫'.repeat(60) },
  ])
  const [first = '', second = ''] = linesOf(written.join(''))
  expect(first).toContain('holiday.jpg')
  expect(Array.from(first).length).toBeLessThan(40)
  // Each of these characters takes two columns.
  expect(Array.from(second).length + second.split('猫').length - 1).toBeLessThan(40)
  expect(second).toMatch(/猫…$/)
})

test('neither colors nor cursor movements are written with NO_COLOR and TERM=dumb', async () => {
  const into = await photos(1)
  const { code, stdout, stderr } = await run(['submit', into, '--base-url', 'http://127.0.0.1:1/api'], {
    env: { NO_COLOR: '1', TERM: 'dumb', MEDIATRAY_API_KEY: 'k' },
    columns: 80,
  })
  expect(code).toBe(5)
  expect(stdout + stderr).not.toContain('\u001b')
})

test('--quiet and --verbose contradict each other', async () => {
  const { code, stderr } = await run(['status', '--quiet', '--verbose'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('--quiet')])
})

test('a folder with many photos gives one line about the results, and --verbose every result', async () => {
  const usual = await runHere(['submit', await photos(12), '--output', 'a'], held)
  expect(usual.code).toBe(0)
  expect(linesOf(usual.stdout)).toEqual([expect.stringMatching(/ {2}Done, 12 results in .*\/a$/)])
  const verbose = recorded('verbose')
  sayAll(verbose.report, [finished('r1', 12)])
  expect(verbose.out()).toHaveLength(13)
})

itInLongSuite(
  'Ctrl-C cancels the command’s job, keeps finished results, and says which command processes the other files',
  async () => {
    const into = await photos(80)
    const child = startCommand(['submit', into, '--output', 'results'], held)
    const [said, ended] = [text(child.stderr), once(child, 'close')]
    await expect
      .poll(() => countResults(join(folder, 'results')), { interval: 5, timeout: 30_000 })
      .toBeGreaterThan(0)
    // Twice, as `timeout` does: it signals the program and then its group.
    child.kill('SIGINT')
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    const stayed = await countResults(join(folder, 'results'))
    const [, id = ''] = /Process the other files: mediatray-cli retry (\S+)/.exec(await said) ?? []
    const again = await runHere(['retry', id, '--json'], held)
    expect(again.code).toBe(0)
    expect(jsonLines(again.stdout).at(-1)).toMatchObject({ results: { length: 80 - stayed } })
  },
)

itInLongSuite('cancel with a record’s ID cancels the job that another command runs', async () => {
  const into = await photos(300)
  const child = startCommand(['submit', into, '--output', 'results'], held)
  const [said, ended] = [text(child.stderr), once(child, 'close')]
  await expect
    .poll(() => countResults(join(folder, 'results')), { interval: 5, timeout: 30_000 })
    .toBeGreaterThan(0)
  const [record] = jsonLines((await runHere(['history', '--json'], held)).stdout)
  const { id } = Object(record?.['record'] ?? record)
  const cancelled = await runHere(['cancel', id, '--json'], held)
  // The job is in progress until the files that were running have stopped.
  const status = expect.stringMatching(/^(processing|cancelled)$/)
  expect(cancelled).toMatchObject({ code: 0, events: [{ event: 'cancelling', status }] })
  await ended
  const stayed = await countResults(join(folder, 'results'))
  expect(stayed).toBeLessThan(300)
  expect(await said).toContain(`mediatray-cli retry ${id}`)
})

/** Folders with photos whose contents differ. */
async function folders(count: number, each: number): Promise<readonly string[]> {
  const photo = await readFile(sample)
  const all = Array.from({ length: count }, (_, n) => join(folder, 'photos', `${n}`))
  for (const [at, into] of all.entries()) {
    await mkdir(into, { recursive: true })
    for (let n = 0; n < each; n += 1) {
      const comment = Buffer.from([0xff, 0xfe, 0, 4, at, n])
      await writeFile(
        join(into, `${at}-${n}.jpg`),
        Buffer.concat([photo.subarray(0, 2), comment, photo.subarray(2)]),
      )
    }
  }
  return all
}

/** Presses Ctrl-C when the first result is there. @returns the number of results and what the command said */
async function interruptedAfterResults(argv: readonly string[], outputs: readonly string[]) {
  const child = startCommand(argv, held)
  const [said, ended] = [text(child.stderr), once(child, 'close')]
  const count = async () => (await Promise.all(outputs.map(countResults))).reduce((sum, one) => sum + one, 0)
  await expect.poll(count, { interval: 5, timeout: 30_000 }).toBeGreaterThan(0)
  child.kill('SIGINT')
  expect((await ended)[0]).toBe(130)
  const outbox = await runHere(['outbox', '--json'], held)
  expect(jsonLines(outbox.stdout).filter(({ event }) => event === 'entry')).toEqual([])
  return { count, words: await said }
}

itInLongSuite(
  'Ctrl-C also cancels separate jobs that weren’t sent yet, and the same command with --skip-done processes the other files',
  async () => {
    const submit = ['submit', ...(await folders(1, 30)), '--output', 'results', '--separate']
    const { count, words } = await interruptedAfterResults(submit, [join(folder, 'results')])
    expect(linesOf(words)).toEqual([
      'The history keeps them. To process the other files, run the same command with --skip-done.',
    ])
    const again = await runHere([...submit, '--skip-done'], held)
    expect([again.code, await count()]).toEqual([0, 30])
  },
)

itInLongSuite(
  'Ctrl-C also cancels the parts of a job that weren’t sent yet, and one retry processes the other files',
  async () => {
    const all = await folders(6, 5)
    const argv = ['submit', ...all, '--beside', 'web']
    const { count, words } = await interruptedAfterResults(
      argv,
      all.map((one) => join(one, 'web')),
    )
    const [, id = ''] = /Process the other files: mediatray-cli retry (\S+)/.exec(words) ?? []
    const again = await runHere(['retry', id], held)
    expect([again.code, await count()]).toEqual([0, 30])
  },
)

itInLongSuite(
  'many jobs give a summary that says what was kept, and the failed files can be submitted again',
  async () => {
    const into = await photos(11)
    // It is recognized as a photo, but its content is missing.
    await writeFile(
      join(into, 'broken.jpg'),
      Buffer.from('ffd8ffe000104a46494600010100000100010000ffd9', 'hex'),
    )
    const { code, stdout, stderr } = await runHere(['submit', into, '--separate', '--quiet'], held)
    expect(code).toBe(3)
    expect(linesOf(stdout).slice(0, 2)).toEqual([
      expect.stringMatching(/^12 jobs: .*11 done/),
      expect.stringMatching(/^11 results in .*mediatray-output\.$/),
    ])
    expect(stdout).toContain('problem: ')
    const id = /mediatray-cli retry (\S+)/.exec(stderr)?.[1]
    expect(id).toBeDefined()
    const again = await runHere(['retry', id ?? '', '--json'], held)
    expect(jsonLines(again.stdout).find(({ event }) => event === 'accepted')).toHaveProperty('inputs.files', [
      join(into, 'broken.jpg'),
    ])
  },
)

test.each(isLongSuite ? [4, 12] : [])(
  'Ctrl-C while %i separate jobs replace originals keeps the rest, and the command that it names replaces each of these once',
  async (count) => {
    const [into = ''] = await folders(1, count)
    const names = await readdir(into)
    const contents = async () =>
      new Map(
        await Promise.all(
          names.map(async (name) => [name, await readFile(join(into, name)).catch(() => null)] as const),
        ),
      )
    const before = await contents()
    const replaced = async () => {
      const now = await contents()
      return names.filter((name) => now.get(name)?.equals(before.get(name) ?? Buffer.of()) !== true)
    }
    const submit = ['submit', into, '--preset', 'Thumbnail', '--replace', '--separate', '--json']
    const child = startCommand(submit, held)
    const [out, ended] = [text(child.stdout), once(child, 'close')]
    await expect
      .poll(async () => (await replaced()).length, { interval: 5, timeout: 30_000 })
      .toBeGreaterThan(0)
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    const first = await replaced()
    expect(first.length).toBeLessThan(count)
    expect(originalsIn(jsonLines(await out))).toEqual(
      names.toSorted().map((name) => [join(into, name), first.includes(name) ? 'replaced' : 'kept']),
    )

    // What the command says without --json: run the same command with --skip-done.
    const again = await runHere([...submit, '--skip-done'], held)
    expect(again.code).toBe(0)
    const second = originalsIn(jsonLines(again.stdout)).map(([path]) => path)
    expect(second).toEqual(
      names
        .filter((name) => !first.includes(name))
        .toSorted()
        .map((name) => join(into, name)),
    )
    expect(await replaced()).toEqual(names)
    expect((await runHere(['undo', into], held)).code).toBe(0)
    expect(await replaced()).toEqual([])
  },
)

/** The path of each original and what happened to it, from all reports together. */
const originalsIn = (events: readonly Record<string, unknown>[]) =>
  events
    .filter(({ event }) => event === 'originals')
    .flatMap(
      ({ files }) => files as readonly { readonly path: string; readonly state: { readonly kind: string } }[],
    )
    .map(({ path, state }) => [path, state.kind] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))

itInLongSuite('undo of one of several separate jobs restores only its original', async () => {
  const [into = ''] = await folders(1, 3)
  const { stdout } = await runHere(
    ['submit', into, '--preset', 'Thumbnail', '--replace', '--separate', '--json'],
    held,
  )
  const jobs = jsonLines(stdout).filter(({ event }) => event === 'originals')
  expect(jobs.map(({ counts }) => counts)).toEqual(jobs.map(() => ({ replaced: 1, kept: 0, restored: 0 })))
  const undone = await runHere(['undo', String(jobs[1]?.['id']), '--json'], held)
  const restored = jsonLines(undone.stdout).filter(({ event }) => event === 'restored')
  expect(restored.map(({ id }) => id)).toEqual([jobs[1]?.['id']])
  const folderUndone = await runHere(['undo', into, '--json'], held)
  const others = jsonLines(folderUndone.stdout).filter(({ event }) => event === 'restored')
  expect(new Set(others.map(({ id }) => id))).toEqual(new Set([jobs[0]?.['id'], jobs[2]?.['id']]))
})
