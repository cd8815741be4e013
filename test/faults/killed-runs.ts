import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { openHistory } from '../../src/main/history/index.ts'
import { openOutbox } from '../../src/main/outbox/index.ts'
import { newFolder, removeFolder } from './companion.ts'
import { startScriptedService } from './scripted-service.ts'

/** What became of three submissions of a process that was killed, once or several times, and then left alone. */
export type KilledRun = {
  readonly seed: number
  readonly how: readonly string[]
  readonly kills: number
  /** In the outbox, as the process was able to say. */
  readonly promised: readonly string[]
  /** How many jobs the service made of each. */
  readonly made: Readonly<Record<string, number>>
  /** Left to the user, since nobody can tell any more whether they arrived. */
  readonly asked: readonly string[]
  /** The ids in the history and at the service but for those the user is asked about; the same, where nothing was lost. */
  readonly remembered: readonly string[]
  readonly jobIds: readonly string[]
  readonly leftInOutbox: number
}

const NAMES = ['one.jpg', 'two.jpg', 'three.jpg'] as const

/** Steps that three undisturbed submissions take, and a few more, so that some processes are not killed at all. */
const STEPS = 28
const REQUESTS = 7

/** The same seed is the same run, as far as two processes can be. */
export async function killedRun(seed: number): Promise<KilledRun> {
  const random = seededRandom(seed)
  const folder = newFolder()
  let victim: ReturnType<typeof start> | undefined
  let requestsUntilDeath = 0
  const service = await startScriptedService({
    onRequest() {
      requestsUntilDeath -= 1
      if (requestsUntilDeath === 0) victim?.kill()
    },
  })
  const promised: string[] = []
  const how: string[] = []
  let kills = 0
  try {
    const attempts = 1 + Math.floor(random() * 3)
    for (let n = 0; n < attempts; n += 1) {
      const bySelf = random() < 0.7
      const at = 1 + Math.floor(random() * (bySelf ? STEPS : REQUESTS))
      how.push(bySelf ? `at step ${at}` : `at request ${at}`)
      requestsUntilDeath = bySelf ? 0 : at
      victim = start(folder, service.baseUrl, bySelf ? at : 0, n === 0 ? NAMES : [])
      const { lines, killed } = await victim.ended
      promised.push(...lines.filter((line) => line !== 'settled'))
      kills += killed ? 1 : 0
    }
    requestsUntilDeath = 0
    victim = start(folder, service.baseUrl, 0, [])
    const { lines } = await victim.ended
    if (!lines.includes('settled')) throw new Error(`seed ${seed}: the last process did not settle`)
    const left = whatIsLeft(folder)
    const isAsked = (files: readonly string[]) => left.asked.some((name) => isOf(name, files))
    return {
      seed,
      how,
      kills,
      promised,
      ...left,
      made: countOf(service.created),
      jobIds: service.created
        .filter(({ files }) => !isAsked(files))
        .map(({ jobId }) => jobId)
        .toSorted(),
    }
  } finally {
    await service.close()
    removeFolder(folder)
  }
}

const isOf = (name: string, files: readonly string[]): boolean =>
  files.some((file) => file.endsWith(`/${name}`))

const countOf = (created: readonly { readonly files: readonly string[] }[]): Record<string, number> =>
  Object.fromEntries(NAMES.map((name) => [name, created.filter(({ files }) => isOf(name, files)).length]))

function whatIsLeft(folder: string): Pick<KilledRun, 'asked' | 'remembered' | 'leftInOutbox'> {
  const clock = Date.now
  const history = openHistory({ file: join(folder, 'history.db'), clock, log: () => undefined })
  const outbox = openOutbox({
    file: join(folder, 'outbox.db'),
    clock,
    ids: () => {
      throw new Error('nothing is added here')
    },
  })
  try {
    if (history.setAside !== null || outbox.setAside !== null) throw new Error('a database was damaged')
    const asked = outbox
      .list()
      .filter(({ state }) => state.kind === 'unknown' && state.leftToUser)
      .flatMap(({ id }) => outbox.whole(id)?.plan.items.map(({ name }) => name) ?? [])
    return {
      asked,
      remembered: history
        .unfinished()
        .map(({ jobId }) => jobId)
        .toSorted(),
      leftInOutbox: outbox.list().length + outbox.accepted().length - asked.length,
    }
  } finally {
    history.close()
    outbox.close()
  }
}

function start(folder: string, baseUrl: string, dieAt: number, names: readonly string[]) {
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(import.meta.dirname, 'doomed-process.ts'),
      folder,
      baseUrl,
      String(dieAt),
      ...names,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  let complained = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (complained += chunk.toString()))
  const ended = new Promise<{ lines: string[]; killed: boolean }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (signal !== 'SIGKILL' && code !== 0) reject(new Error(`It failed: ${complained}`))
      else resolve({ lines: said.split('\n').filter((line) => line !== ''), killed: signal === 'SIGKILL' })
    })
  })
  return { ended, kill: () => void child.kill('SIGKILL') }
}

/** A small generator with a seed (a linear congruence, numbers from Numerical Recipes). @returns 0..1 */
export function seededRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
