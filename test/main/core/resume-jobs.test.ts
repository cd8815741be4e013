/** Jobs of a built-in service that was killed, left in the data folder as real files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { openHistory } from '../../../src/main/history/index.ts'
import { openOutbox, titleOf } from '../../../src/main/outbox/index.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import { planOfFiles } from '../outbox/drafts.ts'
import { openTestCore, openUntilEnd, temporaryFolder, useBuiltIn } from './open-core.ts'

type LeftJob = {
  readonly name: string
  readonly inputs: readonly string[]
  readonly out: string
  /** Inputs whose results the killed service had recorded. */
  readonly placed: readonly string[]
  /** The device that becomes visible when the disk of `out` is removed. */
  readonly behind?: string
}

const recordOf = (name: string): RecordId => asRecordId(`r-${name}`)

const openRecords = (data: string) =>
  openHistory({ file: join(data, 'history.db'), clock: Date.now, log: () => undefined })

/** Records the jobs as accepted, and creates the placed results and the service's notes about them. */
async function leaveJobs(data: string, jobs: readonly LeftJob[], mark: string): Promise<void> {
  const history = openRecords(data)
  const lines: object[] = [{ begun: Date.now() }]
  for (const { name, inputs, out, placed, behind } of jobs) {
    const plan = planOfFiles(inputs, { preset: null, output: { kind: 'folder', path: out } })
    const title = titleOf(recordOf(name), plan, Date.now())
    await history.recordAcceptedSubmission(
      { title, inputs: plan.items, grouping: plan.grouping, behind },
      {
        jobId: name,
        baseUrl: 'http://127.0.0.1:9/api',
        connection: 'builtIn',
        acceptedAt: Date.now(),
        skipped: [],
      },
    )
    lines.push({ job: name })
    await mkdir(out, { recursive: true })
    for (const input of placed) {
      const path = join(out, `${input.slice(1)}.out`)
      await writeFile(path, input)
      const { ino, size } = await stat(path, { bigint: true })
      lines.push({ jobId: name, input, variation: 1, path, inode: String(ino), size: Number(size) })
    }
  }
  history.close()
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

async function markOfEnded(): Promise<string> {
  const child = startProcess()
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
  return markOf(child.pid ?? 0)
}

it('a job whose results can’t be inspected is left to the user, and the other jobs continue', async () => {
  const data = await temporaryFolder()
  const share = join(data, 'share')
  const away = { name: 'away', inputs: ['/a', '/b', '/c'], out: join(share, 'out'), placed: ['/a', '/b'] }
  const here = { name: 'here', inputs: ['/a', '/b'], out: join(data, 'here'), placed: ['/a'] }
  await leaveJobs(data, [away, here], await markOfEnded())
  // Imitates an offline network share: every access fails, here with ELOOP.
  await rename(share, join(data, 'real'))
  await symlink('share', share)
  const core = await openUntilEnd(data)
  await core.settle()
  expect(core.outbox.get(recordOf('here'))?.state.kind).toBe('waiting')
  expect(core.outbox.get(recordOf('away'))?.state).toMatchObject({ kind: 'unknown', leftToUser: true })
  expect(core.outbox.get(recordOf('away'))?.plan.items).toHaveLength(3)
  // If the user removes the submission, its results are still in the history.
  expect(core.history.details(recordOf('away'))?.results.map(({ file }) => file)).toEqual(['/a', '/b'])
})

it('a job whose disk was removed is left to the user, because its results may be on that disk', async () => {
  const data = await temporaryFolder()
  const disk = join(data, 'disk')
  const behind = String((await stat(data, { bigint: true })).dev)
  const away = { name: 'away', inputs: ['/a', '/b'], out: join(disk, 'out'), placed: ['/a'], behind }
  await leaveJobs(data, [away], await markOfEnded())
  // Imitates an unmount: only the empty mount point remains.
  await rm(away.out, { recursive: true })
  const core = await openUntilEnd(data)
  await core.settle()
  expect(core.outbox.get(recordOf('away'))?.state).toMatchObject({ kind: 'unknown', leftToUser: true })
  expect(core.outbox.get(recordOf('away'))?.plan.items).toHaveLength(2)
})

it('a submission whose results can’t be inspected isn’t sent again without asking', async () => {
  const data = await temporaryFolder()
  const share = join(data, 'share')
  const id = recordOf('sent')
  const plan = planOfFiles(['/a'], { preset: null, output: { kind: 'folder', path: join(share, 'out') } })
  const attempt = { at: Date.now() - 1, service: 'builtIn', baseUrl: '', known: [], uploaded: null }
  const outbox = openOutbox({ file: join(data, 'outbox.db'), clock: Date.now, ids: () => id })
  outbox.putBack({
    id,
    createdAt: Date.now(),
    plan,
    state: { kind: 'waiting', notBefore: null, heldBy: null },
  })
  outbox.claim()
  outbox.beginSending(id, { ...attempt, connection: 'builtIn' })
  await outbox.onDisk()
  outbox.close()
  await leaveJobs(
    data,
    [{ name: 'unseen', inputs: ['/a'], out: join(share, 'out'), placed: ['/a'] }],
    await markOfEnded(),
  )
  await rename(share, join(data, 'real'))
  await symlink('share', share)
  const core = await openUntilEnd(data)
  await core.settle()
  expect(core.outbox.get(id)?.state).toMatchObject({ kind: 'unknown', leftToUser: true })
})

it('a job that can’t be resumed doesn’t block others, isn’t canceled on exit, and is resumed at the next launch', async () => {
  const data = await temporaryFolder()
  const jobs = ['bad', 'good'].map((name) => ({
    name,
    inputs: ['/a', '/b'],
    out: join(data, name),
    placed: ['/a'],
  }))
  await leaveJobs(data, jobs, await markOfEnded())
  const refuse = (sql: string) => {
    const database = new DatabaseSync(join(data, 'outbox.db'))
    database.exec(sql)
    database.close()
  }
  openOutbox({ file: join(data, 'outbox.db'), clock: Date.now, ids: () => recordOf('new') }).close()
  refuse(
    "CREATE TRIGGER refuse BEFORE INSERT ON submissions WHEN NEW.id = 'r-bad' BEGIN SELECT RAISE(ABORT, 'refused'); END",
  )
  const core = await openTestCore(data)
  await useBuiltIn(core)
  await core.settle()
  expect(core.outbox.get(recordOf('bad'))).toBeUndefined()
  expect(core.history.details(recordOf('good'))?.facts.jobId).not.toBe('good')
  await core.close()

  refuse('DROP TRIGGER refuse')
  const next = await openUntilEnd(data)
  expect(next.history.details(recordOf('bad'))?.outcome).toBeNull()
  await next.settle()
  expect(next.outbox.get(recordOf('bad'))?.plan.items.map(({ path }) => path)).toEqual(['/b'])
})

it('a job whose service is still running isn’t canceled on exit', async () => {
  const data = await temporaryFolder()
  const service = startProcess()
  const job = { name: 'running', inputs: ['/a'], out: join(data, 'out'), placed: [] }
  await leaveJobs(data, [job], markOf(service.pid ?? 0))
  const core = await openTestCore(data)
  await useBuiltIn(core)
  await core.close()
  const history = openRecords(data)
  onTestFinished(() => history.close())
  expect(history.details(recordOf('running'))?.outcome).toBeNull()
})
