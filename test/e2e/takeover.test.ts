/** The app and the command watch the same folders in turn: each takes over when the other ends, and they never watch at once. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ownerOf, serviceOf } from '../main/cli/command.ts'
import { followCommand } from '../main/cli/follow-command.ts'
import { distinct, makeHome } from './support/home.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { leaveSettings } from './support/settings.ts'
import { FASTER, startWithBuiltIn, stateOf, WITHIN } from './support/start-app.ts'
import { watchFolder } from '../watch-folder.ts'

/** The number of files that the app has processed in the watched folder. */
const takenByApp = (page: Page) =>
  page.evaluate(async () => {
    const [folder] = await window.mediatray.watch.list()
    return folder?.taken
  })

test('the app and the command take over from each other with the same service, and each file is processed once', async () => {
  using home = makeHome()
  const inbox = join(home.path, 'Inbox')
  mkdirSync(inbox)
  const folder = watchFolder(inbox, home.output, { grouping: 'together' })
  leaveSettings(home, { connection: 'builtIn', watchFolders: [folder] })
  const sample = readFileSync(home.photo())
  let photos = 0
  const put = (name: string) => writeFileSync(join(inbox, name), distinct(sample, (photos += 1)))
  const results = () => readdirSync(home.output).filter((name) => !name.startsWith('.'))
  const finished = () => command.events().filter(({ event }) => event === 'finished').length

  const app = await startWithBuiltIn({ in: home, env: FASTER })
  const page = await app.page()
  await expect.poll(() => takenByApp(page), WITHIN).toBe(0)
  const command = followCommand(['watch', '--json'], {
    env: { ...FASTER, MEDIATRAY_DATA_DIR: home.data },
    cwd: home.path,
  })
  await command.until('waiting')
  put('first.jpg')
  await expect.poll(() => takenByApp(page), WITHIN).toBe(1)
  await expect.poll(results, WITHIN).toHaveLength(1)
  // The command would report this job if the app quit between saving the result and recording the end.
  await expect.poll(async () => (await stateOf(app)).jobs, WITHIN).toEqual([])
  expect(command.events().map(({ event }) => event)).not.toContain('watching')
  const service = serviceOf(home.data)
  expect(service).toBeDefined()
  await app.quit()

  await command.until('watching')
  put('second.jpg')
  await expect.poll(finished, WITHIN).toBe(1)

  await using again = await startWithBuiltIn({ in: home, env: FASTER, waitFor: 'page' })
  const secondPage = await again.page()
  // Until the app owns the data, the command still watches.
  await expect.poll(() => takenByApp(secondPage), WITHIN).toBe(2)
  expect(serviceOf(home.data)).toBe(service)
  put('third.jpg')
  await expect.poll(results, WITHIN).toHaveLength(3)
  expect(finished()).toBe(1)
  expect(command.child.exitCode).toBe(null)
  command.child.kill('SIGTERM')
  expect(await command.ended).toBe(0)
  put('fourth.jpg')
  await expect.poll(results, WITHIN).toHaveLength(4)
  await expect.poll(() => takenByApp(secondPage), WITHIN).toBe(4)
  const names = () =>
    secondPage.evaluate(async () => {
      const { records } = await window.mediatray.history.page({ query: {}, offset: 0, limit: 500 })
      return records.map(({ name }) => name).toSorted()
    })
  await expect.poll(names, WITHIN).toEqual(['first.jpg', 'fourth.jpg', 'second.jpg', 'third.jpg'])
})

testInLongSuite(
  'on Windows, an update ends commands with a message, and nothing of the program runs while it is replaced',
  async () => {
    using home = makeHome()
    leaveSettings(home, { connection: 'builtIn', watchFolders: [watchFolder(home.path, home.output)] })
    await using app = await startWithBuiltIn({ in: home, env: FASTER, platform: 'win32' })
    const command = followCommand(['watch', '--json'], {
      env: { ...FASTER, MEDIATRAY_DATA_DIR: home.data },
      cwd: home.path,
    })
    await command.until('waiting')
    expect(await app.quitForUpdate()).toBe(0)
    expect([await command.ended, await ownerOf(home.data)]).toEqual([4, undefined])
    expect(command.errors()).toContain('program files are being replaced or removed')
  },
)

testInLongSuite(
  'the app quits with a message that names its data folder if that was moved away',
  async ({ skip }) => {
    if (process.platform === 'win32') return skip('An open folder can’t be moved there')
    using home = makeHome()
    await using app = await startWithBuiltIn({ in: home })
    renameSync(home.data, `${home.data}-moved`)
    mkdirSync(home.data)
    const words = () => app.dialogs.all().map(({ options }) => JSON.stringify(options))
    await expect.poll(words, WITHIN).toEqual([expect.stringContaining(home.data)])
    await app.dialogs.answerMessage(0)
    expect(await app.exited).toBe(0)
  },
)
