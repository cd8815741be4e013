/** A full disk under outbox and history: nothing is lost, and people are told for as long as it is so (points 8 and 9). */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fastTiming, run, temporaryFolder } from '../main/cli/command.ts'
import { KEY, scriptedService, type Reading } from '../main/cli/scripted-service.ts'
import { takeOverDisk, type DiskControl } from './model/failing-disk.ts'
import { createWorld, type World } from './model/world.ts'

const noticesOf = (world: World) =>
  world
    .core()
    ?.state.get()
    .notices.map(({ kind }) => kind)

function newWorld(): World {
  const world = createWorld()
  onTestFinished(() => world.close())
  world.start()
  return world
}

test('a start that can’t be written is said to fail, and the notice goes by itself when there is room again', async () => {
  const world = newWorld()
  world.disk.full = true
  expect(world.act((core) => core.outbox.tryWriting())).toBeUndefined()
  expect(noticesOf(world)).toEqual(['diskFull'])
  world.disk.full = false
  await world.time.advance(11_000)
  expect(noticesOf(world)).toEqual([])
})

test('an outcome that can’t be written is said, and written when there is room again', async () => {
  const world = newWorld()
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
})

/** A command whose disk is full from the first reading of its job on. */
async function submitOntoFullDisk(becomesFree: boolean) {
  const control: DiskControl = { full: false, writesToLive: null, onDeath: () => undefined }
  const disk = takeOverDisk(control)
  let readings = 0
  const reading = (): Reading => {
    if (service.created.length > 0) readings += 1
    control.full = readings > 0 && (!becomesFree || readings < 4)
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
    const ran = await run(argv, { env, timing: fastTiming() })
    return { code: ran.code, events: ran.events, made: service.created.length }
  } finally {
    disk.release()
    await service.close()
  }
}

const words = expect.stringContaining('The disk is full')

test('a command that waits says it, and goes on when there is room again', async () => {
  const { code, events, made } = await submitOntoFullDisk(true)
  expect(events).toContainEqual({ event: 'notice', message: words })
  expect(events.at(-1)).toMatchObject({ event: 'finished', outcome: { kind: 'done' } })
  expect([code, made]).toEqual([0, 1])
})

test('a command that waits ends with a code of its own where there is no room for long', async () => {
  const { code, events, made } = await submitOntoFullDisk(false)
  expect(events).toContainEqual({ event: 'notice', message: words })
  expect(code).toBe(7)
  expect(made).toBe(1)
})

test('a command that can’t write down what it was given says so and ends with that code', async () => {
  const control: DiskControl = { full: false, writesToLive: null, onDeath: () => undefined }
  const disk = takeOverDisk(control)
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
