import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeHome } from '../support/home.ts'
import { leaveSettings } from '../support/settings.ts'
import { smallDisk } from '../support/small-disk.ts'
import {
  doneRow,
  FASTER,
  type RunningApp,
  startWithBuiltIn,
  stateOf,
  WITHIN,
  submitPhoto,
} from '../support/start-app.ts'

const waiting = async (app: RunningApp) => (await stateOf(app)).outbox.map(({ state }) => state)

test('an almost full disk pauses sending and shows a notice until there is space', async () => {
  using home = makeHome()
  const folder = join(home.path, 'Results')
  using disk = smallDisk(folder, '100m')
  // If no disk can be mounted, use /proc, which never has space.
  const output = disk === undefined ? '/proc' : folder
  leaveSettings(home, { connection: 'builtIn', defaultOutput: { kind: 'folder', path: output } })
  await using app = await startWithBuiltIn({ in: home, env: FASTER })
  const page = await app.page()
  // Pauses sending first, so that the app checks the disk before it sends anything.
  await page.evaluate(() => window.mediatray.outbox.pause('untilResumed'))
  await submitPhoto(app, 'big.jpg')
  await page.getByText('The disk is full.').waitFor()
  await page.evaluate(() => window.mediatray.outbox.resume())
  await expect.poll(() => waiting(app), WITHIN).toMatchObject([{ kind: 'waiting', because: 'diskFull' }])
  await submitPhoto(app, 'another.jpg')
  await expect.poll(async () => (await waiting(app)).length, WITHIN).toBe(2)
  expect(await stateOf(app)).toMatchObject({ jobs: [] })
  expect((await stateOf(app)).notices.map(({ kind }) => kind)).toContain('diskFull')

  if (disk === undefined) {
    // Remove the submissions, so that nothing uses the disk anymore.
    for (const { id } of (await stateOf(app)).outbox)
      await page.evaluate((entry) => window.mediatray.outbox.remove(entry), id)
  } else {
    expect(readdirSync(folder)).toEqual([])
    disk.grow()
    await doneRow(page, 'big.jpg').waitFor()
    await doneRow(page, 'another.jpg').waitFor()
    expect(readdirSync(folder)).toHaveLength(2)
  }
  await expect.poll(async () => (await stateOf(app)).notices, WITHIN).toEqual([])
})
