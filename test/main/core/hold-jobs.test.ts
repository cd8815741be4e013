import { readFile } from 'node:fs/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import sharp from 'sharp'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import type { AppState } from '../../../src/shared/model/app-state.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import type { PartDetails } from '../../../src/shared/model/job.ts'
import { evenTimes, makeClip } from '../../media/video/make-clip.ts'
import { countWaits } from '../database/count-waits.ts'
import { planOfFiles } from '../outbox/drafts.ts'
import { scriptedComputer, type ScriptedComputer } from '../quiet/scripted-computer.ts'
import { nextEnd, openUntilEnd, stateWhen, timing, useBuiltIn } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { describeInLongSuite } from '../../faults/long-suite.ts'

/** An app with the built-in service that runs jobs only while its scripted computer is plugged in. */
async function openOn(computer: ScriptedComputer) {
  const folder = temporaryFolder()
  const core = await openUntilEnd(folder, timing, computer)
  core.settings.update({ quiet: { ...core.settings.view().quiet, plugged: true } })
  await useBuiltIn(core)
  return { core, folder }
}

const photoIn = async (folder: string, name: string): Promise<string> => {
  const path = join(folder, name)
  await sharp({ create: { width: 40, height: 30, channels: 3, background: { r: name.length, g: 0, b: 0 } } })
    .jpeg()
    .toFile(path)
  return path
}

async function submit(core: Core, path: string, kind: MediaItem['kind'] = 'image', preset?: string) {
  core.drafts.store.add([{ path, name: basename(path), kind, size: 1 }], [])
  core.drafts.store.change({ done: 'again', ...(preset === undefined ? {} : { presets: [preset] }) })
  const started = await core.drafts.start({ split: false, grace: 0 })
  if (!started.ok) throw new Error('The draft was not started.')
}

const waitingFor = ({ outbox }: AppState) =>
  outbox.map(({ name, state }) => `${name} ${state.kind === 'waiting' ? state.because : state.kind}`)

const idsOf = (name: string, outbox: AppState['outbox']) =>
  outbox.filter((entry) => entry.name === name).map(({ id }) => id)

/** Resolves with the record of this file's job. */
async function endOf(core: Core, name: string): Promise<PartDetails> {
  for (;;) {
    const record = await nextEnd(core)
    if (record.name === name) return record
  }
}

describe('without a power supply', () => {
  it('the job that the user starts anyway runs, and no other', async () => {
    const { core, folder } = await openOn(onBattery())
    for (const name of ['one.jpg', 'three.jpg']) await submit(core, await photoIn(folder, name))
    const { outbox } = await stateWhen(core, (state) => state.outbox.length === 2)
    const ended = endOf(core, 'three.jpg')
    core.quiet.startAnyway(idsOf('three.jpg', outbox))
    expect((await ended).outcome).toMatchObject({ kind: 'done' })
    expect(waitingFor(core.state.get())).toEqual(['one.jpg power'])
    const last = endOf(core, 'one.jpg')
    core.quiet.startAnyway(null)
    expect((await last).outcome).toMatchObject({ kind: 'done' })
  })
})

const onBattery = () => scriptedComputer({ power: 'battery' })

it('thousands of jobs that a command starts anyway are stored together', async () => {
  const { waits, release } = countWaits()
  onTestFinished(release)
  const core = await openUntilEnd(temporaryFolder(), timing, onBattery())
  const plans = Array.from({ length: 50 }, (_, n) => planOfFiles([`/in/${n}.jpg`]))
  const ids = (await core.outbox.enqueue(plans)).map(({ id }) => id)
  const before = waits()
  core.quiet.startAnyway(ids)
  expect(waits() - before).toBe(1)
  expect(core.outbox.exempt.all().toSorted()).toEqual(ids.toSorted())
})

describeInLongSuite('a job that the user started anyway', () => {
  it('still runs after a restart if it hasn’t been sent, and no other does', async () => {
    const folder = temporaryFolder()
    const first = await openUntilEnd(folder, timing, onBattery())
    first.settings.update({ quiet: { ...first.settings.view().quiet, plugged: true } })
    for (const name of ['one.jpg', 'three.jpg']) await submit(first, await photoIn(folder, name))
    const { outbox } = await stateWhen(first, (state) => state.outbox.length === 2)
    first.quiet.startAnyway(idsOf('three.jpg', outbox))
    await first.close()

    const core = await openUntilEnd(folder, timing, onBattery())
    const ended = endOf(core, 'three.jpg')
    await useBuiltIn(core)
    expect((await ended).outcome).toMatchObject({ kind: 'done' })
    expect(waitingFor(core.state.get())).toEqual(['one.jpg power'])
  })
})

const TICKS_PER_SECOND = 100

/** CPU time of a process in clock ticks. */
function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return user + system
}

/** The worker that processes a video into this folder, whether or not a sandbox is between it and the service. */
function workerFor(folder: string): number {
  const found = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      return (
        /worker\.(js|ts)/.test(command) && command.startsWith(process.execPath) && command.includes(folder)
      )
    } catch {
      return false
    }
  })
  return Math.max(...found.map(Number))
}

describe.skipIf(process.platform !== 'linux')('a video that is being encoded', () => {
  it('stops using the CPU without a power supply, continues automatically, and becomes the same file', async () => {
    const computer = scriptedComputer()
    const { core, folder } = await openOn(computer)
    const path = join(folder, 'long.mp4')
    await makeClip(path, { width: 640, height: 360, times: evenTimes(500, 25), codec: 'mpeg4' })
    // MP4, because Matroska files have a random ID.
    const preset = 'Web 720p'
    await submit(core, path, 'video', preset)
    await stateWhen(core, ({ jobs }) => (jobs[0]?.progress.share ?? 0) > 0.02)
    const worker = workerFor(folder)
    const atLoss = ticksOf(worker)
    computer.set({ power: 'battery' })
    const held = await stateWhen(core, ({ jobs }) => jobs[0]?.held !== undefined)
    expect(held.jobs[0]).toMatchObject({ held: { reason: 'power' }, progress: { timeLeft: null } })

    // The frames that were already under way take a moment. CPU time is measured over a second, because 2 % of that is 2 ticks.
    const inASecond = async () => {
      const before = [ticksOf(worker), core.state.get().jobs[0]?.progress.share] as const
      await setTimeout(1_000)
      return {
        isIdle: ticksOf(worker) - before[0] <= 2,
        isSame: core.state.get().jobs[0]?.progress.share === before[1],
      }
    }
    await expect.poll(inASecond, { timeout: 30_000 }).toEqual({ isIdle: true, isSame: true })
    // It has stopped within two seconds of CPU time. A busy machine stretches the time on the clock.
    expect(ticksOf(worker) - atLoss).toBeLessThan(2 * TICKS_PER_SECOND)

    const first = endOf(core, 'long.mp4')
    computer.set({ power: 'mains' })
    const paused = await first
    expect(paused.outcome).toMatchObject({ kind: 'done', results: 1 })
    const second = endOf(core, 'long.mp4')
    await submit(core, path, 'video', preset)
    const results = [paused, await second].map(({ results: [result] }) => result?.outputPath ?? '')
    const [one, other] = await Promise.all(results.map((result) => readFile(result)))
    expect(one?.length).toBeGreaterThan(1_000)
    expect(other?.equals(one ?? Buffer.alloc(0))).toBe(true)
  })
})
