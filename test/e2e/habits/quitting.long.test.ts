/** Quitting the app: an orderly shutdown, regardless of what happens in the meantime. */
import { chmodSync, existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf } from '../../child-processes.ts'
import { testInLongSuite } from '../support/long-suite.ts'
import { makeHome } from '../support/home.ts'
import { type RunningApp, startWithBuiltIn, WITHIN } from '../support/start-app.ts'

/** Suspends the built-in service, so that the app has to wait for it to end. */
function delayShutdown(app: RunningApp): { letGo(): void } {
  const [service] = childrenOf(app.pid, 'service/main.js')
  if (service === undefined) throw new Error('The built-in service isn’t running')
  process.kill(service, 'SIGSTOP')
  return { letGo: () => void process.kill(service, 'SIGCONT') }
}

/** An AppImage that records the arguments it was started with. */
function install(folder: string, name: string) {
  const program = join(folder, name)
  const trace = `${program}.started`
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "${trace}.part"\nmv "${trace}.part" "${trace}"\n`)
  chmodSync(program, 0o755)
  const env = { APPIMAGE: program, APPDIR: dirname(realpathSync(process.execPath)) }
  return { trace, env }
}

testInLongSuite(
  'quitting again doesn’t cut the shutdown short, and the window closes immediately',
  async () => {
    using home = makeHome({ connection: 'builtIn' })
    await using app = await startWithBuiltIn({ in: home })
    const end = delayShutdown(app)
    const quits = [app.quit(), app.quit()]
    await app.until('the window to go', ({ windows }) => windows.every(({ visible }) => !visible))
    quits.push(app.quit())
    expect(await Promise.race([app.exited, sleep(1_000, 'it waits')])).toBe('it waits')
    expect(app.windows().filter(({ visible }) => visible)).toEqual([])
    end.letGo()
    expect(await Promise.all(quits)).toEqual([0, 0, 0])
  },
)

test('files opened during shutdown are kept, and the app restarts with them', async () => {
  using home = makeHome({ connection: 'builtIn' })
  const current = install(home.path, 'Mediatray.AppImage')
  await using app = await startWithBuiltIn({ in: home, env: current.env })
  const end = delayShutdown(app)
  const ended = app.quit()
  await app.until('the window to go', ({ windows }) => windows.every(({ visible }) => !visible))
  const photo = home.photo('late.jpg')
  expect(await app.secondInstance(['--new-job', photo])).toMatchObject({ code: 0 })
  expect(existsSync(current.trace)).toBe(false)
  end.letGo()
  expect(await ended).toBe(0)
  await expect.poll(() => existsSync(current.trace), WITHIN).toBe(true)
  expect(readFileSync(current.trace, 'utf8').trim().split('\n')).toEqual(['--new-job', '--', photo])
})

test('files opened while an installer replaces the app are in the next new job', async () => {
  using home = makeHome({ connection: 'builtIn' })
  const photo = home.photo('late.jpg')
  {
    await using app = await startWithBuiltIn({ in: home, platform: 'win32' })
    const end = delayShutdown(app)
    const ended = app.quitForUpdate()
    await app.until('the window to go', ({ windows }) => windows.every(({ visible }) => !visible))
    expect(await app.secondInstance([photo])).toMatchObject({ code: 0 })
    end.letGo()
    expect(await ended).toBe(0)
  }
  for (const names of [['late.jpg'], []]) {
    await using app = await startWithBuiltIn({ in: home, platform: 'win32' })
    const page = await app.page()
    const draft = async () => (await page.evaluate(() => window.mediatray.app.snapshot())).state.draft.source
    await expect.poll(draft, WITHIN).toMatchObject({ items: names.map((name) => ({ name })) })
    await page.evaluate(() => window.mediatray.draft.clear())
  }
})

testInLongSuite('an app that isn’t opened during shutdown doesn’t restart', async () => {
  using home = makeHome({ connection: 'builtIn' })
  const current = install(home.path, 'Mediatray.AppImage')
  await using app = await startWithBuiltIn({ in: home, env: current.env })
  expect(await app.quit()).toBe(0)
  expect(existsSync(current.trace)).toBe(false)
})
