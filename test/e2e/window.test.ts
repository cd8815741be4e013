import { describe, expect, test } from 'vitest'
import { findWithAxe } from '../renderer/harness/find-with-axe.ts'
import { testInLongSuite } from './support/long-suite.ts'
import { makeHome } from './support/home.ts'
import { shareApp } from './support/share-app.ts'
import { startStubService } from './support/stub-service.ts'
import {
  picture,
  pollNow,
  row,
  type RunningApp,
  startApp,
  startButton,
  startWith,
  stateOf,
  WITHIN,
} from './support/start-app.ts'

describe('closing the window', () => {
  const ending = shareApp({ env: { MEDIATRAY_RENDERER_LINGER_MS: '300' } })

  test('leaves the app in the tray, ends the renderer after a while, and preserves the state', async () => {
    const { app, service } = await ending()
    const page = await app.page()
    await app.dropFiles('.job-pane', [app.files.photo('draft.jpg'), app.files.photo('second.jpg')])
    await page.locator('.draft-file').nth(1).waitFor()
    await app.resizeWindow({ x: 40, y: 30, width: 700, height: 600 })
    service.addForeign(1)
    service.pose(1, { status: 'processing', progress: { totalProgress: 40, phase: 'resizing' } })
    await pollNow(app)
    await expect.poll(() => app.progressBar(), WITHIN).toBeCloseTo(0.4)

    await app.closeWindow()
    await rendererEnded(app)
    // Progress must be cleared: without a window, nothing could clear it later.
    expect(app.progressBar()).toBe(-1)
    expect(app.notifications.all().map(({ title }) => title)).toEqual(['Mediatray is still running'])

    // The window shows what changed while it was closed.
    service.addForeign(1)
    await pollNow(app)
    await app.tray.choose('Open Mediatray')
    const again = await app.page()
    await expect.poll(() => app.progressBar(), WITHIN).toBeCloseTo(0.4)
    await again.locator('.draft-file').nth(1).waitFor()
    expect(app.windows()[0]?.bounds).toMatchObject({ x: 40, y: 30, width: 700, height: 600 })
    await row(again, '1.jpg').first().waitFor()
    await startButton(again).click()
    await row(again, 'draft.jpg').waitFor()
  })

  testInLongSuite('shows the notification once per installation', async () => {
    const { app } = await ending()
    await app.closeWindow()
    await rendererEnded(app)
    expect(
      app.notifications.all().filter(({ title }) => title === 'Mediatray is still running'),
    ).toHaveLength(1)
    await app.activate(false)
    await app.page()
  })

  testInLongSuite('quits the app if it has no tray', async () => {
    // Without a tray, starting hidden would leave nothing to click, so the window is shown.
    await using without = await startApp({ settings: { showTray: false }, args: ['--hidden'] })
    expect(without.tray.now()).toBe(null)
    await without.closeWindow()
    expect(await without.exited).toBe(0)
  })

  testInLongSuite('quits the app if closing is set to quit', async () => {
    await using quitting = await startApp({ settings: { closeToTray: false } })
    await quitting.closeWindow()
    expect(await quitting.exited).toBe(0)
  })
})

const rendererEnded = (app: RunningApp) =>
  app.until('the renderer to end', ({ windows, chromiumPid }) => windows.length === 0 && chromiumPid === null)

testInLongSuite(
  'the window reopens in its previous position, on an existing screen, and stays hidden if the app was launched hidden',
  async () => {
    using home = makeHome({ connection: null })
    {
      await using app = await startApp({ in: home })
      await app.resizeWindow({ x: 60, y: 50, width: 720, height: 610 })
      await app.quit()
    }
    {
      // Some Wayland desktops never report that a window was painted.
      await using app = await startApp({ in: home, noReadyToShow: true })
      expect(app.windows()[0]?.bounds).toMatchObject({ x: 60, y: 50, width: 720, height: 610 })
      await app.until('the window', ({ windows }) => windows[0]?.visible)
    }
    await using hidden = await startApp({ in: home, args: ['--hidden'], waitFor: 'ready' })
    await hidden.until('the tray', ({ trays }) => trays.length === 1)
    expect(hidden.windows()).toEqual([])
    await hidden.setDisplays([{ x: 0, y: 0, width: 500, height: 580 }])
    await hidden.tray.click()
    await hidden.page()
    const { x = -1, y = -1, width = 0, height = 0 } = hidden.windows()[0]?.bounds ?? {}
    expect(x).toBeGreaterThanOrEqual(0)
    expect(y).toBeGreaterThanOrEqual(0)
    expect(width).toBeLessThanOrEqual(500)
    expect(height).toBeLessThanOrEqual(580)
  },
)

const shared = shareApp({})

testInLongSuite('a crashed renderer is replaced and shows the same state', async () => {
  const { app } = await shared()
  await app.dropFiles('.job-pane', [app.files.photo('still-here.jpg')])
  const page = await app.page()
  await page.locator('.draft-file').waitFor()
  await app.crashRenderer()
  const again = await app.page()
  await again.locator('.draft-file').waitFor()
  expect((await stateOf(app)).connection.state.status).toBe('online')

  // A page that crashes while its window is hidden is replaced when the window is opened.
  await app.closeWindow()
  await app.crashRenderer()
  expect(app.windows()[0]).toMatchObject({ visible: false, crashed: true })
  await app.tray.click()
  await (await app.page()).locator('.draft-file').waitFor()
})

testInLongSuite('the window and the tray menu are in German if that is the system language', async () => {
  await using service = await startStubService()
  await using app = await startWith(service, { locale: 'de-DE' })
  const page = await app.page()
  await page.getByText('Fotos oder Videos').first().waitFor({ state: 'attached' })
  expect(await page.evaluate(() => document.documentElement.lang)).toMatch(/^de/)
  await app.until('the German menu', () => app.tray.now()?.menu.at(-1)?.label.includes('beenden'))
  await app.dropFiles('.job-pane', [app.files.photo('deutsch.jpg')])
  await page.locator('.draft-file').waitFor()
  await picture(page, 'german')
})

testInLongSuite('axe finds no accessibility issues in the settings', async () => {
  const { app } = await shared()
  const page = await app.page()
  await page.keyboard.press('ControlOrMeta+,')
  await page.getByRole('navigation', { name: 'Settings' }).waitFor()
  for (const section of await page.getByRole('navigation', { name: 'Settings' }).getByRole('button').all()) {
    await section.click()
    expect(await findWithAxe(page), `settings, ${(await section.textContent()) ?? ''}`).toEqual([])
    for (const subpage of await page.locator('.subpage-link').all()) {
      await subpage.click()
      expect(await findWithAxe(page), `settings, ${(await page.locator('h1').textContent()) ?? ''}`).toEqual(
        [],
      )
      await page.keyboard.press('Escape')
    }
  }
})
