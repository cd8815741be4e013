import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import type { PartTitle } from '../../../src/shared/model/job.ts'
import { fixture } from '../harness/fixtures.ts'
import { goTo, settled } from '../harness/go-to.ts'
import { argumentsOf, calls, focusedText, openScript, openState } from '../harness/open-state.ts'
import { presetRow } from '../harness/steps.ts'

const name = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('data-preset'))
const foot = (page: Page) => page.locator('.studio-foot p')
const save = (page: Page) => page.getByRole('button', { name: 'Save preset' })
const hint = (page: Page, preset: string) => presetRow(page, preset).locator('.hint').textContent()

/** Saves the preset and returns its parsed text. */
async function savedText(page: Page): Promise<unknown> {
  await page.keyboard.press('ControlOrMeta+s')
  await expect.poll(() => calls(page, 'presets.save')).not.toEqual([])
  const saved = (await argumentsOf(page, 'presets.save')).at(-1)
  return typeof saved === 'object' && saved !== null ? JSON.parse(String(Reflect.get(saved, 'text'))) : null
}

/** Adds a second preset to a part. */
const withSecond = <Shown extends Pick<PartTitle, 'place'>>(shown: Shown): Shown => ({
  ...shown,
  place: { ...shown.place, presets: 2 },
})

export function checkPresets(): void {
  it('summarizes each preset, its usage and its unsaved changes', async () => {
    const page = await openState('settings-presets')
    expect(await hint(page, 'Chat')).toBe('Videos: H.264, 720p, 1.5 Mbit/s')
    expect(await hint(page, 'Web 2048')).toBe('Photos: Changed. JPEG, 2048 px, quality 82. Location removed.')
    expect(await hint(page, 'Mail')).toContain('2 changes not saved.')
    expect(await hint(page, 'Old phone')).toBe('Can’t be used: Passthrough video can’t be resized.')
    expect(await presetRow(page, 'Web 2048').locator('.preset-row-usage').textContent()).toContain('New jobs')
  })

  it('lets the user browse, rename, duplicate and remove presets with keys', async () => {
    const page = await openState('settings-presets')
    await presetRow(page, 'Chat').focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => name(page)).toBe('Family archive')
    await page.keyboard.press('End')
    await expect.poll(() => name(page)).toBe('Web 2048')
    await page.keyboard.press('ControlOrMeta+d')
    await expect.poll(() => argumentsOf(page, 'presets.save')).toMatchObject([{ replaces: null }])
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'New name' }).fill('Mail')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('alert').textContent()).toBe('A preset named “Mail” already exists.')
    await page.keyboard.press('Escape')
    await expect.poll(() => name(page)).toBe('Web 2048')
    await page.keyboard.press('Delete')
    await expect.poll(() => argumentsOf(page, 'presets.remove')).toEqual(['Web 2048'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => calls(page, 'presets.undo')).toHaveLength(1)
  })

  it('leaves the focus where the user clicks after not changing a name', async () => {
    const page = await openState('settings-presets')
    await presetRow(page, 'Web 2048').focus()
    await page.keyboard.press('F2')
    const field = page.getByRole('textbox', { name: 'New name' })
    await field.waitFor()
    await page.locator('#settings-search').click()
    await field.waitFor({ state: 'detached' })
    await settled(page)
    expect(await page.locator('#settings-search:focus').count()).toBe(1)
  })

  it('stars presets with the mouse and with S, up to five, and announces it', async () => {
    const page = await openState('settings-presets')
    const star = (preset: string) => page.getByRole('button', { name: `Star ${preset}`, exact: true })
    const said = () => page.locator('[aria-live=polite]').first().textContent()
    expect(await star('Web 2048').getAttribute('aria-pressed')).toBe('true')
    await star('Chat').click()
    await expect.poll(() => star('Chat').getAttribute('aria-pressed')).toBe('true')
    await expect.poll(said).toBe('Chat starred, 4 of 5')
    await presetRow(page, 'Old phone').focus()
    await page.keyboard.press('s')
    await expect.poll(() => star('Old phone').getAttribute('aria-pressed')).toBe('true')
    expect(await page.locator('.star-hint').textContent()).toBe(
      'Starred presets come first in lists, in the tray menu, and when you right-click files. 5 of 5 are starred.',
    )
    expect(await name(page)).toBe('Old phone')
    await page.keyboard.press('Home')
    await expect.poll(() => name(page)).toBe('Chat')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => name(page)).toBe('Family archive')
    await page.keyboard.press('s')
    await page.getByText('Five presets are starred. Unstar one first.').waitFor()
    expect(await star('Family archive').getAttribute('aria-pressed')).toBe('false')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => name(page)).toBe('Chat')
    await page.keyboard.press('s')
    await expect.poll(() => star('Chat').getAttribute('aria-pressed')).toBe('false')
    expect(await argumentsOf(page, 'presets.star')).toEqual([
      { name: 'Chat', isStarred: true },
      { name: 'Old phone', isStarred: true },
      { name: 'Family archive', isStarred: true },
      { name: 'Chat', isStarred: false },
    ])
  })

  itInLongSuite(
    'says that originals whose results lost something weren’t replaced, fine or not',
    async () => {
      const heading = { name: /^Lost in the result/ }
      for (const [state, words] of [
        ['details-lost', 'The originals are unchanged'],
        ['details-lost-replaced', 'These originals weren’t replaced'],
      ] as const) {
        const page = await openState(state)
        const lost = page.locator('section', { has: page.getByRole('heading', heading) })
        expect(await lost.locator('header').textContent()).toContain(words)
        expect(await lost.getByRole('button', { name: 'It’s fine' }).first().getAttribute('title')).toContain(
          'Originals with this loss still aren’t replaced.',
        )
      }
    },
  )

  it('no longer lists a loss that the user calls fine, until it is undone', async () => {
    const page = await openState('details-lost')
    const lost = page.locator('section', { has: page.getByRole('heading', { name: /^Lost in the result/ }) })
    const row = page.locator('.job-row-lost')
    expect(await lost.locator('.file-row').count()).toBe(3)
    await lost.getByRole('button', { name: 'It’s fine' }).first().click()
    await page.getByText('No longer listed as lost for Web 2048: pages').waitFor()
    await expect.poll(() => lost.locator('.file-row').count()).toBe(1)
    expect(await row.textContent()).toBe('· 3 lost something')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => row.textContent()).toBe('· 5 lost something')
    expect(await argumentsOf(page, 'settings.update')).toEqual([
      { fineLosses: { 'Web 2048': ['pages'] } },
      { fineLosses: { 'Web 2048': [] } },
    ])
  })

  itInLongSuite(
    'lists all losses of a job with several presets, which can’t be called fine, as its row counts them',
    async () => {
      const { script } = fixture('details-lost')
      const settings = { ...script.state.settings, fineLosses: { 'Web 2048': ['pages' as const] } }
      const page = await openScript({
        ...script,
        state: { ...script.state, settings },
        records: script.records.map(withSecond),
        details: Object.fromEntries(Object.entries(script.details).map(([id, one]) => [id, withSecond(one)])),
      })
      await goTo(page, fixture('details-lost'))
      const lost = page.locator('section', {
        has: page.getByRole('heading', { name: /^Lost in the result/ }),
      })
      expect(await lost.locator('.file-row').count()).toBe(3)
      expect(await lost.getByRole('button', { name: 'It’s fine' }).count()).toBe(0)
      expect(await page.locator('.job-row-lost').textContent()).toBe('· 5 lost something')
    },
  )

  itInLongSuite('shows in the editor what isn’t listed as lost, and lists it again', async () => {
    const page = await openState('studio-fine')
    const fine = page.getByRole('list', { name: 'Not listed as lost' })
    expect(await fine.textContent()).toBe('pages')
    await fine.getByRole('button', { name: 'List again: pages' }).click()
    await expect.poll(() => fine.count()).toBe(0)
    expect(await argumentsOf(page, 'settings.update')).toEqual([{ fineLosses: { 'Web 2048': [] } }])
  })

  itInLongSuite('lists a loss of a task again when the task is adjusted', async () => {
    const { script } = fixture('compose-tasks')
    const settings = { ...script.state.settings, fineLosses: { 'Make smaller': ['pages' as const] } }
    const page = await openScript({ ...script, state: { ...script.state, settings } })
    await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
    await page.getByRole('button', { name: 'Adjust…' }).click()
    await page.getByText('More options', { exact: true }).click()
    await page.getByRole('button', { name: 'List again: pages' }).click()
    await expect
      .poll(() => argumentsOf(page, 'settings.update'))
      .toEqual([{ fineLosses: { 'Make smaller': [] } }])
  })

  it.each(
    firstOf([
      [
        'presets-unstarred',
        'Star presets you use often. They come first in lists, in the tray menu, and when you right-click files.',
      ],
      [
        'presets-unsupported',
        'Starred presets come first in lists and in the tray menu. 3 of 5 are starred. This desktop’s file manager isn’t supported.',
      ],
      [
        'presets-not-installed',
        'Starred presets come first in lists and in the tray menu. 3 of 5 are starred. This copy of Mediatray isn’t installed, so it can’t add anything to the file manager.',
      ],
    ]),
  )('explains what stars do: %s', async (state, hint) => {
    const page = await openState(state)
    expect(await page.locator('.star-hint').textContent()).toBe(hint)
  })

  itInLongSuite('offers to turn on the Quick Actions of macOS until one has been used', async () => {
    const page = await openState('presets-mac')
    await page.getByRole('button', { name: 'Turn on in Finder' }).click()
    await expect.poll(() => calls(page, 'presets.turnOnInFinder')).toHaveLength(1)
    await page.evaluate(() =>
      window.strings.change({
        settings: { ...window.strings.state().settings, pickedInFileManager: true },
      }),
    )
    await expect.poll(() => page.getByRole('button', { name: 'Turn on in Finder' }).count()).toBe(0)
  })

  it('shows what an import added, what it skipped and why, and undoes the import', async () => {
    const page = await openState('presets-imported')
    const report = page.locator('.preset-report')
    expect(await report.textContent()).toContain('Imported 2 presets.')
    expect(await report.textContent()).toContain(
      '“Mail” already exists, so the imported preset is named “Mail 2”.',
    )
    expect(await report.textContent()).toContain('image.quality: Quality must be from 1 to 100 (line 38).')
    await report.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => calls(page, 'presets.undo')).toHaveLength(1)
    expect(await report.count()).toBe(0)
  })

  it('changes one field of the text with each control, and undoes changes', async () => {
    const page = await openState('studio')
    expect(await foot(page).textContent()).toBe('Saved')
    await page.getByRole('slider', { name: 'Quality' }).press('ArrowLeft')
    await page.getByRole('slider', { name: 'Quality' }).press('PageDown')
    expect(await foot(page).textContent()).toBe('1 change')
    await page.getByLabel('Format').selectOption('webp')
    expect(await foot(page).textContent()).toBe('2 changes')
    await page.getByRole('radio', { name: 'Fixed quality' }).press('ControlOrMeta+z')
    expect(await foot(page).textContent()).toBe('1 change')
    await page.getByLabel('Metadata').selectOption('keep')
    expect(await savedText(page)).toEqual({
      name: 'Web 2048',
      image: { format: 'jpeg', quality: 71, size: { width: 2048, height: 2048 }, metadata: 'keep' },
    })
  })

  itInLongSuite('removes only the location of photos and of videos, and shows what stays', async () => {
    const page = await openState('studio-both')
    const part = page.getByRole('radiogroup', { name: 'Settings for' })
    for (const [kind, field] of [
      ['Photos', 'image'],
      ['Videos', 'video'],
    ] as const) {
      await part.getByRole('radio', { name: kind }).check()
      const metadata = page.getByLabel('Metadata')
      await metadata.focus()
      await page.keyboard.type('Remove location')
      await expect.poll(() => metadata.inputValue()).toBe('strip-location')
      expect(await page.locator(`#preset-${field}-metadata-help`).textContent()).toBe(
        'Camera, title, and date stay.',
      )
    }
    expect(await savedText(page)).toMatchObject({
      image: { metadata: 'strip-location' },
      video: { metadata: 'strip-location' },
    })
  })

  itInLongSuite(
    'moves between form and preview with F6; Esc closes an open menu before it closes the editor',
    async () => {
      const page = await openState('studio')
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
    },
  )

  itInLongSuite('describes the visual quality in words, including for screen readers', async () => {
    const page = await openState('studio-look')
    const slider = page.getByRole('slider', { name: 'Visual quality' })
    const said = () => slider.getAttribute('aria-valuetext')
    expect(await said()).toBe('75. Differences are visible only side by side.')
    await slider.press('PageUp')
    expect(await said()).toBe('85. Differences are visible only when zoomed in.')
    await slider.press('End')
    expect(await said()).toBe('100. No visible difference, even zoomed in.')
    await slider.press('Home')
    expect(await said()).toBe('30. Noticeably softer. For thumbnails and drafts.')
    expect(await savedText(page)).toEqual({ name: 'Chat', video: { height: 720, look: 30 } })
  })

  itInLongSuite('keeps the unit while a size is typed', async () => {
    const page = await openState('studio-size')
    const most = page.getByRole('textbox', { name: 'Maximum file size' })
    await most.fill('')
    await most.pressSequentially('1500')
    expect(await page.getByLabel('Unit').inputValue()).toBe('kB')
    await page.getByRole('button', { name: '8 MB' }).click()
    expect([await most.inputValue(), await page.getByLabel('Unit').inputValue()]).toEqual(['8', 'MB'])
    await page.getByLabel('Unit').selectOption('GB')
    await most.fill('0.5')
    expect(await savedText(page)).toMatchObject({ image: { maxBytes: 500_000_000 } })
  })

  it('keeps unsaved changes, and reverts them on request', async () => {
    const page = await openState('studio-unsaved')
    expect(await foot(page).textContent()).toBe('2 changes')
    await page.getByRole('button', { name: 'Revert' }).click()
    expect(await foot(page).textContent()).toBe('Saved')
    await expect.poll(() => argumentsOf(page, 'presets.keepUnsaved')).toEqual([{ name: 'Mail', text: null }])
    await page.keyboard.press('Escape')
    await expect.poll(() => name(page)).toBe('Mail')
  })

  it('shows conflicting settings at the control, moves the focus there, and offers a fix', async () => {
    const page = await openState('studio-video-more')
    expect(await save(page).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Can’t save yet' }).click()
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('preset-video-container')
    expect(await page.getByRole('alert').textContent()).toContain(
      'WebM doesn’t support H.264. Use VP9 and AV1.',
    )
    await page.getByRole('button', { name: 'Use MP4' }).click()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await save(page).isEnabled()).toBe(true)
  })

  itInLongSuite('offers only what applies to audio, and fixes what doesn’t', async () => {
    const page = await openState('studio-video')
    const alert = page.getByRole('alert')
    await page.getByLabel('Codec').selectOption('none')
    expect(await alert.textContent()).toContain('Height doesn’t apply when saving only audio.')
    await alert.getByRole('button', { name: 'Remove field' }).press('Enter')
    await page.getByLabel('Audio', { exact: true }).selectOption('none')
    expect(await alert.textContent()).toContain('Without audio, nothing would be left.')
    await alert.getByRole('button', { name: 'Remove field' }).press('Enter')
    await page.getByLabel('Audio', { exact: true }).selectOption('opus')
    expect(await page.getByLabel('Audio bit rate').count()).toBe(1)
    await page.getByText('More options').click()
    for (const gone of ['Height', 'Subtitles', 'Frame rate', 'Rotate', 'Container', 'Hardware encoder'])
      expect([gone, await page.getByLabel(gone, { exact: true }).count()]).toEqual([gone, 0])
    expect(await savedText(page)).toEqual({
      name: 'H.264 1080p',
      video: { crf: 23, codec: 'none', audio: 'opus' },
    })
  })

  itInLongSuite('makes variations only if that is switched on, and restores the ranges', async () => {
    const page = await openState('studio-variations')
    const makes = page.getByRole('checkbox', { name: 'Make variations' })
    expect(await makes.isChecked()).toBe(true)
    expect(await page.getByLabel('Brightness').inputValue()).toBe('12')
    await makes.uncheck()
    await expect.poll(() => page.getByLabel('Brightness').count()).toBe(0)
    await makes.check()
    await expect.poll(() => page.getByLabel('Brightness').inputValue()).toBe('12')
    await makes.uncheck()
    expect(await savedText(page)).toEqual({
      name: 'Dataset variations',
      image: { format: 'jpeg', size: { width: 512, height: 512 } },
    })
    const without = await openState('studio-more')
    expect(await without.getByRole('checkbox', { name: 'Make variations' }).isChecked()).toBe(false)
  })

  itInLongSuite('makes a GIF in its own container, without a quality', async () => {
    const page = await openState('studio-video')
    await page.getByLabel('Codec').selectOption('gif')
    expect(await page.getByText('GIF has 256 colors and no quality setting.').count()).toBe(1)
    expect(await page.getByRole('radio', { name: 'Maximum file size' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Use GIF' }).press('Enter')
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await savedText(page)).toMatchObject({ video: { height: 1080, codec: 'gif', container: 'gif' } })
  })

  it('shows the line of a syntax error, and keeps the form as it was', async () => {
    const page = await openState('studio-json-bad')
    expect(await page.getByRole('alert').textContent()).toContain(
      'Line 5: a comma is missing before “quality”.',
    )
    expect(await page.locator('.line-numbers .error').textContent()).toBe('5')
    expect(await save(page).isDisabled()).toBe(true)
    await page.getByRole('radio', { name: 'Form' }).check()
    expect(await page.getByLabel('Format').inputValue()).toBe('jpeg')
  })

  itInLongSuite('restores a part that was removed', async () => {
    const page = await openState('studio-both')
    await page.getByRole('radio', { name: 'Photos', exact: true }).first().check()
    expect(await page.getByRole('radiogroup', { name: 'Settings for' }).count()).toBe(0)
    await page.getByRole('radio', { name: 'Both' }).check()
    await page
      .getByRole('radiogroup', { name: 'Settings for' })
      .getByRole('radio', { name: 'Videos' })
      .check()
    expect(await page.getByLabel('Quality', { exact: true }).inputValue()).toBe('24')
  })

  it('opens the preset editor from the new job, and Back returns there', async () => {
    const page = await openState('compose-built-in')
    expect(await page.locator('#preset-does').textContent()).toBe(
      'JPEG, 2048 px, quality 82. Location removed.',
    )
    await page.getByRole('button', { name: 'Edit preset' }).click()
    await page.getByRole('button', { name: 'Back to the new job' }).click()
    await expect.poll(() => focusedText(page)).toBe('Edit preset')
  })
}
