import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppUpdater } from 'electron-updater'
import { expect, it } from 'vitest'
import type { UpdateState } from '../../../src/shared/model/app-state.ts'
import { createUpdates, lastCheckIn, type Updater } from '../../../src/main/updates/updates.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'

/** Type check: the real updater must match the interface. */
export const fits = (real: AppUpdater): Updater => real

const failure = (message: string, code?: string) => Object.assign(new Error(message), { code })

/** Virtual time that a test advances. */
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
    /** Forgets all timers, as the end of the app does. */
    restart: () => void (timers = []),
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
  const time = simulatedTime()
  const seen: UpdateState[] = []
  const world = {
    offered: start.offered ?? null,
    busy: start.busy ?? false,
    enabled: start.enabled ?? true,
    checks: 0,
    downloads: 0,
    installs: 0,
    installing: [] as boolean[],
    onCheck: () => {},
    onInstall: () => {},
    prepare: (_file: string) => Promise.resolve(),
    checkFails: undefined as Error | undefined,
    downloadFails: undefined as Error | undefined,
  }
  const events = new EventEmitter()
  const updater: Updater = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    autoRunAppAfterInstall: false,
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
      events.emit('update-downloaded', { version: world.offered ?? '', downloadedFile: '/cache/update' })
      return Promise.resolve([])
    },
    quitAndInstall() {
      world.installs += 1
      world.onInstall()
    },
    on: events.on.bind(events),
  }
  const file = join(temporaryFolder(), 'last-update-check')
  const open = () =>
    createUpdates({
      updater,
      startsItself: true,
      lastCheck: lastCheckIn(file),
      isEnabled: () => world.enabled,
      isBusy: () => world.busy,
      onChange: (state) => seen.push(state),
      prepare: (download) => world.prepare(download),
      onInstalling: (isInstalling) => world.installing.push(isInstalling),
      quitForInstaller: () => {},
      timing: time,
      log: () => {},
    })
  return { time, world, updater, events, seen, state: () => seen.at(-1), open, file }
}

it('checks for a new version no more than once a day, even across restarts', async () => {
  const { time, world, open } = setUp()
  open()
  await time.pass(DAY_MS / 2)
  expect(world.checks).toBe(1)
  time.restart()
  open()
  await time.pass(DAY_MS / 4)
  expect(world.checks).toBe(1)
  await time.pass(DAY_MS)
  expect(world.checks).toBe(2)
})

it('a last check in the future, or an invalid file, does not block checks forever', async () => {
  const { time, world, open, file } = setUp()
  writeFileSync(file, String(time.clock() + 400 * DAY_MS))
  open()
  await time.pass(DAY_MS / 4)
  expect(world.checks).toBe(1)
  time.restart()
  writeFileSync(file, 'nonsense')
  open()
  await time.pass(DAY_MS / 4)
  expect(world.checks).toBe(2)
})

it('doesn’t check while jobs are running, but does so when they have ended', async () => {
  const { time, world, open } = setUp({ busy: true })
  const updates = open()
  await time.pass(2 * DAY_MS)
  expect(updates.checkNow()).toBe(false)
  expect(world.checks).toBe(0)
  world.busy = false
  updates.refresh()
  expect(world.checks).toBe(1)
})

it('doesn’t check when switched off, except on request', async () => {
  const { time, world, open } = setUp({ enabled: false })
  const updates = open()
  await time.pass(3 * DAY_MS)
  expect(world.checks).toBe(0)
  expect(updates.checkNow()).toBe(true)
  expect(world.checks).toBe(1)
})

it('a new version is downloaded and offered, and installed only on request', async () => {
  const { time, world, updater, events, seen, open } = setUp({ offered: '2.0.0' })
  const updates = open()
  expect([updater.autoDownload, updater.autoInstallOnAppQuit]).toEqual([false, false])
  await time.pass(DAY_MS / 2)
  expect(seen.map(({ status }) => status)).toEqual([
    'checking',
    'available',
    'downloading',
    'downloading',
    'ready',
  ])
  expect(seen[3]).toEqual({ status: 'downloading', version: '2.0.0', share: 0.5 })
  await time.pass(3 * DAY_MS)
  expect(world).toMatchObject({ checks: 1, installs: 0 })
  world.busy = true
  expect(await updates.install()).toBe(false)
  world.busy = false
  const attempts = [updates.install(), updates.install()]
  await settled()
  expect(world).toMatchObject({ installs: 1, installing: [true] })
  // For example, the user has canceled the password dialog.
  events.emit('error', new Error('Command pkexec exited with code 126'))
  expect(await Promise.all(attempts)).toEqual([true, true])
  expect(world.installing).toEqual([true, false])
})

it.each<[string, (world: ReturnType<typeof setUp>['world'], events: EventEmitter) => void]>([
  ['can’t be prepared', (world) => (world.prepare = () => Promise.reject(failure('full', 'ENOSPC')))],
  [
    'can’t be started',
    (world) =>
      (world.onInstall = () => {
        throw new Error('no permission')
      }),
  ],
  ['fails at once', (world, events) => (world.onInstall = () => events.emit('error', new Error('no mv')))],
  [
    'fails later',
    (world, events) => (world.onInstall = () => setImmediate(() => events.emit('error', new Error('no mv')))),
  ],
])('an installation that %s is reported and can be requested again', async (_, breakIt) => {
  const { time, world, events, state, open } = setUp({ offered: '2.0.0' })
  const { prepare, onInstall } = world
  const updates = open()
  await time.pass(DAY_MS / 2)
  breakIt(world, events)
  expect(await updates.install()).toBe(true)
  expect(state()?.status).toBe('failed')
  expect(world.installing.filter(Boolean).length).toBe(world.installing.length / 2)
  Object.assign(world, { prepare, onInstall, installs: 0 })
  updates.checkNow()
  await settled()
  void updates.install()
  await settled()
  expect(world.installs).toBe(1)
})

it('a version found just as a job starts is downloaded when the job has ended', async () => {
  const { time, world, state, open } = setUp({ offered: '2.0.0' })
  world.onCheck = () => void (world.busy = true)
  const updates = open()
  await time.pass(DAY_MS / 2)
  expect(state()).toEqual({ status: 'available', version: '2.0.0' })
  expect(world.downloads).toBe(0)
  world.busy = false
  updates.refresh()
  await settled()
  expect(state()?.status).toBe('ready')
})

it.each([
  failure('New version 2.0.0 is not signed by the application owner', 'ERR_UPDATER_INVALID_SIGNATURE'),
  failure('sha512 checksum mismatch, expected a, got b', 'ERR_CHECKSUM_MISMATCH'),
  failure('Code signature at URL file:///x did not pass validation'),
])(
  'a bad signature is reported, remains visible through later failures, and is not installed: %s',
  async (error) => {
    const { time, world, seen, state, open } = setUp({ offered: '2.0.0' })
    world.downloadFails = error
    const updates = open()
    await time.pass(DAY_MS / 2)
    const said = { status: 'failed', reason: 'badSignature', detail: error.message }
    expect(state()).toEqual(said)
    expect(await updates.install()).toBe(false)
    world.checkFails = failure('net::ERR_INTERNET_DISCONNECTED')
    await time.pass(DAY_MS)
    expect(world.checks).toBe(2)
    expect(state()).toEqual(said)
    world.checkFails = undefined
    world.offered = null
    await time.pass(DAY_MS)
    expect(state()).toEqual({ status: 'idle' })
    expect(seen.filter(({ status }) => status === 'failed').length).toBeGreaterThan(0)
  },
)

it('an update whose signature macOS refuses after the download is no longer offered', async () => {
  const { time, events, state, open } = setUp({ offered: '2.0.0' })
  const updates = open()
  await time.pass(DAY_MS / 2)
  expect(state()?.status).toBe('ready')
  events.emit('error', failure('Code signature at URL file:///x did not pass validation'))
  expect(state()).toMatchObject({ status: 'failed', reason: 'badSignature' })
  expect(await updates.install()).toBe(false)
})

it.each([
  [failure('getaddrinfo ENOTFOUND updates.example', 'ENOTFOUND'), 'notReachable'],
  [failure('ENOSPC: no space left on device, write', 'ENOSPC'), 'diskFull'],
  [failure('Cannot parse update info', 'ERR_UPDATER_INVALID_UPDATE_INFO'), 'other'],
] as const)('a failed check is repeated the next day: %s', async (error, reason) => {
  const { time, world, state, open } = setUp()
  world.checkFails = error
  open()
  await time.pass(DAY_MS / 2)
  expect(state()).toMatchObject({ status: 'failed', reason })
  expect(world.checks).toBe(1)
  world.checkFails = undefined
  await time.pass(DAY_MS)
  expect(state()).toEqual({ status: 'idle' })
})
