import { getEventListeners } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createAdmission, type Need } from '../../../src/service/processing/admission.ts'

const never = new AbortController().signal
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** @param available memory in bytes, which operations don't change. They may use half of it. */
function setUp(cores: number, available = Infinity) {
  const memory = { available }
  let emptied = 0
  const admission = createAdmission(
    cores,
    () => memory.available,
    () => emptied++,
  )
  const running = new Map<string, () => void>()
  const onHardware: string[] = []
  const short = new Set<string>()
  const reported: string[] = []
  async function enter(name: string, need: Partial<Need> = {}, signal = never) {
    const kind = name.startsWith('video') ? 'video' : 'image'
    const whole = { kind, cores: 1, bytes: 0, isAlone: false, ...need } as const
    const { leave, hasHardware } = await admission.enter(whole, signal, (isShort) => {
      reported.push(`${name}: ${isShort}`)
      if (isShort) short.add(name)
      else short.delete(name)
    })
    running.set(name, leave)
    if (hasHardware) onHardware.push(name)
  }
  function end(name: string) {
    const leave = running.get(name)
    running.delete(name)
    leave?.()
    return turn()
  }
  const enterAll = (names: readonly string[], need?: Partial<Need>) => {
    for (const name of names) void enter(name, need)
    return turn()
  }
  const names = () => [...running.keys()]
  return {
    admission,
    memory,
    enter,
    enterAll,
    end,
    names,
    onHardware,
    short: () => [...short],
    reported,
    emptied: () => emptied,
  }
}

it('never lets operations use more cores together than there are', async () => {
  const { enterAll, end, names } = setUp(16)
  await enterAll(['video 1', 'video 2', 'video 3', 'video 4', 'video 5'], { cores: 4 })
  expect(names()).toEqual(['video 1', 'video 2', 'video 3', 'video 4'])
  await enterAll(['photo'])
  expect(names()).toHaveLength(4)
  await end('video 2')
  expect(names()).toEqual(['video 1', 'video 3', 'video 4', 'photo'])
  await end('photo')
  expect(names()).toEqual(['video 1', 'video 3', 'video 4', 'video 5'])
})

it('runs as many videos as share the cores evenly, even if their number of cores is a fraction', async () => {
  for (let cores = 2; cores <= 64; cores++)
    for (let count = 1; count <= cores / 2; count++) {
      const { enterAll, names } = setUp(cores)
      const videos = Array.from({ length: count + 1 }, (_, index) => `video ${index}`)
      await enterAll(videos, { cores: cores / count })
      expect(names()).toHaveLength(count)
    }
})

it('lets one video at a time use the hardware encoder, and the others run in software meanwhile', async () => {
  const { enterAll, end, names, onHardware } = setUp(16)
  await enterAll(['video 1', 'video 2', 'video 3', 'video 4', 'video 5'], { cores: 4, hardwareBytes: 0 })
  expect([names().length, onHardware]).toEqual([4, ['video 1']])
  await end('video 2')
  expect(onHardware).toEqual(['video 1'])
  await enterAll(['video 6'], { cores: 4, hardwareBytes: 0 })
  await end('video 1')
  expect(onHardware).toEqual(['video 1', 'video 6'])
})

it('lets a video use the hardware encoder only if the memory suffices for its trial, or if it runs alone', async () => {
  const { enterAll, end, names, onHardware } = setUp(16, 200)
  await enterAll(['photo'], { bytes: 20 })
  await enterAll(['video 1', 'video 2'], { bytes: 30, hardwareBytes: 60 })
  expect([names(), onHardware]).toEqual([['photo', 'video 1', 'video 2'], []])
  for (const name of names()) await end(name)
  await enterAll(['video 3'], { bytes: 30, hardwareBytes: 60 })
  await enterAll(['video 4'], { bytes: 30 })
  expect([names(), onHardware]).toEqual([['video 3'], ['video 3']])
  await end('video 3')
  await end('video 4')
  await enterAll(['video 5'], { bytes: 300, hardwareBytes: 60 })
  expect(onHardware).toEqual(['video 3', 'video 5'])
})

it('gives photos the cores that videos leave', async () => {
  const { enterAll, names } = setUp(6)
  await enterAll(['video'], { cores: 4 })
  await enterAll(['photo 1', 'photo 2', 'photo 3'])
  expect(names()).toEqual(['video', 'photo 1', 'photo 2'])
})

it('never lets operations use more memory together than allowed, but always lets one run', async () => {
  const { enterAll, end, names } = setUp(16, 200)
  await enterAll(['large 1', 'large 2'], { bytes: 200 })
  expect(names()).toEqual(['large 1'])
  await end('large 1')
  expect(names()).toEqual(['large 2'])
  await end('large 2')
  await enterAll(['1', '2', '3'], { bytes: 50 })
  expect(names()).toEqual(['1', '2'])
})

it('reports which operations wait for memory, but not those that wait for cores', async () => {
  const { enterAll, end, names, short } = setUp(2, 200)
  await enterAll(['1', '2', '3'], { bytes: 60 })
  expect([names(), short()]).toEqual([['1'], ['2', '3']])
  await end('1')
  expect([names(), short()]).toEqual([['2'], ['3']])
  await end('2')
  await enterAll(['4', '5'], { bytes: 10 })
  expect([names(), short()]).toEqual([['3', '4'], []])
})

it('doesn’t report that operations wait for memory that lack cores, or only stand behind one that does', async () => {
  const { enterAll, short } = setUp(4, 200)
  await enterAll(['video 1', 'video 2'], { bytes: 60 })
  await enterAll(['video 3'], { bytes: 60, cores: 4 })
  await enterAll(['video 4'], { bytes: 10 })
  expect(short()).toEqual(['video 2'])
})

it('reports that operations wait for memory while one must run alone', async () => {
  const { enterAll, end, short } = setUp(4)
  await enterAll(['1'])
  await enterAll(['alone'], { isAlone: true })
  await enterAll(['2'])
  expect(short()).toEqual(['alone'])
  await end('1')
  expect(short()).toEqual(['2'])
  await end('alone')
  expect(short()).toEqual([])
})

it('reports at first and after each change, and during a pause that no operation waits for memory', async () => {
  const { admission, enterAll, end, short, reported } = setUp(4, 200)
  await enterAll(['1', '2'], { bytes: 60 })
  expect(reported).toEqual(['1: false', '2: true'])
  admission.hold(true)
  await enterAll(['3'], { bytes: 60 })
  await end('1')
  expect(short()).toEqual([])
  expect(reported.slice(2)).toEqual(['2: false', '3: false'])
  admission.hold(false)
  expect(short()).toEqual(['3'])
})

it('lets no further operation run while other programs need the memory', async () => {
  const { memory, enterAll, end, names } = setUp(16, 200)
  await enterAll(['1', '2', '3'], { bytes: 40 })
  memory.available = 60
  await end('1')
  expect(names()).toEqual(['2'])
  await end('2')
  expect(names()).toEqual(['3'])
})

/** Uses a simulated clock. Returns a function that advances it by one second. */
function simulateSeconds() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  return () => {
    vi.advanceTimersByTime(1_000)
    return turn()
  }
}

/** Operations of one gigabyte each, which they allocate within five seconds, on 16 cores with 40 GB. All sizes are in gigabytes. */
function simulateGrowth() {
  const [need, growth, life, all] = [1, 5_000, 12_000, 40]
  const second = simulateSeconds()
  const since = new Map<number, number>()
  const others = { use: 0 }
  const grown = (at: number) => Math.min(1, (performance.now() - at) / growth) * need
  const available = () => all - others.use - since.values().reduce((sum, at) => sum + grown(at), 0)
  const admission = createAdmission(16, available, () => {})
  async function run(name: number) {
    const { leave } = await admission.enter(
      { kind: 'image', cores: 1, bytes: need, isAlone: false },
      never,
      () => {},
    )
    since.set(name, performance.now())
    setTimeout(() => {
      since.delete(name)
      leave()
    }, life)
  }
  return { second, others, run, available, running: () => since.size }
}

it('leaves memory for one more operation even if operations grow slowly and other programs have allocated much', async () => {
  const { second, others, run, available, running } = simulateGrowth()
  void run(0)
  await second()
  others.use = 31
  for (let index = 1; index <= 30; index++) void run(index)
  let most = 0
  for (let seconds = 0; seconds < 60; seconds++) {
    await second()
    expect(available()).toBeGreaterThanOrEqual(1)
    most = Math.max(most, running())
  }
  expect(most).toBe(8)
})

it('uses all cores while no other program allocates memory, regardless of how fast operations grow', async () => {
  const { second, run, running } = simulateGrowth()
  for (let index = 0; index < 40; index++) void run(index)
  for (let seconds = 0; seconds < 20; seconds++) {
    await second()
    expect(running()).toBe(16)
  }
})

it('lets more operations run once other programs have freed memory, even if no running operation has ended', async () => {
  const second = simulateSeconds()
  const { memory, enterAll, end, names } = setUp(16, 100)
  await enterAll(['1', '2', '3', '4'], { bytes: 50 })
  expect(names()).toEqual(['1'])
  memory.available = 200
  await second()
  expect(names()).toEqual(['1', '2'])
  memory.available = 150
  await end('1')
  expect(names()).toEqual(['2', '3'])
})

it('lets an operation run alone after all others have ended, and empties idle workers first', async () => {
  const { enterAll, end, names, emptied } = setUp(4)
  await enterAll(['1', '2'])
  await enterAll(['alone'], { isAlone: true })
  await enterAll(['3'])
  await end('1')
  expect(names()).toEqual(['2'])
  expect(emptied()).toBe(0)
  await end('2')
  expect(names()).toEqual(['alone'])
  expect(emptied()).toBe(1)
  await end('alone')
  expect(names()).toEqual(['3'])
})

it('forgets an operation that was stopped while it waited, and lets the next one run', async () => {
  const { enter, enterAll, names } = setUp(4)
  await enterAll(['video 1'], { cores: 3 })
  const stop = new AbortController()
  const waiting = enter('video 2', { cores: 4 }, stop.signal)
  await enterAll(['video 3'])
  expect(names()).toEqual(['video 1'])
  stop.abort(new Error('canceled'))
  await expect(waiting).rejects.toThrow('canceled')
  await turn()
  expect(names()).toEqual(['video 1', 'video 3'])
})

it('leaves no listener on the signal of an operation', async () => {
  const { enter } = setUp(4)
  const { signal } = new AbortController()
  await enter('1', {}, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('starts nothing while it is held', async () => {
  const { admission, enterAll, names } = setUp(4)
  admission.hold(true)
  await enterAll(['1'])
  expect(names()).toEqual([])
  admission.hold(false)
  await turn()
  expect(names()).toEqual(['1'])
})
