/** The real electron-updater: for macOS on an imitation of Squirrel, for Windows without a working installer, and for an AppImage on a full disk. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire, Module } from 'node:module'
import { join } from 'node:path'
import type * as ElectronUpdater from 'electron-updater'
import type { AppUpdater } from 'electron-updater'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  createSquirrelFetch,
  createUpdates,
  lastCheckIn,
  requireRoom,
  type Squirrel,
} from '../../../src/main/updates/index.ts'
import { listenUntilEnd } from '../../listen-until-end.ts'
import { systemTiming, type Timing } from '../../../src/node/timing.ts'
import type { UpdateState } from '../../../src/shared/model/app-state.ts'
import { createAutoUpdater } from '../../stand-in/electron/auto-updater.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

const load = createRequire(import.meta.url)
/** Larger than the disk of the AppImage below. */
const UPDATE = `#!/bin/sh\n${'#'.repeat(2_000_000)}\n`
const SHA512 = createHash('sha512').update(UPDATE).digest('base64')

async function serveUpdate(name: string): Promise<string> {
  const file = `url: ${name}\n    sha512: ${SHA512}\n    size: ${UPDATE.length}`
  const latest = `version: 2.0.0\nfiles:\n  - ${file}\npath: ${name}\nsha512: ${SHA512}\n`
  const server = createServer((request, response) => {
    // On Linux, electron-updater reads the feed for Linux.
    if (request.url?.startsWith('/latest')) response.end(latest)
    else if (request.url === `/${name}`) response.end(UPDATE)
    else response.writeHead(404).end()
  })
  return `${await listenUntilEnd(server)}/`
}

/** electron-updater's requests, which Electron would make. */
const httpExecutor = {
  request: async ({ hostname, port, path }: { hostname: string; port: string; path: string }) =>
    (await fetch(`http://${hostname}:${port}${path}`)).text(),
  async download(url: URL, file: string) {
    writeFileSync(file, Buffer.from(await (await fetch(url)).arrayBuffer()))
  },
}

/** Returns one of electron-updater's classes, which gets `electron` instead of Electron. */
function realUpdater(
  name: 'MacUpdater' | 'AppImageUpdater' | 'NsisUpdater',
  electron: object,
  url: string,
  quit: () => void = () => {},
): AppUpdater {
  const path = load.resolve('electron')
  const before = load.cache[path]
  load.cache[path] = Object.assign(new Module(path), { exports: electron, loaded: true })
  onTestFinished(() => {
    if (before === undefined) Reflect.deleteProperty(load.cache, path)
    else load.cache[path] = before
  })
  const folder = temporaryFolder()
  const app = {
    version: '1.0.0',
    name: 'Mediatray',
    isPackaged: true,
    appUpdateConfigPath: join(folder, 'app-update.yml'),
    userDataPath: folder,
    baseCachePath: folder,
    whenReady: () => Promise.resolve(),
    quit,
    onQuit: () => {},
  }
  writeFileSync(app.appUpdateConfigPath, 'updaterCacheDirName: cache\n')
  const { [name]: Class } = load(`electron-updater/out/${name}.js`) as typeof ElectronUpdater
  const updater = Object.assign(new Class(null as never, app as never), { httpExecutor })
  updater.logger = null
  updater.disableDifferentialDownload = true
  updater.setFeedURL({ provider: 'generic', url })
  return updater
}

/** Downloads an update, and returns it with what becomes of it. */
async function download(
  updater: AppUpdater,
  prepare: (file: string) => Promise<void>,
  quitForInstaller: () => void = () => {},
) {
  const world = {
    busy: false,
    installing: [] as boolean[],
    state: undefined as UpdateState | undefined,
  }
  const updates = createUpdates({
    updater,
    startsItself: true,
    lastCheck: lastCheckIn(join(temporaryFolder(), 'last')),
    isEnabled: () => true,
    isBusy: () => world.busy,
    onChange: (state) => (world.state = state),
    prepare,
    onInstalling: (isInstalling) => world.installing.push(isInstalling),
    quitForInstaller,
    timing: { clock: () => 0, after: () => () => {} },
    log: () => {},
  })
  updates.checkNow()
  await expect.poll(() => world.state).toMatchObject({ status: 'ready' })
  return { world, updates }
}

async function downloadOnMac(timing: Pick<Timing, 'after'> = systemTiming) {
  const feed = await serveUpdate('app.zip')
  let quits = 0
  const { autoUpdater } = createAutoUpdater({
    windows: () => [],
    quit: () => void (quits += 1),
    platform: () => 'darwin',
  })
  const squirrel = autoUpdater as unknown as EventEmitter & Squirrel
  const updater = realUpdater('MacUpdater', { autoUpdater: squirrel }, feed)
  return { ...(await download(updater, createSquirrelFetch(squirrel, timing))), squirrel, quits: () => quits }
}

it('an update on macOS quits the app once Squirrel has it', async () => {
  const { world, updates, quits } = await downloadOnMac()
  void updates.install()
  await expect.poll(quits).toBe(1)
  expect(world.installing).toEqual([true])
})

itInLongSuite(
  'an update on macOS doesn’t quit the app if a job was started while Squirrel fetched it, and does so on the next request',
  async () => {
    const { world, updates, squirrel, quits } = await downloadOnMac()
    let fetches = 0
    squirrel.on('update-downloaded', () => (fetches += 1))
    const installing = updates.install()
    world.busy = true
    expect(await installing).toBe(false)
    expect(quits()).toBe(0)
    expect(world).toMatchObject({ installing: [], state: { status: 'ready' } })
    world.busy = false
    void updates.install()
    await expect.poll(quits).toBe(1)
    expect(fetches).toBe(1)
  },
)

itInLongSuite.each([
  ['finds no update', 'update-not-available'],
  ['refuses the update', 'error'],
])('an update on macOS can be requested again after Squirrel %s', async (_, event) => {
  const { world, updates, squirrel, quits } = await downloadOnMac()
  vi.spyOn(squirrel, 'checkForUpdates').mockImplementationOnce(
    () => void squirrel.emit(event, new Error('did not pass validation')),
  )
  expect(await updates.install()).toBe(true)
  expect(quits()).toBe(0)
  expect(world).toMatchObject({ installing: [], state: { status: 'failed' } })
  updates.checkNow()
  await expect.poll(() => world.state).toMatchObject({ status: 'ready' })
  void updates.install()
  await expect.poll(quits).toBe(1)
})

itInLongSuite(
  'an update on macOS fails if Squirrel doesn’t respond, and can be requested again',
  async () => {
    const limits: (() => void)[] = []
    const { updates, world, squirrel, quits } = await downloadOnMac({
      after: (_ms, run) => {
        limits.push(run)
        return () => {}
      },
    })
    vi.spyOn(squirrel, 'checkForUpdates').mockImplementationOnce(() => limits[0]?.())
    expect(await updates.install()).toBe(true)
    const detail = 'Squirrel didn’t respond within 10 minutes'
    expect(world.state).toMatchObject({ status: 'failed', reason: 'other', detail })
    updates.checkNow()
    await expect.poll(() => world.state).toMatchObject({ status: 'ready' })
    void updates.install()
    await expect.poll(quits).toBe(1)
  },
)

itInLongSuite(
  'an update on Windows doesn’t quit the app if its installer can’t be started, and can be requested again',
  async () => {
    Object.defineProperty(process, 'resourcesPath', { value: temporaryFolder(), configurable: true })
    onTestFinished(() => void Reflect.deleteProperty(process, 'resourcesPath'))
    let quits = 0
    const quit = () => void (quits += 1)
    const electron = { autoUpdater: new EventEmitter() }
    const updater = realUpdater('NsisUpdater', electron, await serveUpdate('Mediatray.exe'), quit)
    let installer = ''
    const { world, updates } = await download(updater, async (file) => void (installer = file), quit)
    expect(await updates.install()).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(quits).toBe(0)
    expect(world).toMatchObject({ installing: [true, false], state: { status: 'failed' } })
    updates.checkNow()
    await expect.poll(() => world.state).toMatchObject({ status: 'ready' })
    chmodSync(installer, 0o755)
    void updates.install()
    await expect.poll(() => quits).toBe(1)
  },
)

const canMount = process.platform === 'linux' && process.getuid?.() === 0

it.runIf(canMount)('an AppImage is kept if its disk has no room for the new one', async () => {
  const disk = join(temporaryFolder(), 'disk')
  mkdirSync(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk])
  onTestFinished(() => void execFileSync('umount', ['--lazy', disk]))
  const appImage = join(disk, 'Mediatray.AppImage')
  writeFileSync(appImage, 'the old one')
  process.env['APPIMAGE'] = appImage
  onTestFinished(() => void delete process.env['APPIMAGE'])
  const updater = realUpdater('AppImageUpdater', {}, await serveUpdate('Mediatray.AppImage'))
  const { world, updates } = await download(updater, (file) => requireRoom(appImage, file))
  expect(await updates.install()).toBe(true)
  expect(world.state).toEqual({ status: 'failed', reason: 'diskFull', detail: disk })
  expect(readFileSync(appImage, 'utf8')).toBe('the old one')
})
