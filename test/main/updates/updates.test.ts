import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppUpdater } from 'electron-updater'
import { expect, it, onTestFinished } from 'vitest'
import type { UpdateState } from '../../../src/shared/model/app-state.ts'
import { createUpdates, lastCheckIn, type Updater } from '../../../src/main/updates/updates.ts'

/** The real one fits the shape: this has to compile. */
export const fits = (real: AppUpdater): Updater => real

const DAY = 24 * 60 * 60 * 1000
const failure = (message: string, code?: string) => Object.assign(new Error(message), { code })

/** Time that a test moves on. */
function simulatedTime() {
  let now = 1_000_000_000_000
  let timers: { at: number; run: () => void }[] = []
  return {
    clock: () => now,
    after(ms: number, run: () => void) {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => void (timers = timers.filter((one) => one !== timer))
    },
    async pass(ms: number) {
      const end = now + ms
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (next === undefined) break
        now = next.at
        timers = timers.filter((one) => one !== next)
        next.run()
        await settled()
      }
      now = end
    },
  }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

function setUp(start: { offered?: string | null; busy?: boolean; enabled?: boolean } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-updates-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const time = simulatedTime()
  const seen: UpdateState[] = []
  const world = {
    offered: start.offered ?? null,
    busy: start.busy ?? false,
    enabled: start.enabled ?? true,
    checks: 0,
    downloads: 0,
    installs: 0,
    onCheck: () => {},
    checkFails: undefined as Error | undefined,
    downloadFails: undefined as Error | undefined,
  }
  const events = new EventEmitter()
  const updater: Updater = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    checkForUpdates() {
      world.checks += 1
      world.onCheck()
      if (world.checkFails !== undefined) return Promise.reject(world.checkFails)
      return Promise.resolve({
        isUpdateAvailable: world.offered !== null,
        updateInfo: { files: [], version: world.offered ?? '1.0.0' },
      })
    },
    downloadUpdate() {
      world.downloads += 1
      if (world.downloadFails !== undefined) {
        events.emit('error', world.downloadFails)
        return Promise.reject(world.downloadFails)
      }
      events.emit('download-progress', { percent: 50 })
      events.emit('update-downloaded', { version: world.offered ?? '' })
      return Promise.resolve([])
    },
    quitAndInstall: () => void (world.installs += 1),
    on: events.on.bind(events),
  }
  const file = join(folder, 'last-update-check')
  const open = () => {
    const updates = createUpdates({
      updater,
      lastCheck: lastCheckIn(file),
      isEnabled: () => world.enabled,
      isBusy: () => world.busy,
      onChange: (state) => seen.push(state),
      timing: time,
      log: () => {},
    })
    onTestFinished(() => updates.close())
    return updates
  }
  return { time, world, updater, events, seen, open, file }
}

it('a new version is looked for at most once a day, also across restarts', async () => {
  const { time, world, open } = setUp()
  const first = open()
  await time.pass(DAY / 2)
  expect(world.checks).toBe(1)
  first.close()
  open()
  await time.pass(DAY / 4)
  expect(world.checks).toBe(1)
  await time.pass(DAY)
  expect(world.checks).toBe(2)
})

it('a clock that was in the future, or a file that says nothing, does not stop the checks for ever', async () => {
  const { time, world, open, file } = setUp()
  writeFileSync(file, String(time.clock() + 400 * DAY))
  const updates = open()
  await time.pass(DAY / 4)
  expect(world.checks).toBe(1)
  updates.close()
  writeFileSync(file, 'nonsense')
  open()
  await time.pass(DAY / 4)
  expect(world.checks).toBe(2)
})

it('nothing is looked for while there is work; it is when that is over', async () => {
  const { time, world, open } = setUp({ busy: true })
  const updates = open()
  await time.pass(2 * DAY)
  expect(updates.checkNow()).toBe(false)
  expect(world.checks).toBe(0)
  world.busy = false
  updates.refresh()
  expect(world.checks).toBe(1)
})

it('nothing is looked for when it is switched off, unless the person asks', async () => {
  const { time, world, open } = setUp({ enabled: false })
  const updates = open()
  await time.pass(3 * DAY)
  expect(world.checks).toBe(0)
  expect(updates.checkNow()).toBe(true)
  expect(world.checks).toBe(1)
})

it('a new version is downloaded and offered, and installed only when the person says so', async () => {
  const { time, world, updater, seen, open } = setUp({ offered: '2.0.0' })
  const updates = open()
  expect([updater.autoDownload, updater.autoInstallOnAppQuit]).toEqual([false, false])
  await time.pass(DAY / 2)
  expect(seen.map(({ status }) => status)).toEqual([
    'checking',
    'available',
    'downloading',
    'downloading',
    'ready',
  ])
  expect(seen[3]).toEqual({ status: 'downloading', version: '2.0.0', share: 0.5 })
  await time.pass(3 * DAY)
  expect(world).toMatchObject({ checks: 1, installs: 0 })
  world.busy = true
  expect(updates.install()).toBe(false)
  world.busy = false
  expect(updates.install()).toBe(true)
  expect(world.installs).toBe(1)
})

it('a version that was found while work began is downloaded when the work is over', async () => {
  const { time, world, open } = setUp({ offered: '2.0.0' })
  world.onCheck = () => void (world.busy = true)
  const updates = open()
  await time.pass(DAY / 2)
  expect(updates.state()).toEqual({ status: 'available', version: '2.0.0' })
  expect(world.downloads).toBe(0)
  world.busy = false
  updates.refresh()
  await settled()
  expect(updates.state().status).toBe('ready')
})

it.each([
  failure('New version 2.0.0 is not signed by the application owner', 'ERR_UPDATER_INVALID_SIGNATURE'),
  failure('sha512 checksum mismatch, expected a, got b', 'ERR_CHECKSUM_MISMATCH'),
  failure('Code signature at URL file:///x did not pass validation'),
])('a bad signature is said, stays said through later failures, and is not installed: %s', async (error) => {
  const { time, world, seen, open } = setUp({ offered: '2.0.0' })
  world.downloadFails = error
  const updates = open()
  await time.pass(DAY / 2)
  const said = { status: 'failed', reason: 'badSignature', detail: error.message }
  expect(updates.state()).toEqual(said)
  expect(updates.install()).toBe(false)
  world.checkFails = failure('net::ERR_INTERNET_DISCONNECTED')
  await time.pass(DAY)
  expect(world.checks).toBe(2)
  expect(updates.state()).toEqual(said)
  world.checkFails = undefined
  world.offered = null
  await time.pass(DAY)
  expect(updates.state()).toEqual({ status: 'idle' })
  expect(seen.filter(({ status }) => status === 'failed').length).toBeGreaterThan(0)
})

it('a signature that macOS refuses after the download takes the offer back', async () => {
  const { time, events, open } = setUp({ offered: '2.0.0' })
  const updates = open()
  await time.pass(DAY / 2)
  expect(updates.state().status).toBe('ready')
  events.emit('error', failure('Code signature at URL file:///x did not pass validation'))
  expect(updates.state()).toMatchObject({ status: 'failed', reason: 'badSignature' })
  expect(updates.install()).toBe(false)
})

it.each([
  [failure('getaddrinfo ENOTFOUND updates.example', 'ENOTFOUND'), 'notReachable'],
  [failure('Cannot parse update info', 'ERR_UPDATER_INVALID_UPDATE_INFO'), 'other'],
] as const)('a check that fails is tried again the next day: %s', async (error, reason) => {
  const { time, world, open } = setUp()
  world.checkFails = error
  const updates = open()
  await time.pass(DAY / 2)
  expect(updates.state()).toMatchObject({ status: 'failed', reason })
  expect(world.checks).toBe(1)
  world.checkFails = undefined
  await time.pass(DAY)
  expect(updates.state()).toEqual({ status: 'idle' })
})
