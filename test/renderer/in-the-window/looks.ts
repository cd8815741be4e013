import { expect, it } from 'vitest'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { faint } from '../harness/faint.ts'
import { findWithAxe } from '../harness/find-with-axe.ts'
import { fixture } from '../harness/fixtures.ts'
import { moving } from '../harness/moving.ts'
import { overhanging } from '../harness/overhanging.ts'
import { openScript, openState, NARROW, WIDE } from '../harness/open-state.ts'

/** Size of the default window in CSS pixels at 200% zoom. */
const ZOOMED = { width: 440, height: 320 }

/** These states contain every kind of control and selection. `npm test` checks one of them for each kind of contrast. */
const CONTRASTS = firstOf(
  ['compose-tasks', 'settings-jobs', 'settings-general', 'details', 'preview-compared', 'studio'],
  3,
).flatMap((name, index) =>
  firstOf(
    (['contrast', 'dark contrast', 'forced'] as const).map(
      (_, shift, looks) => [name, looks[(index + shift) % 3] ?? 'forced'] as const,
    ),
  ),
)

export function checkLooks(): void {
  itInLongSuite('shows reasons in full if it is narrow', async () => {
    const page = await openState('compose-mixed', NARROW)
    const cut = await page
      .locator('.draft-file.error .hint')
      .evaluateAll((all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1),
      )
    expect(cut).toEqual([])
  })

  itInLongSuite.each(['studio-video-more', 'studio-german-conflict'])(
    'labels next to the buttons of the preset editor fit on one line in its narrowest column: %s',
    async (name) => {
      const page = await openState(name)
      const lines = await page.locator('.studio-foot .link').evaluate((link) => {
        const words = document.createRange()
        words.selectNodeContents(link)
        return words.getClientRects().length
      })
      expect(lines).toBe(1)
    },
  )

  it.each(firstOf(['settings-watch-dialog', 'rule-editor', 'drive-picker']))(
    'a dialog that is too high scrolls above its buttons: %s',
    async (name) => {
      const page = await openState(name, NARROW)
      const box = await page.locator('dialog .dialog-buttons').boundingBox()
      expect((box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0)).toBeLessThan(NARROW.height)
    },
  )

  itInLongSuite.each(['studio', 'details'])(
    'what opens below the visible part scrolls into view: %s',
    async (name) => {
      const page = await openState(name)
      const summary = page.locator('details > summary').last()
      await summary.focus()
      const before = await summary.boundingBox()
      await page.keyboard.press('Enter')
      await expect.poll(async () => (await summary.boundingBox())?.y).toBeLessThan(before?.y ?? 0)
    },
  )

  itInLongSuite('a double-click that opens a Drive folder selects no text', async () => {
    const page = await openState('drive-error')
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('')
  })

  it('loses no content at 200%, and its controls still work', async () => {
    const page = await openState('compose', ZOOMED)
    expect(await overhanging(page)).toEqual([])
    await page.getByRole('button', { name: 'Start job' }).scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'Start job' }).click()
    expect(await page.getByLabel('Preset').count()).toBe(1)
  })

  itInLongSuite(
    'leaves space for the window buttons on macOS, and can be dragged by its headers',
    async () => {
      const { script } = fixture('idle')
      const page = await openScript({ ...script, facts: { ...script.facts, platform: 'darwin' } })
      const search = await page.locator('#search').boundingBox()
      expect(search?.x).toBeGreaterThanOrEqual(80)
      const region = await page
        .locator('.job-pane .pane-header')
        .evaluate((element) => getComputedStyle(element).getPropertyValue('-webkit-app-region'))
      expect(region).toBe('drag')
    },
  )

  it.each(CONTRASTS)(
    'texts, the edges of controls and selections are visible without a difference in color: %s, %s',
    async (name, look) => {
      const page = await openState(name, WIDE, look)
      expect(await faint(page)).toEqual([])
      expect(await findWithAxe(page)).toEqual([])
    },
  )

  it('does not animate with reduced motion', async () => {
    expect(await moving(await openState('busy-unknown'))).toEqual([])
  })
}
