import { expect, test } from 'vitest'
import { pollNow, row, rows, type RunningApp, startButton, submitPhoto, WITHIN } from './support/start-app.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { shareApp } from './support/share-app.ts'
import { startStubService } from './support/stub-service.ts'

/** The second button of the dialog that asks whether to connect to an address. */
const CONNECT = 1

const shared = shareApp({})

async function openSettings(app: RunningApp, place = 'Advanced'): Promise<void> {
  const page = await app.page()
  await app.tray.choose('Settings…')
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('button', { name: place }).click()
  if (place === 'Advanced') await page.getByRole('link', { name: 'Service', exact: true }).click()
}

test('a second service is added, chosen for a job, named on the rows, and removed', async () => {
  const { app, service: first } = await shared()
  await using second = await startStubService()
  const page = await app.page()
  await app.resizeWindow({ x: 0, y: 0, width: 420, height: 560 })
  await submitPhoto(app, 'first.jpg')
  await page.getByRole('button', { name: 'Back to jobs' }).click()
  await row(page, 'first.jpg').waitFor()
  expect(await rows(page).locator('.job-row-service').count()).toBe(0)

  await openSettings(app)
  await app.dialogs.answerMessage(CONNECT)
  await page.getByRole('button', { name: 'Add another service…' }).click()
  await page.getByRole('menuitem', { name: 'Service on this computer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Address' }).fill(second.baseUrl)
  await dialog.getByLabel('API key').fill(second.key)
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Studio')
  await dialog.getByRole('button', { name: 'Add service' }).click()
  await page.getByRole('button', { name: 'More options for Studio' }).waitFor()

  await app.tray.choose('New job…')
  await app.dropFiles('.job-pane', [app.files.photo('second.jpg')])
  await page.getByRole('combobox', { name: 'Service' }).selectOption('Studio')
  await startButton(page).click()
  await expect.poll(() => [first.jobs.length, second.jobs.length], WITHIN).toEqual([1, 1])
  await page.getByRole('button', { name: 'Back to jobs' }).click()
  await pollNow(app)
  await row(page, 'second.jpg').getByText('· Studio').waitFor()
  await row(page, 'first.jpg').locator('.job-row-service').waitFor()

  // Both services number their jobs in the same way.
  await row(page, 'second.jpg').click()
  await page.getByText('Service: Studio').waitFor()
  await page.locator('.job-pane').getByRole('button', { name: 'Cancel job' }).click()
  await expect
    .poll(() => [first, second].map(({ jobs: [job] }) => job?.status), WITHIN)
    .toEqual(['queued', 'cancelled'])

  await openSettings(app, 'Automation')
  await page.getByRole('button', { name: 'Add folder…' }).click()
  await dialog.getByRole('combobox', { name: 'Service' }).selectOption('Studio')
  await app.dialogs.answerOpen([app.files.path])
  await dialog.getByRole('button', { name: 'Choose' }).click()
  await dialog.getByRole('button', { name: 'Watch folder' }).click()
  await expect
    .poll(() => app.files.readSettings().watchFolders?.map(({ service }) => service), WITHIN)
    .toEqual([second.baseUrl])

  await openSettings(app)
  await page.getByRole('button', { name: 'More options for Studio' }).click()
  await page.getByRole('menuitem', { name: 'Remove…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove service' }).click()
  await expect.poll(() => app.files.readSettings().otherServices, WITHIN).toEqual([])
  await page.getByRole('button', { name: 'More options for Studio' }).waitFor({ state: 'detached' })
})

testInLongSuite(
  'the presets of the built-in service can be edited also if it isn’t the main one',
  async () => {
    const { app } = await shared()
    const page = await app.page()
    await openSettings(app)
    await page.getByRole('button', { name: 'Add another service…' }).click()
    await page.getByRole('menuitem', { name: 'Built-in service' }).click()
    await page.getByRole('button', { name: 'More options for Built-in service' }).waitFor()
    await openSettings(app, 'Presets')
    await page.getByRole('link', { name: /more default presets$/ }).click()
    await page.getByText('Thumbnail', { exact: true }).waitFor()
  },
)
