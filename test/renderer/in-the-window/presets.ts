import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { argumentsOf, calls, focusedText, lookAt } from '../harness/look-at.ts'
import type { Harness } from '../harness/open-window.ts'
import { presetRow } from '../harness/preset-steps.ts'

const name = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-preset'))
const foot = (page: Page) => page.locator('.studio-foot p')
const save = (page: Page) => page.getByRole('button', { name: 'Save preset' })
const hint = (page: Page, preset: string) => presetRow(page, preset).locator('.hint').textContent()

/** The text of the preset as it would be saved. */
async function savedText(page: Page): Promise<unknown> {
  await page.keyboard.press('ControlOrMeta+s')
  await expect.poll(() => calls(page, 'presets.save')).not.toEqual([])
  const saved = (await argumentsOf(page, 'presets.save')).at(-1)
  return typeof saved === 'object' && saved !== null ? JSON.parse(String(Reflect.get(saved, 'text'))) : null
}

export function checkPresets(harness: () => Harness): void {
  const open = (state: string) => lookAt(harness(), state)

  it('says in a line what each does, who uses it, and what was not saved', async () => {
    const page = await open('settings-presets')
    expect(await hint(page, 'Chat')).toBe('Videos: H.264, 720p, 1.5 Mbit/s')
    expect(await hint(page, 'Web 2048')).toBe('Photos: Changed. JPEG, 2048 px, quality 82. Place removed')
    expect(await hint(page, 'Mail')).toContain('2 changes not saved.')
    expect(await hint(page, 'Old phone')).toBe('Can’t be used: Untouched pictures can’t be made smaller.')
    expect(await presetRow(page, 'Web 2048').locator('.use').textContent()).toContain('New jobs')
  })

  it('is walked through, renamed, doubled and emptied with keys', async () => {
    const page = await open('settings-presets')
    await presetRow(page, 'Chat').focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => name(page)).toBe('Family archive')
    await page.keyboard.press('End')
    await expect.poll(() => name(page)).toBe('Web ready')
    await page.keyboard.press('ControlOrMeta+d')
    await expect.poll(() => argumentsOf(page, 'presets.save')).toMatchObject([{ replaces: null }])
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'New name' }).fill('Mail')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('alert').textContent()).toBe('There is a preset “Mail” already.')
    await page.keyboard.press('Escape')
    await expect.poll(() => name(page)).toBe('Web ready')
    await page.keyboard.press('Delete')
    await expect.poll(() => argumentsOf(page, 'presets.remove')).toEqual(['Web ready'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => calls(page, 'presets.undo')).toHaveLength(1)
  })

  it('says what an import brought, what it left out and why, and takes it back', async () => {
    const page = await open('presets-imported')
    const report = page.locator('.preset-report')
    expect(await report.textContent()).toContain('2 presets came in.')
    expect(await report.textContent()).toContain(
      'You have a “Mail” already, so the new one is called “Mail 2”.',
    )
    expect(await report.textContent()).toContain('image.quality: Quality is 1 to 100 (line 38).')
    await report.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => calls(page, 'presets.undo')).toHaveLength(1)
    expect(await report.count()).toBe(0)
  })

  it('changes one field of the text with each control, and takes it back', async () => {
    const page = await open('studio')
    expect(await foot(page).textContent()).toBe('Saved')
    await page.getByRole('slider', { name: 'Quality' }).press('ArrowLeft')
    await page.getByRole('slider', { name: 'Quality' }).press('PageDown')
    expect(await foot(page).textContent()).toBe('1 change')
    await page.getByLabel('Format').selectOption('webp')
    expect(await foot(page).textContent()).toBe('2 changes')
    await page.getByRole('radio', { name: 'Fixed quality' }).press('ControlOrMeta+z')
    expect(await foot(page).textContent()).toBe('1 change')
    await page.getByRole('checkbox', { name: 'Camera and place' }).check()
    expect(await savedText(page)).toEqual({
      name: 'Web 2048',
      image: { format: 'jpeg', quality: 71, size: { width: 2048, height: 2048 }, metadata: 'keep' },
    })
  })

  it('goes between form and picture with F6, and closes what is open before it leaves', async () => {
    const page = await open('studio')
    const region = () =>
      page.evaluate(() => document.activeElement?.closest('[data-region]')?.getAttribute('data-region'))
    await expect.poll(region).toBe('side')
    await page.keyboard.press('F6')
    await expect.poll(region).toBe('main')
    await page.keyboard.press('F6')
    await expect.poll(region).toBe('side')
    await page.getByLabel('Format').press('Space')
    await page.keyboard.press('Escape')
    expect(await page.locator('.studio-head').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => name(page)).toBe('Web 2048')
  })

  it('says a look in words, for eyes and for ears', async () => {
    const page = await open('studio-look')
    const slider = page.getByRole('slider', { name: 'Look' })
    const said = () => slider.getAttribute('aria-valuetext')
    expect(await said()).toBe('75. Differences show only side by side.')
    await slider.press('PageUp')
    expect(await said()).toBe('85. Differences show only when zoomed in.')
    await slider.press('End')
    expect(await said()).toBe('100. No difference, even zoomed in.')
    await slider.press('Home')
    expect(await said()).toBe('30. Clearly softer. For thumbnails and drafts.')
    expect(await savedText(page)).toEqual({ name: 'Chat', video: { height: 720, look: 30 } })
  })

  it('keeps the unit while a size is typed', async () => {
    const page = await open('studio-size')
    const most = page.getByRole('textbox', { name: 'Most' })
    await most.fill('')
    await most.pressSequentially('1500')
    expect(await page.getByLabel('Unit').inputValue()).toBe('kB')
    await page.getByRole('button', { name: '8 MB' }).click()
    expect([await most.inputValue(), await page.getByLabel('Unit').inputValue()]).toEqual(['8', 'MB'])
    await page.getByLabel('Unit').selectOption('GB')
    await most.fill('0.5')
    expect(await savedText(page)).toMatchObject({ image: { maxBytes: 500_000_000 } })
  })

  it('keeps what was typed and not saved, and finds it again', async () => {
    const page = await open('studio-unsaved')
    expect(await foot(page).textContent()).toBe('2 changes')
    await page.getByRole('button', { name: 'Revert' }).click()
    expect(await foot(page).textContent()).toBe('Saved')
    await expect.poll(() => argumentsOf(page, 'presets.keepUnsaved')).toEqual([{ name: 'Mail', text: null }])
    await page.keyboard.press('Escape')
    await expect.poll(() => name(page)).toBe('Mail')
  })

  it('says wishes that exclude each other at the control, leads there, and knows the way out', async () => {
    const page = await open('studio-video-more')
    expect(await save(page).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Can’t be saved yet' }).click()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('preset-video-container')
    expect(await page.getByRole('alert').textContent()).toContain(
      'WebM can’t hold H.264. It takes VP9 and AV1.',
    )
    await page.getByRole('button', { name: 'Use MP4' }).click()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await save(page).isEnabled()).toBe(true)
  })

  it('says in which line the text can’t be read, and keeps the form as it was', async () => {
    const page = await open('studio-json-bad')
    expect(await page.getByRole('alert').textContent()).toContain(
      'Line 5: a comma is missing before “quality”.',
    )
    expect(await page.locator('.gutter .bad').textContent()).toBe('5')
    expect(await save(page).isDisabled()).toBe(true)
    await page.getByRole('radio', { name: 'Form' }).check()
    expect(await page.getByLabel('Format').inputValue()).toBe('jpeg')
  })

  it('brings a part back that was left out', async () => {
    const page = await open('studio-both')
    await page.getByRole('radio', { name: 'Photos', exact: true }).first().check()
    expect(await page.getByRole('radiogroup', { name: 'Part' }).count()).toBe(0)
    await page.getByRole('radio', { name: 'Both' }).check()
    await page.getByRole('radiogroup', { name: 'Part' }).getByRole('radio', { name: 'Videos' }).check()
    expect(await page.getByLabel('Quality', { exact: true }).inputValue()).toBe('24')
  })

  it('opens from the new job, and Back leads there again', async () => {
    const page = await open('compose-built-in')
    expect(await page.locator('#preset-does').textContent()).toBe('JPEG, 2048 px, quality 82. Place removed.')
    await page.getByRole('button', { name: 'Edit preset' }).click()
    await page.getByRole('button', { name: 'Back to the new job' }).click()
    await expect.poll(() => focusedText(page)).toBe('Edit preset')
  })
}
