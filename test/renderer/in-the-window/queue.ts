import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import type { Page } from 'playwright-core'
import { fixture } from '../harness/fixtures.ts'
import { argumentsOf, change, NARROW, openState, WIDE } from '../harness/open-state.ts'
import { settled } from '../harness/go-to.ts'

/** The waiting jobs: at the service and in the outbox. */
export function checkQueue(): void {
  checkReasons()
  checkMoves()
  checkDrag()
}

const waitingSection = (page: Page) =>
  page.locator('.job-section', { has: page.getByRole('heading', { name: /^Waiting/ }) })

function checkReasons(): void {
  it('shows all waiting jobs in one section, each with its place or what it waits for', async () => {
    const page = await openState('queue', { width: 880, height: 860 })
    expect(await waitingSection(page).getByRole('heading').innerText()).toMatch(/^Waiting\s*10$/)
    expect(await waitingSection(page).locator('.job-row-status').allInnerTexts()).toEqual([
      'Next, H.264 1080p',
      '2nd, Print A4 300 dpi',
      '3rd, Web 2048',
      ...Array.from({ length: 5 }, () => 'Waiting until 22:00'),
      'Being edited in a new job',
      'Waiting for the preset “Print A5”',
    ])
    expect(await page.locator('.text-warning').allInnerTexts()).toContain('Waiting for the preset “Print A5”')
    await page.locator('.job-pane').getByText('Waiting until 22:00, 4th of 10').waitFor()
    await page.locator('.job-row', { hasText: 'harbour-walk.mp4' }).click()
    await page.getByText('Waiting, 1st of 10').waitFor()
    await page.getByText('has accepted this job and starts it next. Its place can’t be changed.').waitFor()
  })

  it('says which jobs another service has, and which are sent when it has room', async () => {
    const page = await openState('queue-external', { width: 880, height: 860 })
    expect(await waitingSection(page).locator('.job-row-status').allInnerTexts()).toEqual([
      'Next, at the service',
      '2nd, at the service',
      '3rd, at the service',
      ...['4th', '5th', '6th', '7th', '8th'].map((place) => `${place}, sent when there’s room`),
      'Being edited in a new job',
      'Waiting for Drive',
    ])
    await page
      .getByText('127.0.0.1:3847 has accepted this job and starts it after the job ahead of it.')
      .waitFor()
  })
}

const TALL = { width: 880, height: 860 }

const rowOf = (page: Page, name: string) => page.locator('.job-row', { hasText: name })
const moves = (page: Page) => argumentsOf(page, 'outbox.moveBefore')

/** Changes the order of the outbox, as the main process does after a move. */
async function moveIn(page: Page, name: string, to: number): Promise<void> {
  const outbox = [...(await page.evaluate(() => window.strings.state().outbox))]
  const [moved] = outbox.splice(
    outbox.findIndex((part) => part.name === name),
    1,
  )
  if (moved !== undefined) await change(page, { outbox: outbox.toSpliced(to, 0, moved) })
}

function checkMoves(): void {
  it('moves the shown job up and down with buttons, as far as possible, and announces its place', async () => {
    const page = await openState('queue', TALL)
    const header = page.locator('.pane-header')
    const up = header.getByRole('button', { name: 'Move up' })
    const down = header.getByRole('button', { name: 'Move down' })
    await up.click()
    await down.click()
    await expect
      .poll(() => moves(page))
      .toEqual([
        { id: 'boat-trip.mp4', before: 'IMG_3310.jpg' },
        { id: 'boat-trip.mp4', before: 'interview-b_take01.mov' },
      ])
    await moveIn(page, 'boat-trip.mp4', 0)
    await expect.poll(() => up.isDisabled()).toBe(true)
    await down.click()
    await expect
      .poll(() => page.locator('.visually-hidden[aria-live]').textContent())
      .toBe('boat-trip.mp4 and 3 more, now 3rd of 10')
    await moveIn(page, 'boat-trip.mp4', 8)
    await expect.poll(() => down.isDisabled()).toBe(true)
    expect(await up.isDisabled()).toBe(false)
  })

  it('moves the focused row with Alt and the arrow keys, and keeps the focus on it', async () => {
    const page = await openState('queue', WIDE)
    await rowOf(page, 'IMG_0412.jpg').focus()
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(() => moves(page)).toEqual([{ id: 'IMG_0412.jpg', before: 'clip_0148.mov' }])
    await moveIn(page, 'IMG_0412.jpg', 5)
    await page.keyboard.press('Alt+ArrowDown')
    await page.keyboard.press('Alt+ArrowDown')
    await expect
      .poll(() => moves(page))
      .toEqual([
        { id: 'IMG_0412.jpg', before: 'clip_0148.mov' },
        { id: 'IMG_0412.jpg', before: 'DSC_5003.heic' },
        { id: 'IMG_0412.jpg', before: 'DSC_5003.heic' },
      ])
    await moveIn(page, 'IMG_0412.jpg', 8)
    await settled(page)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-key'))).toBe('IMG_0412.jpg')
    expect(await rowOf(page, 'IMG_0412.jpg').isVisible()).toBe(true)
  })

  itInLongSuite('keys that can’t move a job any further don’t delay the next key', async () => {
    const page = await openState('queue')
    await rowOf(page, 'P1010233.jpg').focus()
    for (let press = 0; press < 20; press += 1) await page.keyboard.press('Alt+ArrowUp')
    await page.keyboard.press('Alt+ArrowDown')
    await expect
      .poll(() => moves(page), { timeout: 3_000 })
      .toEqual([{ id: 'P1010233.jpg', before: 'boat-trip.mp4' }])
  })

  it('doesn’t move a job that the service has', async () => {
    const page = await openState('queue')
    await rowOf(page, 'harbour-walk.mp4').focus()
    await page.keyboard.press('Alt+ArrowDown')
    expect(await moves(page)).toEqual([])
  })

  itInLongSuite('offers the same in the menu, with Run as soon as possible', async () => {
    const page = await openState('queue', TALL)
    await rowOf(page, 'P1010233.jpg').click({ button: 'right' })
    const item = (name: string) => page.getByRole('menuitem', { name })
    await expect.poll(() => item('Move up').getAttribute('aria-disabled')).toBe('true')
    await item('Move down').click()
    await rowOf(page, 'clip_0148.mov').click({ button: 'right' })
    await item('Run as soon as possible').click()
    await expect.poll(() => moves(page)).toEqual([{ id: 'P1010233.jpg', before: 'boat-trip.mp4' }])
    expect(await argumentsOf(page, 'outbox.runNext')).toEqual(['clip_0148.mov'])
    await rowOf(page, 'harbour-walk.mp4').click({ button: 'right' })
    await item('Cancel job').waitFor()
    expect(await item('Move down').count()).toBe(0)
  })

  itInLongSuite(
    'leaves room for the name in a narrow window, with the other actions in the menu',
    async () => {
      const page = await openState('queue', NARROW)
      await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
      expect(await page.getByRole('button', { name: 'Start anyway' }).count()).toBe(0)
      await page.locator('.job-pane').getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Start anyway' }).waitFor()
    },
  )

  itInLongSuite('moves a job only among those of its service', async () => {
    const page = await openState('queue', TALL)
    const { outbox } = fixture('queue').script.state
    await change(page, {
      outbox: outbox.map((part, index) => (index % 2 === 0 ? { ...part, service: 'http://nas/api' } : part)),
    })
    await rowOf(page, 'IMG_3310.jpg').focus()
    await page.keyboard.press('Alt+ArrowDown')
    await expect.poll(() => moves(page)).toEqual([{ id: 'IMG_3310.jpg', before: 'clip_0148.mov' }])
  })
}

/** Drags a row by its handle to the middle of another row, without dropping it. */
async function drag(page: Page, name: string, over: string): Promise<void> {
  await rowOf(page, name).hover()
  const handle = page.getByRole('button', { name: `Move ${name}` })
  const from = await handle.boundingBox()
  const to = await rowOf(page, over).boundingBox()
  if (from === null || to === null) throw new Error('The row isn’t visible')
  const x = from.x + from.width / 2
  await page.mouse.move(x, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(x, to.y + 20, { steps: 4 })
}
const line = (page: Page) => page.locator('.job-drop-line')
const names = (page: Page) => waitingSection(page).locator('.file-name').allTextContents()

function checkDrag(): void {
  it('moves a job by its handle; the list doesn’t reorder itself meanwhile', async () => {
    const page = await openState('queue', TALL)
    const before = await names(page)
    const target = await rowOf(page, 'boat-trip.mp4').boundingBox()
    await drag(page, 'IMG_0412.jpg', 'boat-trip.mp4')
    await line(page).waitFor()
    expect(Math.abs(((await line(page).boundingBox())?.y ?? 0) - (target?.y ?? 0))).toBeLessThan(4)
    await change(page, { outbox: fixture('queue').script.state.outbox.slice(1) })
    await settled(page)
    expect(await names(page)).toEqual(before)
    await page.mouse.up()
    await expect.poll(() => moves(page)).toEqual([{ id: 'IMG_0412.jpg', before: 'boat-trip.mp4' }])
    expect(await line(page).count()).toBe(0)
    await expect.poll(() => names(page)).not.toEqual(before)
  })

  itInLongSuite('moves a job to the end', async () => {
    const page = await openState('queue', { width: 880, height: 900 })
    await drag(page, 'boat-trip.mp4', 'scan_021.tiff')
    await page.mouse.move(270, 860)
    await page.mouse.up()
    await expect.poll(() => moves(page)).toEqual([{ id: 'boat-trip.mp4', before: null }])
  })

  itInLongSuite('ends with Esc, without moving the job or leaving its details', async () => {
    const page = await openState('queue', TALL)
    await drag(page, 'IMG_0412.jpg', 'boat-trip.mp4')
    await page.keyboard.press('Escape')
    await expect.poll(() => line(page).count()).toBe(0)
    await page.mouse.up()
    expect(await moves(page)).toEqual([])
    await page.locator('.job-pane h1', { hasText: 'boat-trip.mp4' }).waitFor()
  })

  itInLongSuite('ends when the job is sent meanwhile', async () => {
    const page = await openState('queue', TALL)
    await drag(page, 'IMG_0412.jpg', 'boat-trip.mp4')
    await line(page).waitFor()
    const { outbox } = fixture('queue').script.state
    const sending = { kind: 'sending', upload: null } as const
    await change(page, {
      outbox: outbox.map((part) => (part.id === 'IMG_0412.jpg' ? { ...part, state: sending } : part)),
    })
    await expect.poll(() => page.getByRole('button', { name: 'Move IMG_0412.jpg' }).count()).toBe(0)
    await page.mouse.move(270, 400)
    await page.mouse.up()
    await expect.poll(() => line(page).count()).toBe(0)
    expect(await moves(page)).toEqual([])
  })

  itInLongSuite(
    'has handles only for jobs that no service has accepted, and none in a narrow window',
    async () => {
      const page = await openState('queue', WIDE)
      await rowOf(page, 'harbour-walk.mp4').hover()
      await rowOf(page, 'P1010233.jpg').hover()
      const handle = page.getByRole('button', { name: /^Move .*Alt and arrow keys$/ })
      await expect.poll(() => handle.count()).toBe(1)
      const narrow = await openState('queue', NARROW)
      await narrow.getByRole('button', { name: 'Back to jobs' }).click()
      await rowOf(narrow, 'P1010233.jpg').hover()
      await narrow.locator('.job-row-actions').first().waitFor({ state: 'visible' })
      expect(await narrow.locator('.job-row-handle:visible').count()).toBe(0)
    },
  )
}
