/** Updates with the real electron-updater: an AppImage in a home folder and a local update feed. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isLongRun, testInLongSuite } from '../support/long-suite.ts'
import { startStubService } from '../support/stub-service.ts'
import { leaveForJobs, openSettings } from '../support/settings.ts'
import {
  pollNow,
  row,
  type RunningApp,
  startWith,
  stateOf,
  WITHIN,
  submitPhoto,
} from '../support/start-app.ts'
import { makeHome } from '../support/home.ts'

const OLD = '#!/bin/sh\necho the old one\n'
/** The new version: a script that creates a file next to itself when it runs. */
const NEW = '#!/bin/sh\ntouch "$(dirname "$0")/the-new-one-ran"\n'
const sha512 = (text: string) => createHash('sha512').update(text).digest('base64')

type Feed = {
  readonly url: string
  readonly seen: readonly string[]
  /** Makes the feed deliver the new version, which it withholds until then. */
  letGo(): void
  [Symbol.asyncDispose](): Promise<void>
}

/** The publisher's key pair. The app ships with the public key. */
const KEYS = generateKeyPairSync('ed25519')

async function startFeed({
  checksum = sha512(NEW),
  held = false,
  by = KEYS,
  kind = 'AppImage',
} = {}): Promise<Feed> {
  const seen: string[] = []
  const release = Promise.withResolvers<void>()
  if (!held) release.resolve()
  const file = `Mediatray-99.0.0.${kind}`
  const entry = `url: ${file}\n    sha512: ${checksum}\n    size: ${NEW.length}`
  const latest = `version: 99.0.0\nfiles:\n  - ${entry}\npath: ${file}\nsha512: ${checksum}\n`
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '')
    seen.push(path)
    if (path.endsWith('.yml')) response.end(latest)
    else if (path.endsWith('.sig'))
      response.end(sign(null, Buffer.from(latest), by.privateKey).toString('base64'))
    else if (path.endsWith(file) && request.headers.range === undefined)
      void release.promise.then(() => response.setHeader('content-length', NEW.length).end(NEW))
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    seen,
    letGo: release.resolve,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Creates an installed AppImage, and returns the environment that the app would have. */
function install(home: string, feed: Feed) {
  const folder = join(home, 'Applications')
  const resources = join(home, 'resources')
  for (const made of [folder, resources]) mkdirSync(made)
  const appImage = join(folder, 'Mediatray-1.2.3.AppImage')
  writeFileSync(appImage, OLD, { mode: 0o755 })
  writeFileSync(
    join(resources, 'app-update.yml'),
    `provider: generic\nurl: ${feed.url}\nupdaterCacheDirName: mediatray-updater\n`,
  )
  const key = KEYS.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  writeFileSync(join(resources, 'update-trust.json'), JSON.stringify({ signed: true, key }))
  return {
    appImage,
    /** electron-updater takes the new file's name if the old one contains a version. */
    updated: join(folder, 'Mediatray-99.0.0.AppImage'),
    trace: join(folder, 'the-new-one-ran'),
    resources,
    env: {
      APPDIR: dirname(realpathSync(process.execPath)),
      XDG_CACHE_HOME: join(home, '.cache'),
      MEDIATRAY_STAND_IN_PACKAGED: '1',
      MEDIATRAY_STAND_IN_RESOURCES: resources,
    },
  }
}

/** Starts a job, waits until the page shows it, and opens the settings. */
async function startJobAndOpenSettings(app: RunningApp, page: Page, name: string): Promise<void> {
  await submitPhoto(app, name)
  await row(page, name).waitFor()
  await openSettings(page, 'Advanced')
}

test('a new version is found, downloaded and installed on request, but never while jobs are running', async () => {
  using home = makeHome()
  await using feed = await startFeed({ held: true })
  const installed = install(home.path, feed)
  await using service = await startStubService()
  await using app = await startWith(service, {
    in: home,
    env: { ...installed.env, APPIMAGE: installed.appImage },
  })
  const page = await app.page()
  const autostart = join(home.path, '.config/autostart/app.mediatray.Mediatray.desktop')
  const links = join(home.path, '.local/bin')
  mkdirSync(links, { recursive: true })
  symlinkSync(installed.appImage, join(links, 'mediatray'))
  symlinkSync('/bin/true', join(links, 'other'))
  await openSettings(page, 'General')
  await page.getByRole('switch', { name: /at login/i }).click()
  await expect.poll(() => existsSync(autostart), WITHIN).toBe(true)
  await leaveForJobs(page)
  expect(await page.evaluate(() => window.mediatray.assistants.command())).toBe(null)
  const finish = async (job: number) => {
    // The page shows a job before the service has it.
    await expect.poll(() => service.jobs.length, WITHIN).toBe(job)
    const completedAt = new Date().toISOString()
    service.pose(job, {
      status: 'completed',
      completedAt,
      result: { outputPath: '/tmp/a.jpg' },
    })
    await pollNow(app)
    await expect.poll(async () => (await stateOf(app)).jobs, WITHIN).toEqual([])
  }
  const check = page.getByRole('button', { name: 'Check now' })
  await startJobAndOpenSettings(app, page, 'one.jpg')
  await check.click()
  await page.getByText('Updates wait while jobs are running.').waitFor()
  expect(feed.seen).toEqual([])

  await finish(1)
  await check.click()
  await page.getByText(/^Downloading version 99\.0\.0/).waitFor()
  feed.letGo()
  await page.getByText('Version 99.0.0 is ready to install.').waitFor()
  expect(readFileSync(installed.appImage, 'utf8')).toBe(OLD)

  const restart = page.getByRole('button', { name: 'Restart and install 99.0.0' })
  await leaveForJobs(page)
  await startJobAndOpenSettings(app, page, 'two.jpg')
  await restart.click()
  await page.getByText('Updates wait while jobs are running.').waitFor()
  expect(readFileSync(installed.appImage, 'utf8')).toBe(OLD)

  await finish(2)
  await restart.click()
  expect(await app.exited).toBe(0)
  expect([existsSync(installed.appImage), readFileSync(installed.updated, 'utf8')]).toEqual([false, NEW])
  expect(readFileSync(autostart, 'utf8')).toContain(`\nExec="${installed.updated}" --hidden\n`)
  expect([readlinkSync(join(links, 'mediatray')), readlinkSync(join(links, 'other'))]).toEqual([
    installed.updated,
    '/bin/true',
  ])
  await expect.poll(() => existsSync(installed.trace), WITHIN).toBe(true)
})

test.each(
  isLongRun
    ? ([
        ['a feed that someone else has signed', { by: generateKeyPairSync('ed25519') }, []],
        [
          'a download that doesn’t match the feed',
          { checksum: sha512('something else') },
          ['/Mediatray-99.0.0.AppImage'],
        ],
      ] as const)
    : [],
)('%s is reported, and nothing of it is installed', async (_, odd, fetched) => {
  using home = makeHome()
  await using feed = await startFeed(odd)
  const installed = install(home.path, feed)
  await using service = await startStubService()
  await using app = await startWith(service, {
    in: home,
    env: { ...installed.env, APPIMAGE: installed.appImage },
  })
  const page = await app.page()
  await openSettings(page, 'Advanced')
  await page.getByRole('button', { name: 'Check now' }).click()
  await page.getByText('The update’s signature is invalid').waitFor()
  expect(await page.getByRole('button', { name: /Restart and install/ }).count()).toBe(0)
  expect(feed.seen).toContain('/latest-linux.yml.sig')
  expect([...new Set(feed.seen)].filter((path) => path.endsWith('.AppImage'))).toEqual(fetched)
  expect(await app.quit()).toBe(0)
  expect(readFileSync(installed.appImage, 'utf8')).toBe(OLD)
  expect(existsSync(installed.trace)).toBe(false)
})

testInLongSuite(
  'a package is installed by the system, and the app starts again without the files of its first launch',
  async () => {
    using home = makeHome()
    await using feed = await startFeed({ kind: 'deb' })
    const { env, resources, appImage, trace } = install(home.path, feed)
    writeFileSync(join(resources, 'package-type'), 'deb\n')
    // Stands for the program of the package.
    writeFileSync(appImage, `#!/bin/sh\necho "$# arguments" > '${trace}'\n`)
    const tools = join(home.path, 'bin')
    mkdirSync(tools)
    const installed = join(home.path, 'installed')
    const lock = join(home.data, 'stand-in-lock')
    const script = `#!/bin/sh\necho "$@" >> '${installed}'\ntest ! -e '${lock}' || echo locked >> '${installed}'\n`
    for (const command of ['dpkg', 'pkexec']) writeFileSync(join(tools, command), script, { mode: 0o755 })
    await using service = await startStubService()
    const photo = home.photo('first.jpg')
    await using app = await startWith(service, {
      in: home,
      args: ['--new-job', photo],
      env: { ...env, APPIMAGE: appImage, PATH: `${tools}:${process.env['PATH']}` },
    })
    const page = await app.page()
    await openSettings(page, 'Advanced')
    await page.getByRole('button', { name: 'Check now' }).click()
    const restart = page.getByRole('button', { name: 'Restart and install 99.0.0' })
    await restart.waitFor()
    // The app may end before the click has returned.
    await restart.click().catch(() => undefined)
    expect(await app.exited).toBe(0)
    expect(readFileSync(installed, 'utf8')).toMatch(/-i .*\.deb/)
    // While the app waits for the system, a second launch finds no lock, and so doesn't kill it.
    expect(readFileSync(installed, 'utf8')).not.toContain('locked')
    await expect.poll(() => existsSync(trace) && readFileSync(trace, 'utf8'), WITHIN).toBe('0 arguments\n')
  },
)
