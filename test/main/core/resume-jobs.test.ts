/** Jobs of a built-in service that was killed, left in the data folder as real files. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import { openHistory } from '../../../src/main/history/index.ts'
import { titleOf, WAITING } from '../../../src/main/outbox/index.ts'
import { fingerprintOf } from '../../../src/node/file-fingerprint.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import type { Quality } from '../../../src/shared/quality/quality.ts'
import { acceptance } from '../history/sample-records.ts'
import { attempt, openOutboxIn, planOfFiles } from '../outbox/drafts.ts'
import { openTestCore, openUntilEnd, useBuiltIn } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

type LeftJob = {
  readonly name: string
  readonly inputs: readonly string[]
  readonly out: string
  /** Inputs whose results the killed service had recorded. */
  readonly placed: readonly string[]
  /** What the service noted of each result. */
  readonly quality?: Quality
  /** Where the disk of `out` is mounted. */
  readonly mount?: string
  readonly preset?: string
  /** Whether the results were moved away after the service had noted that they were in place. */
  readonly isMoved?: true
  /** ID of the watched folder that the inputs are from. */
  readonly watched?: string
  /** Missing if the job isn't finished. */
  readonly isDone?: true
  /** Whether the response was lost, so that only the service knows the job. */
  readonly isLost?: true
}

const done = (results: number) => ({ kind: 'done', results, uploaded: null }) as const
const recordOf = (name: string): RecordId => asRecordId(`r-${name}`)

const openRecords = (data: string) =>
  openHistory({ file: join(data, 'history.db'), clock: Date.now, log: () => undefined })

/**
 * Records the jobs as accepted, and creates the placed results and the service's notes about them.
 * @param service its process; by default, one that has ended
 */
async function leaveJobs(data: string, jobs: readonly LeftJob[], service?: ChildProcess): Promise<void> {
  const history = openRecords(data)
  const lines: object[] = [{ begun: Date.now() }]
  for (const job of jobs) {
    const { name, inputs, out, placed, mount, preset, watched } = job
    const plan = planOfFiles(inputs, { preset: preset ?? null, output: { kind: 'folder', path: out } })
    const title = titleOf(recordOf(name), plan, Date.now())
    if (job.isLost !== true) {
      const accepted = { ...acceptance, jobId: name, connection: 'builtIn', acceptedAt: Date.now() } as const
      await history.recordAcceptedSubmission({ title, plan: { ...plan, mount, watched } }, accepted)
    }
    if (job.isDone) history.recordOutcome(recordOf(name), done(placed.length), Date.now())
    lines.push({ job: name, ...(preset === undefined ? {} : { preset, folder: out }) })
    await mkdir(out, { recursive: true })
    for (const input of placed) {
      const path = join(out, `${input.slice(1)}.${name}`)
      await writeFile(path, input)
      const found = await stat(path, { bigint: true })
      lines.push({
        jobId: name,
        input,
        variation: 1,
        preset: 'Mail',
        read: fingerprintOf(found),
        path,
        inode: String(found.ino),
        born: String(found.birthtimeNs),
        size: Number(found.size),
        sha256: '',
        isCopy: false,
        quality: job.quality,
        at: Date.now(),
      })
      if (job.isMoved !== true) continue
      lines.push({ placed: { jobId: name, path, at: Date.now() } })
      await rm(path)
    }
  }
  history.close()
  const mark = markOf((service ?? (await endedProcess())).pid ?? 0)
  const notes = join(data, 'service', 'placed')
  await mkdir(notes, { recursive: true })
  await writeFile(join(notes, mark), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** Returns the part of a file name that identifies a process. */
const markOf = (pid: number): string => `${pid}-${'0'.repeat(16)}`

/** Starts a process that lasts until the test has finished. */
function startProcess() {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function endedProcess(): Promise<ChildProcess> {
  const child = startProcess()
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
  return child
}

/** Opens a core until the test has finished, and waits until it has dealt with what was left. */
async function openSettled(data: string): Promise<Core> {
  const core = await openUntilEnd(data)
  await core.settled()
  return core
}

it('a job whose results can’t be inspected is left to the user, and the other jobs continue', async () => {
  const data = temporaryFolder()
  const share = join(data, 'share')
  const away = { name: 'away', inputs: ['/a', '/b', '/c'], out: join(share, 'out'), placed: ['/a', '/b'] }
  const here = { name: 'here', inputs: ['/a', '/b'], out: join(data, 'here'), placed: ['/a'] }
  await leaveJobs(data, [away, here])
  // Imitates an offline network share: every access fails, here with ELOOP.
  await rename(share, join(data, 'real'))
  await symlink('share', share)
  const core = await openSettled(data)
  expect(core.outbox.get(recordOf('here'))?.state.kind).toBe('waiting')
  expect(core.outbox.get(recordOf('away'))?.state).toMatchObject({ kind: 'unknown', leftToUser: true })
  expect(core.outbox.get(recordOf('away'))?.plan.items).toHaveLength(3)
  // If the user removes the submission, its results are still in the history.
  expect(core.history.details(recordOf('away'))?.results.map(({ file }) => file)).toEqual(['/a', '/b'])
})

it('a job whose disk was removed is left to the user, because its results may be on that disk', async () => {
  const data = temporaryFolder()
  const disk = join(data, 'disk')
  const away = { name: 'away', inputs: ['/a', '/b'], out: join(disk, 'out'), placed: ['/a'], mount: disk }
  await leaveJobs(data, [away])
  // Imitates an unmount: only the empty mount point remains.
  await rm(away.out, { recursive: true })
  const core = await openSettled(data)
  expect(core.outbox.get(recordOf('away'))?.state).toMatchObject({ kind: 'unknown', leftToUser: true })
  expect(core.outbox.get(recordOf('away'))?.plan.items).toHaveLength(2)
})

it('results that were moved away while a job ran aren’t made again', async () => {
  const data = temporaryFolder()
  const moved = { name: 'moved', inputs: ['/a', '/b'], out: join(data, 'out'), placed: ['/a'] }
  await leaveJobs(data, [{ ...moved, isMoved: true }])
  const core = await openSettled(data)
  expect(core.outbox.get(recordOf('moved'))).toMatchObject({
    state: { kind: 'waiting' },
    plan: { items: [{ path: '/b' }] },
  })
})

it('an original that was kept because of the quality of its result isn’t replaced after an interruption', async () => {
  const data = temporaryFolder()
  const quality = { score: 61, isSampled: true, below: 70 }
  const poor = { name: 'poor', inputs: ['/a', '/b'], out: join(data, 'out'), placed: ['/a'], quality }
  await leaveJobs(data, [poor])
  const core = await openSettled(data)
  const completed = core.history.details(recordOf('poor'))?.parts[1]?.id ?? recordOf('none')
  expect(core.history.details(completed)?.results).toMatchObject([{ file: '/a', quality }])
})

it('a watched folder’s job whose disk was removed waits for it, because no user may be there to decide', async () => {
  const data = temporaryFolder()
  const disk = join(data, 'disk')
  const out = join(disk, 'out')
  await leaveJobs(data, [
    { name: 'away', inputs: ['/a', '/b'], out, placed: ['/a'], mount: disk, watched: 'w' },
  ])
  const core = await openSettled(data)
  expect(core.outbox.get(recordOf('away'))).toMatchObject({
    state: { kind: 'waiting' },
    plan: { mount: disk, watched: 'w', items: { length: 2 } },
  })
})

/** Leaves submissions whose responses a killed process hasn't read, with their presets. */
async function leaveSending(
  data: string,
  out: string,
  sent: Readonly<Record<string, string | null>>,
): Promise<void> {
  const outbox = openOutboxIn(data)
  const sending = { ...attempt, at: Date.now() - 1, service: 'builtIn', connection: 'builtIn' } as const
  for (const [name, preset] of Object.entries(sent)) {
    const id = recordOf(name)
    const plan = planOfFiles(['/a', '/b'], { preset, output: { kind: 'folder', path: out } })
    outbox.putBack({ id, createdAt: Date.now(), plan, state: WAITING })
    outbox.beginSending(id, sending)
  }
  await outbox.onDisk()
  outbox.close()
}

it('a submission whose results can’t be inspected isn’t sent again without asking', async () => {
  const data = temporaryFolder()
  const share = join(data, 'share')
  const out = join(share, 'out')
  await leaveSending(data, out, { sent: null })
  const job = { name: 'unseen', inputs: ['/a'], out, placed: ['/a'], isLost: true } as const
  await leaveJobs(data, [job])
  await rename(share, join(data, 'real'))
  await symlink('share', share)
  const core = await openSettled(data)
  expect(core.outbox.get(recordOf('sent'))?.state).toMatchObject({ kind: 'unknown', leftToUser: true })
})

async function resumed(
  sent: Readonly<Record<string, string | null>>,
  jobsIn: (out: string) => readonly LeftJob[],
) {
  const data = temporaryFolder()
  const out = join(data, 'out')
  await leaveSending(data, out, sent)
  await leaveJobs(data, jobsIn(out))
  const core = await openSettled(data)
  return core
}

describe('the same photos, one folder, two presets, and a lost response', () => {
  const web = { name: 'web', inputs: ['/a', '/b'], preset: 'Web' }
  const mail = { name: 'mail', inputs: ['/a', '/b'], preset: 'Mail' }

  it.each([
    ['a finished part', { isDone: true }],
    ['a part that is resumed too', {}],
    ['a part that has the same preset', { preset: 'Mail', isDone: true }],
  ] as const)('%s doesn’t count as the job of the other part, which is sent again', async (_, more) => {
    const core = await resumed({ sent: 'Mail' }, (out) => [{ ...web, out, placed: ['/a'], ...more }])
    expect(core.outbox.get(recordOf('sent'))?.state.kind).toBe('waiting')
    expect(core.outbox.get(recordOf('sent'))?.plan.items).toHaveLength(2)
  })

  it('results of the lost job are kept, and only the rest is sent again', async () => {
    const core = await resumed({ mail: 'Mail' }, (out) => [
      { ...web, out, placed: ['/a', '/b'], isLost: true },
      { ...mail, out, placed: ['/a'], isLost: true },
    ])
    expect(core.outbox.get(recordOf('mail'))?.state.kind).toBe('waiting')
    expect(core.outbox.get(recordOf('mail'))?.plan.items.map(({ path }) => path)).toEqual(['/b'])
    const parts = core.history.details(recordOf('mail'))?.parts
    expect(parts?.map(({ outcome }) => outcome)).toEqual([null, done(1)])
  })

  it('a job that is complete ends its submission', async () => {
    const core = await resumed({ mail: 'Mail' }, (out) => [
      { ...mail, out, placed: ['/a', '/b'], isLost: true },
    ])
    expect(core.outbox.get(recordOf('mail'))).toBeUndefined()
    expect(core.history.details(recordOf('mail'))?.outcome).toMatchObject({ kind: 'done', results: 2 })
  })

  it.each([
    ['fits two submissions', { first: 'Mail', second: 'Mail' }, [mail]],
    ['of two may be its own', { first: 'Mail' }, [mail, { ...mail, name: 'again' }]],
    ['has no noted preset', { first: 'Mail' }, [{ name: 'old', inputs: ['/a'] }]],
  ])('a job that %s is left to the user', async (_, sent, jobs) => {
    const core = await resumed(sent, (out) =>
      jobs.map((job) => ({ ...job, out, placed: ['/a'], isLost: true })),
    )
    for (const name of Object.keys(sent))
      expect(core.outbox.get(recordOf(name))?.state).toMatchObject({ kind: 'unknown', leftToUser: true })
  })
})

itInLongSuite(
  'a job that can’t be resumed doesn’t block others, isn’t canceled on exit, and is resumed at the next launch',
  async () => {
    const data = temporaryFolder()
    const left = { inputs: ['/a', '/b'], placed: ['/a'] }
    const jobs = ['bad', 'good'].map((name) => ({ ...left, name, out: join(data, name) }))
    await leaveJobs(data, jobs)
    const refuse = (sql: string) => {
      const database = new DatabaseSync(join(data, 'outbox.db'))
      database.exec(sql)
      database.close()
    }
    openOutboxIn(data).close()
    refuse(
      "CREATE TRIGGER refuse BEFORE INSERT ON submissions WHEN NEW.id = 'r-bad' BEGIN SELECT RAISE(ABORT, 'refused'); END",
    )
    const core = await openTestCore(data)
    await useBuiltIn(core)
    await core.settled()
    expect(core.outbox.get(recordOf('bad'))).toBeUndefined()
    expect(core.history.details(recordOf('good'))?.facts.jobId).not.toBe('good')
    await core.close()

    refuse('DROP TRIGGER refuse')
    const next = await openUntilEnd(data)
    expect(next.history.details(recordOf('bad'))?.outcome).toBeNull()
    await next.settled()
    expect(next.outbox.get(recordOf('bad'))?.plan.items.map(({ path }) => path)).toEqual(['/b'])
  },
)

itInLongSuite('a job whose service is still running isn’t canceled on exit', async () => {
  const data = temporaryFolder()
  const service = startProcess()
  const job = { name: 'running', inputs: ['/a'], out: join(data, 'out'), placed: [] }
  await leaveJobs(data, [job], service)
  const core = await openTestCore(data)
  await useBuiltIn(core)
  await core.close()
  const history = openRecords(data)
  onTestFinished(() => history.close())
  expect(history.details(recordOf('running'))?.outcome).toBeNull()
})

/** Puts a submission of these inputs into the outbox, as an older copy of the file has it. */
function leaveWaiting(data: string, name: string, inputs: readonly string[]): void {
  const outbox = openOutboxIn(data)
  const plan = planOfFiles(inputs, { preset: null, output: { kind: 'folder', path: join(data, name) } })
  outbox.putBack({ id: recordOf(name), createdAt: Date.now(), plan, state: WAITING })
  outbox.close()
}

it('interrupted jobs return before those that were waiting, in their order', async () => {
  const data = temporaryFolder()
  leaveWaiting(data, 'third', ['/a'])
  const left = { inputs: ['/a'], out: join(data, 'out'), placed: [] }
  await leaveJobs(
    data,
    ['first', 'second'].map((name) => ({ ...left, name })),
  )
  const core = await openSettled(data)
  expect(core.outbox.list().map(({ id }) => id)).toEqual(['first', 'second', 'third'].map(recordOf))
})

describe('an outbox that is older than the history', () => {
  it('loses what has ended or has a job there, and keeps what was only withdrawn', async () => {
    const data = temporaryFolder()
    for (const name of ['done', 'withdrawn']) leaveWaiting(data, name, ['/a'])
    const ended = { name: 'done', inputs: ['/a'], out: join(data, 'done'), placed: ['/a'] }
    await leaveJobs(data, [{ ...ended, isDone: true }])
    const history = openRecords(data)
    const plan = planOfFiles(['/a'], {})
    await history.recordAcceptedSubmission(
      { title: titleOf(recordOf('elsewhere'), plan, Date.now()), plan },
      acceptance,
    )
    const title = titleOf(recordOf('withdrawn'), plan, Date.now())
    history.recordSubmissions([{ title, plan }])
    history.recordOutcomes([recordOf('withdrawn')], { kind: 'cancelled', results: 0 }, Date.now())
    history.close()
    leaveWaiting(data, 'elsewhere', ['/a'])
    const core = await openSettled(data)
    await expect.poll(() => core.outbox.list().map(({ id }) => id)).toEqual([recordOf('withdrawn')])
    expect(core.history.details(recordOf('done'))?.outcome).toMatchObject({ kind: 'done' })
    expect(core.history.openJobs().map(({ id }) => id)).toEqual([recordOf('elsewhere')])
  })

  it('doesn’t bring back files of an interrupted job whose results are there', async () => {
    const data = temporaryFolder()
    leaveWaiting(data, 'half', ['/a', '/b'])
    const half = { name: 'half', inputs: ['/a', '/b'], out: join(data, 'half'), placed: ['/a'] }
    await leaveJobs(data, [half])
    const core = await openSettled(data)
    expect(core.outbox.get(recordOf('half'))?.plan.items).toMatchObject([{ path: '/b' }])
  })
})
