import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startSelfUpdates } from '../../../src/main/desktop/updates.ts'
import type { Squirrel } from '../../../src/main/updates/index.ts'
import type { Updater } from '../../../src/main/updates/updates.ts'
import { timing } from '../core/open-core.ts'
import { offlineCore } from './offline-core.ts'

/** A feed that offers no new version and counts the checks. */
function nothingNew() {
  const events = new EventEmitter()
  let checks = 0
  const updater: Updater = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    autoRunAppAfterInstall: true,
    checkForUpdates: () => {
      checks += 1
      return Promise.resolve({ isUpdateAvailable: false, updateInfo: { version: '1.0.0', files: [] } })
    },
    downloadUpdate: () => Promise.reject(new Error('there is nothing to download')),
    quitAndInstall: () => {},
    on: events.on.bind(events),
  }
  return { updater, checks: () => checks }
}

type Build = {
  readonly isPackaged?: boolean
  readonly hasFeed?: boolean
  readonly isPortable?: boolean
  readonly platform?: NodeJS.Platform
  /** Null if the file is missing. */
  readonly trust?: object | string | null
  readonly load?: () => Promise<Updater>
}

/** Any valid key: these tests find no update, so nothing is verified with it. */
const TRUST = { signed: true, key: 'MCowBQYDK2VwAyEA' }

async function setUp({
  isPackaged = true,
  hasFeed = true,
  isPortable = false,
  platform = 'linux',
  trust = TRUST,
  load = () => Promise.reject(new Error('not wanted')),
}: Build) {
  const { core, folder, photo } = await offlineCore()
  const logged: unknown[] = []
  let loads = 0
  const works = { core: false, hooks: false }
  if (hasFeed) writeFileSync(join(folder, 'app-update.yml'), 'provider: generic\nurl: http://127.0.0.1:9\n')
  if (trust !== null)
    writeFileSync(
      join(folder, 'update-trust.json'),
      typeof trust === 'string' ? trust : JSON.stringify(trust),
    )
  const updates = startSelfUpdates({
    app: { isPackaged, releaseSingleInstanceLock: () => undefined, requestSingleInstanceLock: () => true },
    isPortable,
    appImage: undefined,
    squirrel: new EventEmitter() as unknown as Squirrel,
    resources: folder,
    platform,
    arch: 'x64',
    fetchBytes: () => Promise.reject(new Error('nothing is fetched')),
    ...core,
    hooks: { ...core.hooks, busy: () => works.hooks },
    busy: () => works.core,
    dataFolder: folder,
    timing,
    loadUpdater: () => {
      loads += 1
      return load()
    },
    onMoved: () => undefined,
    quitForInstaller: () => undefined,
    log: (event, facts) => logged.push([event, facts]),
  })
  await new Promise((resolve) => setImmediate(resolve))
  return { core, photo, updates, logged, works, loads: () => loads }
}

it.each([
  ['was not packaged', { isPackaged: false }],
  ['was packaged without a feed', { hasFeed: false }],
])('a build that %s reports that it has no update source, and doesn’t load the updater', async (_, build) => {
  const { core, updates, loads } = await setUp(build)
  expect(core.state.get().update).toEqual({ status: 'noSource' })
  expect([await updates.check(), await updates.install(), loads()]).toEqual([false, false, 0])
})

it('the portable edition reports that it can’t update itself, and doesn’t load the updater, which would install the other edition', async () => {
  const { core, updates, loads } = await setUp({ isPortable: true })
  expect(core.state.get().update).toEqual({ status: 'portable' })
  expect([await updates.check(), await updates.install(), loads()]).toEqual([false, false, 0])
})

it.each([
  ['whose package lacks the information', { trust: null }],
  ['for macOS without a certificate', { platform: 'darwin', trust: { signed: false, key: null } }],
  ['for Windows without a certificate', { platform: 'win32', trust: { signed: false, key: null } }],
  ['for Linux without a feed key', { trust: { signed: true, key: null } }],
  ['whose package was damaged', { trust: '{' }],
  ['whose package has invalid information', { trust: { signed: 'yes', key: 'of course' } }],
] as const)('an unsigned build %s never updates itself, and reports that', async (_, build) => {
  const { core, updates, loads } = await setUp(build)
  expect(core.state.get().update).toEqual({ status: 'unsigned' })
  expect([await updates.check(), loads()]).toEqual([false, 0])
})

it.each(['darwin', 'win32'] as const)('a signed build for %s checks for updates', async (platform) => {
  const source = nothingNew()
  const trust = { signed: true, key: null }
  const { updates } = await setUp({ platform, trust, load: () => Promise.resolve(source.updater) })
  expect(await updates.check()).toBe(true)
})

it('checks for updates on request, but not while jobs are running, originals are replaced, or something follows a job', async () => {
  const source = nothingNew()
  const { core, photo, updates, works } = await setUp({ load: () => Promise.resolve(source.updater) })
  await core.intake.add([await photo('a.jpg')])
  const started = await core.drafts.start({ split: false, grace: 0 })
  expect(await updates.check()).toBe(false)
  expect(source.checks()).toBe(0)
  if (started.ok) for (const id of started.ids) core.outbox.remove(id)
  for (const work of ['core', 'hooks'] as const) {
    works[work] = true
    expect(await updates.check()).toBe(false)
    works[work] = false
  }
  const shown: string[] = []
  core.state.onChange(({ update }, before) => {
    if (update !== before.update) shown.push(update.status)
  })
  expect(await updates.check()).toBe(true)
  await expect.poll(() => shown).toEqual(['checking', 'idle'])
  expect(source.checks()).toBe(1)
  expect(await updates.install()).toBe(false)
})

it('a missing updater is logged and has no other effect', async () => {
  const { updates, logged } = await setUp({ load: () => Promise.reject(new Error('not there')) })
  expect(logged).toEqual([['could not load the updater', { error: 'Error: not there' }]])
  expect([await updates.check(), await updates.install()]).toEqual([false, false])
})
