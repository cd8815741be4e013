import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { argumentsOf, calls, NARROW, openState } from '../harness/open-state.ts'

const radios = (page: Page) => page.getByRole('radiogroup', { name: 'Compare qualities' }).getByRole('radio')
const facts = (page: Page) => page.locator('.compared-facts').allInnerTexts()
const panes = (page: Page) => page.locator('.compared-quality .preview-pane')
const lefts = (page: Page) =>
  panes(page).evaluateAll((all) =>
    all.map((pane) => {
      const image = pane.querySelector('.after img')
      return Math.round((image?.getBoundingClientRect().left ?? 0) - pane.getBoundingClientRect().left)
    }),
  )
const look = (page: Page) => page.getByRole('slider', { name: 'Visual quality' }).inputValue()
const open = (page: Page) => page.getByRole('button', { name: 'Compare qualities' })
const isClosed = (page: Page) => expect.poll(() => radios(page).count()).toBe(0)

export function checkComparedQualities(): void {
  it('shows three results with size, quality and time, and the set one is chosen and has the focus', async () => {
    const page = await openState('preview-compared')
    await expect
      .poll(() => facts(page))
      .toEqual([
        '284 kB\nQuality 68\nDifferences are visible only side by side.\n0.2 s',
        '612 kB\nQuality 84, as set\nDifferences are visible only when zoomed in.\n0.3 s',
        '1.3 MB\nQuality 92\nNo visible difference, even zoomed in.\n0.4 s',
      ])
    expect(await radios(page).nth(1).isChecked()).toBe(true)
    await expect
      .poll(() =>
        radios(page)
          .nth(1)
          .evaluate((radio) => radio === document.activeElement),
      )
      .toBe(true)
    // The result as set is the preview's own.
    const looks = (await argumentsOf(page, 'preview.whole')).map(
      (request) => Object(request).preset.image.look,
    )
    expect(looks.slice(-3)).toEqual([84, 68, 92])
  })

  it('uses the chosen quality as an unsaved change, with the keyboard alone', async () => {
    const page = await openState('preview-compared')
    await expect.poll(() => facts(page)).toHaveLength(3)
    await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: 'Use quality 92' }).waitFor()
    await page.keyboard.press('Enter')
    await isClosed(page)
    expect(await look(page)).toBe('92')
    await expect.poll(() => open(page).evaluate((button) => button === document.activeElement)).toBe(true)
    expect(await page.getByRole('button', { name: 'Save preset' }).isEnabled()).toBe(true)
    expect(await calls(page, 'presets.save')).toEqual([])
  })

  itInLongSuite.each(['Esc', 'Cancel'])('changes nothing with %s', async (way) => {
    const page = await openState('preview-compared')
    await radios(page).first().check()
    const before = (await calls(page, 'preview.whole')).length
    if (way === 'Esc') await page.keyboard.press('Escape')
    else await page.getByRole('button', { name: 'Cancel' }).click()
    await isClosed(page)
    expect(await look(page)).toBe('84')
    expect(await page.locator('.result-line').getAttribute('class')).toContain('fine')
    expect(await calls(page, 'preview.whole')).toHaveLength(before)
  })

  itInLongSuite('pans and zooms all results together, and shows the original in all with P', async () => {
    const page = await openState('preview-compared')
    await expect.poll(() => panes(page).locator('.after img').count()).toBe(3)
    const start = await lefts(page)
    await panes(page).first().focus()
    await page.keyboard.press('ArrowRight')
    expect(await lefts(page)).toEqual(start.map((left) => left - 40))
    await page.keyboard.press('2')
    expect(await panes(page).evaluateAll((all) => all.map(({ dataset }) => dataset['zoom']))).toEqual([
      'double',
      'double',
      'double',
    ])
    const shown = () => panes(page).evaluateAll((all) => all.map(({ dataset }) => dataset['shown']))
    expect(await shown()).toEqual(['after', 'after', 'after'])
    await page.keyboard.press('p')
    expect(await shown()).toEqual(['before', 'before', 'before'])
    expect(await page.locator('.compared-picture .pane-label:visible').allTextContents()).toEqual([
      'Before',
      'Before',
      'Before',
    ])
  })

  itInLongSuite(
    'has a moving bar for a result that isn’t ready, whose quality can be used nevertheless',
    async () => {
      const page = await openState('preview-comparing')
      await expect.poll(() => page.locator('.compared-picture progress').count()).toBe(1)
      expect(await facts(page)).toContain('Quality 92\nUpdating the size…')
      await radios(page).last().check()
      await page.getByRole('button', { name: 'Use quality 92' }).click()
      await expect.poll(() => look(page)).toBe('92')
    },
  )

  itInLongSuite('ends when the form changes', async () => {
    const page = await openState('preview-compared')
    await page.getByRole('slider', { name: 'Visual quality' }).fill('70')
    await isClosed(page)
    await expect.poll(() => page.locator('.preview').isVisible()).toBe(true)
    expect(await look(page)).toBe('70')
  })

  itInLongSuite(
    'needs visual quality or a known score: disabled with a maximum file size, absent for lossless results',
    async () => {
      const page = await openState('preview-fine')
      await expect.poll(() => open(page).isEnabled()).toBe(true)
      await page.getByRole('radio', { name: 'Maximum file size' }).check()
      expect(await open(page).isEnabled()).toBe(false)
      expect(await open(page).getAttribute('title')).toBe('Choose Visual quality as the target first')
      await page.getByRole('radio', { name: 'Fixed quality' }).check()
      await expect.poll(() => open(page).isEnabled()).toBe(true)
      await open(page).click()
      await expect.poll(() => facts(page)).toContainEqual(expect.stringContaining('Quality 84, as set'))
      await page.keyboard.press('Escape')
      await page.getByLabel('Format', { exact: true }).selectOption('png')
      await expect.poll(() => open(page).count()).toBe(0)
    },
  )

  itInLongSuite('plays the results of a video in sync, and continues its preview afterwards', async () => {
    const page = await openState('preview-video-compared')
    await expect
      .poll(async () => (await facts(page)).map((text) => text.split('\n').slice(0, 2)))
      .toEqual([
        ['About 41 MB', 'Quality 68'],
        ['About 68 MB', 'Quality 84, as set'],
        ['About 112 MB', 'Quality 92'],
      ])
    const starts = (await argumentsOf(page, 'preview.part')).map((request) => Object(request).start)
    expect(starts.slice(-2)).toEqual([42, 42])
    expect(await panes(page).locator('.after canvas').count()).toBe(3)
    await page.keyboard.press('Space')
    await page
      .getByRole('button', { name: 'Play (Space)' })
      .or(page.getByRole('button', { name: 'Pause (Space)' }))
      .first()
      .waitFor()
    await page.keyboard.press('Escape')
    await isClosed(page)
    const canvas = page.locator('.preview .after canvas')
    await expect.poll(() => canvas.isVisible()).toBe(true)
  })

  itInLongSuite('fills a narrow window, with one row for each result', async () => {
    const page = await openState('preview-compared', NARROW)
    const boxes = await Promise.all(
      (await page.locator('.compared-picture').all()).map((row) => row.boundingBox()),
    )
    expect(boxes.map((box) => [box?.x, box?.width])).toEqual([
      [0, 168],
      [0, 168],
      [0, 168],
    ])
    expect(await page.locator('.studio-form').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('.studio-form').waitFor()
    await expect.poll(() => page.locator('.compare-qualities:focus').count()).toBe(1)
  })
}
