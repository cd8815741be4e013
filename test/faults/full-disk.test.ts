/**
 * A full disk under the outbox and history: nothing is lost, and the app shows a warning until there is space (points 8 and 9).
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fastTiming, run } from '../main/cli/command.ts'
import { KEY, scriptedService, type Reading } from '../main/cli/scripted-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { itInLongSuite } from './long-suite.ts'
import { controlDisk, type DiskControl } from './model/failing-disk.ts'
import { createWorld, type World } from './model/world.ts'

const noticesOf = (world: World) =>
  world
    .core()
    ?.state.get()
    .notices.map(({ kind }) => kind)

async function newWorld(): Promise<World> {
  const world = createWorld()
  onTestFinished(() => world.close())
  await world.start()
  return world
}

test('the app shows a notice when it can’t write to the outbox, and removes the notice when there is space again', async () => {
  const world = await newWorld()
  world.disk.full = true
  expect(world.act((core) => core.outbox.tryWriting())).toBeUndefined()
  expect(noticesOf(world)).toEqual(['diskFull'])
  world.disk.full = false
  await world.time.advance(11_000)
  expect(noticesOf(world)).toEqual([])
})

itInLongSuite(
  'the app reports an outcome that can’t be written, and writes it when there is space again',
  async () => {
    const world = await newWorld()
    await world.submit()
    await world.time.advance(1_000)
    world.disk.full = true
    world.service.work()
    await world.time.advance(120_000)
    expect(noticesOf(world)).toEqual(['diskFull'])
    world.disk.full = false
    await world.time.advance(120_000)
    expect(noticesOf(world)).toEqual([])
    const records = world.core()?.history.page({}, { offset: 0, limit: 10 }).records
    expect(records?.map(({ outcome }) => outcome?.kind)).toEqual(['done'])
    expect(world.service.made).toHaveLength(1)
  },
)

/**
 * Runs a command whose disk fills up the first time the command reads its job.
 * @param isFull whether the disk is still full, given the number of reads and the ms since the first one
 */
async function submitOntoFullDisk(isFull: (readings: number, since: number) => boolean, errcode = 13) {
  const control: DiskControl = { full: false, errcode, writesToLive: null, onDeath: () => undefined }
  const disk = controlDisk(control)
  const timing = fastTiming(20)
  let readings = 0
  let began = 0
  const reading = (): Reading => {
    if (service.created.length > 0) readings += 1
    if (readings === 1) began = timing.monotonic()
    control.full = readings > 0 && isFull(readings, timing.monotonic() - began)
    return { status: 'completed', result: { outputPath: '/o/harbour.jpg' } }
  }
  const service = await scriptedService({ reading })
  const data = join(temporaryFolder(), 'data')
  mkdirSync(data)
  const photo = join(data, 'harbour.jpg')
  writeFileSync(photo, 'x')
  try {
    const env = { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data }
    const argv = ['submit', photo, '--wait', '--json', '--base-url', service.baseUrl]
    const ran = await run(argv, { env, timing })
    return { code: ran.code, events: ran.events, made: service.created.length }
  } finally {
    disk.release()
    await service.close()
  }
}

const words = expect.stringContaining('The disk is full')

test('a waiting command reports the full disk and continues when there is space again', async () => {
  const { code, events, made } = await submitOntoFullDisk((readings) => readings < 4)
  expect(events).toContainEqual({ event: 'notice', message: words })
  expect(events.at(-1)).toMatchObject({ event: 'finished', outcome: { kind: 'done' } })
  expect([code, made]).toEqual([0, 1])
})

itInLongSuite(
  'a waiting command exits with a dedicated code if the disk remains full for too long',
  async () => {
    const { code, events, made } = await submitOntoFullDisk(() => true)
    expect(events).toContainEqual({ event: 'notice', message: words })
    expect(code).toBe(7)
    expect(made).toBe(1)
  },
)

const LOCKED = 5
const READ_ONLY = 8
const DISK_ERROR = 10

itInLongSuite.each([
  [LOCKED, 'another program has locked its files'],
  [READ_ONLY, 'it is read-only'],
  [DISK_ERROR, 'the disk reported an error'],
])(
  'a command whose databases can’t be written (SQLite code %i) explains why and exits',
  async (errcode, why) => {
    const { code, events, made } = await submitOntoFullDisk(() => true, errcode)
    const notices = events.filter(({ event }) => event === 'notice')
    expect(notices[0]).toMatchObject({ message: expect.stringContaining(why) })
    expect([code, made]).toEqual([7, 1])
  },
)

itInLongSuite('a command whose databases become writable again explains the wait and continues', async () => {
  const { code, events } = await submitOntoFullDisk((readings) => readings < 4, DISK_ERROR)
  expect(events).toContainEqual({
    event: 'notice',
    message: expect.stringContaining('Couldn’t save Mediatray’s data'),
  })
  expect(events.at(-1)).toMatchObject({ event: 'finished', outcome: { kind: 'done' } })
  expect(code).toBe(0)
})

test('the app shows a notice while its databases can’t be written', async () => {
  const world = await newWorld()
  await world.submit()
  await world.time.advance(1_000)
  world.disk.full = true
  world.disk.errcode = DISK_ERROR
  world.service.work()
  await world.time.advance(120_000)
  expect(world.core()?.state.get().notices).toMatchObject([{ kind: 'dataNotWritten', why: 'failed' }])
  world.disk.full = false
  await world.time.advance(120_000)
  expect(noticesOf(world)).toEqual([])
})

test('a command that can’t store its submission reports that and exits with a dedicated code', async () => {
  const control: DiskControl = { full: false, writesToLive: null, onDeath: () => undefined }
  const disk = controlDisk(control)
  onTestFinished(() => disk.release())
  const service = await scriptedService({
    instead() {
      control.full = true
      return false
    },
  })
  onTestFinished(() => service.close())
  const data = temporaryFolder()
  const photo = join(data, 'harbour.jpg')
  writeFileSync(photo, 'x')
  const env = { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data }
  const ran = await run(['submit', photo, '--json', '--base-url', service.baseUrl], { env })
  expect(ran.events).toEqual([{ event: 'notice', message: words }])
  expect([ran.code, service.created.length]).toEqual([7, 0])
})
