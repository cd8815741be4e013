import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { fixtures, NOW, standard } from './harness/fixtures.ts'
import type { Fixture } from './harness/fixtures.ts'
import type { Called, Script } from './harness/fake-bridge.ts'
import { goTo } from './harness/go-to.ts'
import { startHarness } from './harness/open-window.ts'
import type { Harness } from './harness/open-window.ts'

const WIDE = { width: 880, height: 640 }
const NARROW = { width: 420, height: 560 }

const fixture = (name: string): Fixture => {
  const found = fixtures[name]
  if (found === undefined) throw new Error(`There is no fixture ${name}`)
  return found
}
const [sample] = standard.records
const longHistory: Script = {
  ...standard,
  records: Array.from({ length: 10_000 }, (_, index) => ({
    ...(sample ?? fail()),
    id: asRecordId(`record-${index}`),
    name: `photo_${index}.jpg`,
    endedAt: NOW - index * 3_600_000,
  })),
}
function fail(): never {
  throw new Error('The fixture has no record')
}

const calls = (page: Page, name: string): Promise<readonly Called[]> =>
  page.evaluate((wanted) => window.strings.calls.filter((call) => call.name === wanted), name)
const focusedText = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent ?? '')

describe('the window', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await startHarness()
  })
  afterEach(() => {
    expect(harness.complaints()).toEqual([])
  })
  afterAll(() => harness.close())

  const open = async (name: string, size = WIDE): Promise<Page> => {
    const page = await harness.open(fixture(name).script, size, 'light')
    await goTo(page, fixture(name))
    return page
  }

  it('has at most 60 rows in the page for 10 000 jobs, and keeps the focused one', async () => {
    const page = await harness.open(longHistory, { width: 880, height: 800 }, 'light')
    const first = page.getByRole('button', { name: /photo_0\.jpg/ })
    await first.click()
    const scroller = page.locator('.jobs')
    for (const top of [2_000, 100_000, 400_000, 522_000]) {
      await scroller.evaluate((element, to) => element.scrollTo(0, to), top)
      await page.waitForTimeout(60)
      expect(await page.locator('.row').count()).toBeLessThanOrEqual(60)
    }
    expect(await focusedText(page)).toContain('photo_0')
    expect(await page.locator('.row-place[aria-setsize="10000"]').count()).toBeGreaterThan(0)
  })

  it('reaches the last of 10 000 jobs with End, and the stage follows', async () => {
    const page = await harness.open(longHistory, WIDE, 'light')
    await page.getByRole('button', { name: /photo_0\.jpg/ }).click()
    await page.keyboard.press('End')
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('photo_9999') === true)
    await expect.poll(() => page.locator('h1').textContent()).toContain('photo_9999')
  })

  it('lists 1 000 files with few rows, and its amber sum', async () => {
    const page = await open('compose-thousand')
    expect(await page.locator('.file').count()).toBeLessThan(40)
    await expect.poll(() => page.locator('#variations-sum').textContent()).toContain('2,000 results')
  })

  it('takes a snapshot again after a change was missed', async () => {
    const page = await open('idle')
    await page.evaluate(() => {
      window.strings.emit('stateChanged', { version: 9, slices: { outboxPaused: true } })
    })
    await expect.poll(async () => (await calls(page, 'app.snapshot')).length).toBe(2)
  })

  it('does not reorder the list while the pointer is over it', async () => {
    const page = await open('queue-full')
    const names = () => page.locator('.row .name').allTextContents()
    await page.locator('.row').nth(1).hover()
    await page.mouse.move(150, 300)
    const before = await names()
    await page.evaluate(
      (jobs) => window.strings.change({ jobs: jobs.slice(1) }),
      fixture('queue-full').script.state.jobs,
    )
    await page.waitForTimeout(100)
    expect(await names()).toEqual(before)
    await page.mouse.move(700, 300)
    await expect.poll(names).not.toEqual(before)
  })

  it('hands a result over to be dragged into another app', async () => {
    const page = await open('details')
    const result = page.locator('.item[draggable="true"]').first()
    await result.dispatchEvent('dragstart')
    expect((await calls(page, 'files.startDrag'))[0]?.argument).toEqual([
      '/home/ida/Pictures/Web/DSC_4821.webp',
    ])
    await result.focus()
    await page.keyboard.press('Enter')
    expect((await calls(page, 'files.open'))[0]?.argument).toBe('/home/ida/Pictures/Web/DSC_4821.webp')
  })

  it('compares by arrow and Page keys', async () => {
    const page = await open('details')
    const slider = page.getByRole('slider', { name: 'Compare before and after' })
    await slider.press('ArrowRight')
    await slider.press('PageUp')
    expect(await slider.getAttribute('aria-valuetext')).toBe('61 % before')
    const split = await page
      .locator('.compare')
      .evaluate((element) => getComputedStyle(element).getPropertyValue('--split'))
    expect(split).toBe('61%')
  })

  it('removes a job with Del and offers to bring it back', async () => {
    const page = await open('idle')
    await page.locator('.row').first().focus()
    await page.keyboard.press('Delete')
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await calls(page, 'work.remove')).toHaveLength(1)
    expect(await calls(page, 'work.restore')).toHaveLength(1)
  })

  it('takes dropped files by path and a pasted picture by its bytes', async () => {
    const page = await open('idle')
    await page.evaluate(() => {
      const files = new DataTransfer()
      files.items.add(new File(['abc'], 'photo.jpg'))
      dispatchEvent(new DragEvent('drop', { dataTransfer: files }))
      const pasted = new DataTransfer()
      pasted.items.add(new File(['abc'], 'pasted.png'))
      dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted }))
    })
    await expect.poll(async () => (await calls(page, 'draft.addImage')).length).toBe(1)
    expect((await calls(page, 'draft.addPaths'))[0]?.argument).toEqual(['/home/ida/dropped'])
  })

  it('ignores dragged text and links', async () => {
    const page = await open('idle')
    await page.evaluate(() => {
      const text = new DataTransfer()
      text.setData('text/uri-list', 'file:///etc/passwd')
      dispatchEvent(new DragEvent('dragenter', { dataTransfer: text }))
      dispatchEvent(new DragEvent('drop', { dataTransfer: text, cancelable: true }))
    })
    expect(await page.locator('.drop-over').count()).toBe(0)
    expect(await calls(page, 'draft.addPaths')).toEqual([])
  })

  it('does the main job by keyboard alone', async () => {
    const page = await open('compose')
    await page.keyboard.press('Control+Enter')
    expect((await calls(page, 'draft.start'))[0]?.argument).toEqual({ split: false })
    await page.keyboard.press('/')
    await page.keyboard.type('scan')
    await expect.poll(() => page.locator('.row').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.row').count()).toBeGreaterThan(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain('row')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain('scroll')
    await page.keyboard.press('Control+Shift+R')
    expect((await calls(page, 'work.retryFailed'))[0]?.argument).toBe('scan_001.tiff')
    await page.keyboard.press('Control+,')
    await expect.poll(() => page.locator('h1').textContent()).toBe('Connection')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.panes').getAttribute('data-view')).toBe('jobs')
  })

  it('goes from list to stage to notice and back with F6', async () => {
    const page = await open('key-rejected')
    const region = () =>
      page.evaluate(() => document.activeElement?.closest('.side, .stage, .notice')?.classList[0] ?? '')
    const seen: string[] = []
    for (let press = 0; press < 4; press += 1) {
      await page.keyboard.press('F6')
      seen.push(await region())
    }
    expect(seen).toEqual(['side', 'stage', 'notice', 'side'])
  })

  it('opens the menu of a row by key and gives the focus back', async () => {
    const page = await open('idle')
    await page.locator('.row').first().focus()
    await page.keyboard.press('Shift+F10')
    await page.locator('.menu').waitFor()
    await page.keyboard.press('r')
    expect(await focusedText(page)).toContain('Run again')
    await page.keyboard.press('Escape')
    expect(await focusedText(page)).toContain('IMG_0093')
  })

  it('says why a new key does not work', async () => {
    const page = await open('key-rejected')
    await page.getByLabel('API key').fill('wrong')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#notice-key-trouble').textContent()).toContain('rejected this key')
  })

  it('asks before it sends a lost submission again, with nothing chosen', async () => {
    const page = await open('unsure')
    const goOn = page.getByRole('button', { name: 'Continue' })
    expect(await page.locator('input[name="which"]:checked').count()).toBe(0)
    expect(await goOn.isDisabled()).toBe(true)
    await page.getByLabel(/It is job_3dTf-002/).check()
    await goOn.click()
    expect((await calls(page, 'outbox.resolve'))[0]?.argument).toEqual({
      id: 'boat-trip.mp4',
      choice: { kind: 'adopt', jobId: 'job_3dTf-002' },
    })
  })

  it('keeps the problems of a preset beside its text', async () => {
    const page = await open('settings-presets')
    await page
      .getByRole('textbox', { name: 'Preset as JSON' })
      .fill('{ "name": "Web 2048", "image": { "quality": 900 } }')
    await page.getByRole('button', { name: 'Save preset' }).click()
    await expect
      .poll(() => page.locator('#preset-problems').textContent())
      .toBe('image.quality: must be at most 100')
  })

  it('shows one pane at a time in a narrow window, with a way back', async () => {
    const page = await open('idle', NARROW)
    expect(await page.locator('.stage').isVisible()).toBe(false)
    await page.locator('.row').first().click()
    expect(await page.locator('.side').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Back to jobs' }).click()
    expect(await page.locator('.side').isVisible()).toBe(true)
  })

  it('never shows more than the whole, and an unknown share as unknown', async () => {
    const page = await open('busy')
    const bar = page.locator('.row progress').first()
    const [job] = fixture('busy').script.state.jobs
    if (job === undefined) throw new Error('Nothing runs')
    const report = (share: number | null) =>
      page.evaluate(
        ({ running, value }) =>
          window.strings.change({ jobs: [{ ...running, progress: { ...running.progress, share: value } }] }),
        { running: job, value: share },
      )
    await report(1.7)
    await expect.poll(() => bar.getAttribute('value')).toBe('1')
    expect(await page.locator('.share').textContent()).toBe('100 %')
    await report(null)
    await expect.poll(() => bar.getAttribute('value')).toBeNull()
    expect(await page.locator('.share').count()).toBe(0)
  })

  it('speaks German and follows the appearance as soon as they are chosen', async () => {
    const page = await open('idle')
    await page.evaluate((settings) => {
      window.strings.change({ settings: { ...settings, language: 'de', appearance: 'dark' } })
    }, standard.state.settings)
    await expect.poll(() => page.locator('h1').textContent()).toBe('Neuer Auftrag')
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  })
})
