/** Supervision of the built-in service, in virtual time and with scripted processes. */
import { expect, it, vi } from 'vitest'
import {
  createBuiltInService,
  type BuiltInServiceDeps,
  type BuiltInState,
} from '../../../src/main/connection/index.ts'
import { NOT_STEERED } from '../../../src/shared/steering.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { queuedJob } from '../../job-samples.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { holdTime } from '../watch/held-time.ts'
import { scriptedProcesses, SERVING, type ScriptedProcess } from './scripted-process.ts'

function supervise(change: Partial<BuiltInServiceDeps> = {}) {
  const time = holdTime()
  const dataDir = temporaryFolder()
  const { processes, spawn } = scriptedProcesses(dataDir)
  const states: BuiltInState['kind'][] = []
  /** Another owner of the same folder. */
  const next = () =>
    createBuiltInService({
      spawn,
      dataDir,
      timing: { ...time.timing, random: () => 1 },
      ...change,
    })
  const service = next()
  service.onChange(({ kind }) => states.push(kind))
  /** Starts the service and resolves with its first process. */
  function start(): Promise<ScriptedProcess> {
    service.start()
    return begun(processes, 1)
  }
  return {
    ...time,
    service,
    next,
    processes,
    states,
    start,
    begun: (count: number) => begun(processes, count),
  }
}

/** Resolves with the latest process once `count` processes have started. */
async function begun(processes: readonly ScriptedProcess[], count: number): Promise<ScriptedProcess> {
  return vi.waitFor(() => {
    expect(processes).toHaveLength(count)
    const last = processes.at(-1)
    if (last === undefined) throw new Error('nothing was started')
    return last
  }, 60_000)
}

const isState = (service: { state(): BuiltInState }, kind: BuiltInState['kind']) =>
  expect.poll(() => service.state().kind).toBe(kind)

it('starts once, however often it is requested', async () => {
  const { service, processes, start, states } = supervise()
  expect(service.state()).toEqual({ kind: 'stopped' })
  service.start()
  const process = await start()
  await process.listen()
  await isState(service, 'running')
  service.start()
  await new Promise(setImmediate)
  expect(processes).toHaveLength(1)
  expect(states).toEqual(['starting', 'running'])
})

itInLongSuite(
  'waits longer after each crash, and stops restarting after the fifth within five minutes',
  async () => {
    const { service, begun: after, dueWithin, pass, states } = supervise()
    const ends: unknown[] = []
    service.onEnded((jobs) => ends.push(jobs))
    service.start()
    for (const [index, wait] of [500, 1_000, 2_000, 4_000].entries()) {
      const process = await after(index + 1)
      await process.end()
      await isState(service, 'restarting')
      expect(dueWithin(wait - 1)).toBe(0)
      pass(wait)
    }
    const last = await after(5)
    await last.end()
    await isState(service, 'failed')
    expect(service.state()).toEqual({ kind: 'failed', reason: expect.stringContaining('broken') })
    expect(dueWithin(600_000)).toBe(0)
    expect(states.filter((kind) => kind === 'restarting')).toHaveLength(4)
    expect(ends).toEqual([[], [], [], [], []])
  },
)

it('tells the service how to run its jobs, and repeats it after a crash', async () => {
  const { service, start, begun, pass } = supervise()
  const first = await start()
  const steering = { hold: true, lowPriority: false }
  service.steer(steering)
  service.steer({ ...steering })
  await first.listen()
  await expect.poll(() => first.asked).toEqual(['stdin closed', NOT_STEERED, steering])
  await first.end()
  await isState(service, 'restarting')
  pass(60_000)
  const second = await begun(2)
  await second.listen()
  await expect.poll(() => second.asked).toEqual(['stdin closed', steering])
})

itInLongSuite('ignores crashes from more than five minutes ago', async () => {
  const { service, begun: after, pass } = supervise()
  service.start()
  for (let crash = 1; crash <= 7; crash++) {
    const process = await after(crash)
    pass(75_000)
    await process.end()
    await isState(service, 'restarting')
    pass(30_000)
  }
  await after(8)
})

it('starts immediately on request, even after the supervisor has given up', async () => {
  const { service, start, begun: after, dueWithin } = supervise({ limits: { crashes: 1 } })
  const first = await start()
  await first.end()
  await isState(service, 'failed')
  service.start()
  await after(2)
  expect(dueWithin(29_999)).toBe(0)
})

it('remains stopped if it is stopped while waiting for a restart', async () => {
  const { service, start, dueWithin } = supervise()
  const process = await start()
  await process.end()
  await isState(service, 'restarting')
  await service.stop()
  expect([service.state(), dueWithin(600_000)]).toEqual([{ kind: 'stopped' }, 0])
})

it('is not spawned if it is stopped first', async () => {
  const { service, processes, states } = supervise()
  service.start()
  await service.stop()
  expect([processes.length, service.state().kind]).toEqual([0, 'stopped'])
  await service.stop()
  expect(states.filter((kind) => kind === 'stopped').length).toBeLessThanOrEqual(1)
})

it('does not count a requested exit as a crash, and isn’t running although it listens by then', async () => {
  const { service, start, dueWithin, states } = supervise()
  const process = await start()
  const stopped = service.stop()
  await expect.poll(() => process.asked).toEqual(['stdin closed'])
  await process.listen()
  await expect.poll(() => process.asked).toContain('end')
  await process.end()
  await stopped
  expect(states).toEqual(['starting', 'stopped'])
  expect(dueWithin(600_000)).toBe(0)
})

it('reports the final states of its jobs to its listeners, until they unsubscribe', async () => {
  const { service, start } = supervise()
  const told: string[][] = []
  const unheard: unknown[] = []
  service.onEnded((jobs) => told.push(jobs.map(({ jobId }) => jobId)))
  service.onEnded((jobs) => unheard.push(jobs))()
  const process = await start()
  await process.listen()
  await isState(service, 'running')
  await process.end(
    { code: 0 },
    ['one', 'two'].map((id) => queuedJob(id, ['a.jpg'], undefined, '')),
  )
  await isState(service, 'restarting')
  expect([told, unheard]).toEqual([[['one', 'two']], []])
})

it('reports the end of a job to its listeners, for every process that it starts', async () => {
  const { service, start, begun: after, pass } = supervise()
  let told = 0
  let unheard = 0
  service.onJobEnded(() => void told++)
  service.onJobEnded(() => void unheard++)()
  const first = await start()
  await first.listen()
  await isState(service, 'running')
  first.jobEnded()
  await expect.poll(() => told).toBe(1)
  await first.end()
  await isState(service, 'restarting')
  pass(500)
  const second = await after(2)
  await second.listen()
  await isState(service, 'running')
  second.jobEnded()
  await expect.poll(() => told).toBe(2)
  expect(unheard).toBe(0)
})

it('is left to the next owner, which hears of its end, and is no longer the first one’s', async () => {
  const { service, next, start, processes, dueWithin } = supervise()
  const told: string[] = []
  service.onEnded(() => told.push('first'))
  const process = await start()
  await process.listen()
  await isState(service, 'running')
  await service.leave()
  expect(service.state()).toEqual({ kind: 'stopped' })
  const second = next()
  second.onEnded((jobs) => told.push(`second ${jobs.length}`))
  second.steer({ hold: true, lowPriority: true })
  second.start()
  await isState(second, 'running')
  expect(second.state()).toEqual({ kind: 'running', ...SERVING })
  const asked = ['stdin closed', NOT_STEERED, 'release', { hold: true, lowPriority: true }]
  await expect.poll(() => process.asked).toEqual(asked)
  const stopped = second.stop()
  await expect.poll(() => process.asked.at(-1)).toBe('end')
  await process.end({ code: 0 }, [queuedJob('one', ['a.jpg'], undefined, '')])
  await stopped
  expect([told, processes.length, dueWithin(600_000)]).toEqual([['second 1'], 1, 0])
})

it('ends a service that the next owner can’t use, and then starts another one', async () => {
  const { service, next, start, begun: after } = supervise()
  const first = await start()
  await first.listen()
  await isState(service, 'running')
  await service.leave()
  const second = next()
  second.onLeft(() => false)
  second.start()
  await expect.poll(() => first.asked.at(-1)).toBe('end')
  await first.end()
  const another = await after(2)
  await another.listen()
  await isState(second, 'running')
})
