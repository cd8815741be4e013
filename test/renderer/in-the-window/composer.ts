import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { describeInLongSuite, firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { fixture } from '../harness/fixtures.ts'
import { settled } from '../harness/go-to.ts'
import {
  argumentsOf,
  change,
  focusedText,
  openScript,
  openState,
  NARROW,
  WIDE,
} from '../harness/open-state.ts'

const preset = (page: Page) => page.getByRole('combobox', { name: 'Preset' })
const saveTo = (page: Page) => page.getByRole('combobox', { name: 'Save to' })
const options = (page: Page) => page.getByRole('option')
const option = (page: Page, name: string) => page.getByRole('option', { name })
const active = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const id = document.activeElement?.getAttribute('aria-activedescendant')
    return document.getElementById(id ?? '')?.querySelector('.visually-hidden')?.textContent ?? ''
  })
const isFocused = (page: Page, id: string): Promise<boolean> =>
  page.evaluate((wanted) => document.activeElement?.id === wanted, id)
const outlook = (page: Page) => page.locator('#start-outlook').textContent()
const hint = (page: Page) => page.locator('#preset-does').textContent()
const photosOf = (source: Draft['source']) =>
  source.kind === 'files' ? source.items.filter(({ kind }) => kind === 'image') : []
const chosen = async (page: Page): Promise<readonly unknown[]> =>
  (await argumentsOf(page, 'draft.update')).map((update) => Object(update).presets)

/**
 * Presses *Start job*, which the main process refuses when the returned function is called.
 * @param draft the draft in the main process, which the window may not have yet
 */
async function pressRefusedStart(page: Page, draft: Draft): Promise<() => Promise<unknown>> {
  await page.evaluate((refused) => {
    const reason = { code: 'readOnly', values: {} }
    const problems = [{ code: 'replaceImpossible', folder: '/media/card', reason }]
    Object.assign(window.mediatray.draft, {
      async start() {
        await new Promise((resolve) => addEventListener('refuse', resolve))
        return { ok: false, problems, draft: refused }
      },
    })
  }, draft)
  await page.getByRole('button', { name: 'Start job' }).click()
  return () => page.evaluate(() => dispatchEvent(new Event('refuse')))
}

export function checkComposer(): void {
  describe('the list of presets', checkPresetList)
  describe('several presets', checkSeveralPresets)
  describe('Save to', checkSaveTo)
  describe('file types', checkFileTypes)
  describe('files that are already done', checkDone)
  it('names what the results will lose before the job starts, and lists several kinds on request', async () => {
    const page = await openState('compose-lost')
    const note = page.locator('.foreseen-note')
    expect(await note.textContent()).toContain('2 files would lose something: pages. AVIF holds one page.')
    const rows = await page.locator('.draft-file').allTextContents()
    expect(rows.map((row) => /\d+ (pages|chapters)/.exec(row)?.[0])).toEqual([
      '5 pages',
      '2 pages',
      '12 chapters',
      '9 chapters',
    ])
    expect(await page.locator('.other-format').allTextContents()).toEqual([
      '2 files have chapters. MP4 keeps them.',
      '1 file has HDR. MP4 keeps it.',
    ])
    await note.getByRole('button', { name: 'Use TIFF for these' }).click()
    expect(await argumentsOf(page, 'draft.useKeepingFormat')).toHaveLength(1)
    const { draft } = fixture('compose-other-format').script.state
    await change(page, { foreseen: null, draft })
    const calm = page.locator('.other-format').first()
    expect(await calm.textContent()).toContain('2 files become TIFF.')
    const { source } = draft
    const others = photosOf(fixture('compose').script.state.draft.source)
    const photos: Draft['source'] = { kind: 'files', items: [...photosOf(source), ...others] }
    await change(page, { draft: { ...draft, source: photos } })
    expect(await calm.textContent()).toContain('2 files become TIFF, the others AVIF.')
    await calm.getByRole('button', { name: 'Undo' }).click()
    expect(await argumentsOf(page, 'draft.usePresetFormat')).toHaveLength(1)
    const several = fixture('compose-lost-several').script.state
    await change(page, { foreseen: several.foreseen })
    expect(await note.locator('b').textContent()).toBe('4 files would lose something: pages, IPTC, and more.')
    await note.getByRole('button', { name: 'Show' }).click()
    expect(await note.locator('li').allTextContents()).toEqual([
      '3 files: pages. AVIF holds one page.',
      '1 file: IPTC. AVIF can’t hold it.',
      '1 file: subtitles. MP4 can’t hold them.',
    ])
    await change(page, { draft: { ...several.draft, output: { kind: 'replace' } } })
    expect(await note.textContent()).toContain('These originals won’t be replaced.')
    await change(page, { foreseen: null })
    expect(await note.count()).toBe(0)
  })

  describeInLongSuite('the composer in any appearance', checkAppearance)
}

function checkPresetList(): void {
  it('opens with Enter, Space or an arrow, at the chosen preset, and keeps the focus on the field', async () => {
    for (const key of firstOf(['Enter', ' ', 'ArrowDown', 'ArrowUp'])) {
      const page = await openState('compose-built-in')
      await preset(page).press(key)
      expect(await preset(page).getAttribute('aria-expanded')).toBe('true')
      expect(await active(page)).toBe('Web 2048, photos')
      expect(await isFocused(page, 'preset')).toBe(true)
      expect(await argumentsOf(page, 'draft.update')).toEqual([])
    }
  })

  it('takes one preset with Enter or a click, and closes', async () => {
    const page = await openState('compose-presets-open')
    await page.keyboard.press('ArrowDown')
    expect(await active(page)).toBe('Mail, photos')
    await page.keyboard.press('Enter')
    expect(await options(page).count()).toBe(0)
    await preset(page).click()
    await option(page, 'Print A4').locator('.option-label').click()
    expect(await options(page).count()).toBe(0)
    expect(await chosen(page)).toEqual([['Mail'], ['Print A4 300 dpi']])
    expect(await isFocused(page, 'preset')).toBe(true)
  })

  it('adds and removes with Space or a click on the checkbox, and stays open', async () => {
    const page = await openState('compose-built-in')
    await preset(page).click()
    await option(page, 'Web 2048').hover()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press(' ')
    await option(page, 'Web ready').hover()
    await option(page, 'Web ready').locator('.combobox-checkbox').click()
    await option(page, 'Web 2048').locator('.combobox-checkbox').click()
    expect(await chosen(page)).toEqual([
      ['Web 2048', 'Print A4 300 dpi'],
      ['Web 2048', 'Print A4 300 dpi', 'Web ready'],
      ['Print A4 300 dpi', 'Web ready'],
    ])
    expect(await preset(page).getAttribute('aria-expanded')).toBe('true')
    expect(await isFocused(page, 'preset')).toBe(true)
    await page.keyboard.press('Escape')
    expect(await preset(page).getAttribute('aria-expanded')).toBe('false')
    expect(await page.locator('.job-pane h1').textContent()).toContain('New job')
  })

  itInLongSuite('moves with arrows, Home, End, and Page keys, and jumps to typed letters', async () => {
    const page = await openState('compose-presets-open')
    const press = async (key: string, name: string): Promise<void> => {
      await page.keyboard.press(key)
      expect(await active(page)).toContain(name)
    }
    await press('Home', 'Make smaller')
    await press('ArrowUp', 'Make smaller')
    await press('End', 'Basic defaults')
    await press('ArrowDown', 'Basic defaults')
    await press('PageUp', 'Family archive')
    await press('p', 'Print A4')
    await press('Home', 'Make smaller')
    await page.keyboard.type('web 2')
    expect(await active(page)).toContain('Web 2048')
    expect(await chosen(page)).toEqual([])
  })

  itInLongSuite('opens at a typed letter, and closes with Tab or a click elsewhere', async () => {
    const page = await openState('compose-built-in')
    await preset(page).focus()
    await page.keyboard.press('t')
    expect(await active(page)).toContain('Thumbnails 512')
    await page.keyboard.press('Tab')
    expect(await options(page).count()).toBe(0)
    expect(await isFocused(page, 'preset')).toBe(false)
    await preset(page).click()
    await page.locator('.job-pane h1').click()
    await expect.poll(() => options(page).count()).toBe(0)
    expect(await argumentsOf(page, 'draft.update')).toEqual([])
  })

  itInLongSuite('announces each option’s kind, state and place, and why it can’t be chosen', async () => {
    const page = await openState('compose-presets-open')
    const web = option(page, 'Web 2048, photos')
    expect(await web.getAttribute('aria-selected')).toBe('true')
    expect([await web.getAttribute('aria-posinset'), await web.getAttribute('aria-setsize')]).toEqual([
      '8',
      '15',
    ])
    expect(await page.getByRole('listbox').getAttribute('aria-multiselectable')).toBe('true')
    const disabled = option(page, 'H.264 1080p, videos, needs videos')
    expect(await disabled.getAttribute('aria-disabled')).toBe('true')
    await disabled.click({ force: true })
    await disabled.locator('.combobox-checkbox').click({ force: true })
    expect(await chosen(page)).toEqual([])
    expect(await page.locator('.combobox-foot').getAttribute('aria-hidden')).toBe('true')
  })

  itInLongSuite('shows a checkbox only on chosen and current rows', async () => {
    const page = await openState('compose-presets-open')
    await option(page, 'Web ready').hover()
    const shown = await page
      .locator('.combobox-option')
      .evaluateAll((rows) =>
        rows
          .filter((row) =>
            row.querySelector('.combobox-checkbox')?.checkVisibility({ visibilityProperty: true }),
          )
          .map((row) => row.querySelector('.option-label')?.textContent),
      )
    expect(shown).toEqual(['Web ready', 'Web 2048', 'Mail'])
  })

  itInLongSuite('offers no sixth preset', async () => {
    const page = await openState('compose-presets-five')
    const sixth = option(page, 'Mail, photos, the maximum is 5')
    await sixth.click({ force: true })
    expect(await chosen(page)).toEqual([])
    await option(page, 'Clean metadata').hover()
    await page.keyboard.press(' ')
    expect(await chosen(page)).toEqual([['Web ready', 'Web 2048', 'Print A4 300 dpi', 'Thumbnails 512']])
    await expect.poll(() => page.locator('.combobox-foot').textContent()).toContain('4 of 5')
  })

  itInLongSuite('starts the job with Ctrl+Enter, also while the list is open', async () => {
    const page = await openState('compose-presets-open')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => argumentsOf(page, 'draft.start')).toHaveLength(1)
  })
}

function checkSeveralPresets(): void {
  itInLongSuite('shows the names that fit and counts the others', async () => {
    const page = await openState('compose-presets-five')
    await page.keyboard.press('Escape')
    await settled(page)
    const shown = page.locator('.fitting-names > :not(.unfitting)')
    // How many fit depends on the system's fonts.
    const names = async () => (await shown.allTextContents()).slice(0, -1)
    await expect.poll(async () => (await names())[0]).toBe('Clean metadata')
    const few = (await names()).length
    expect(await shown.last().textContent()).toBe(`+ ${5 - few} more`)
    await page.setViewportSize({ width: 1_280, height: 800 })
    await expect.poll(async () => (await names()).length).toBeGreaterThan(few)
    const row = page.locator('.fitting-names')
    expect(await row.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  })

  itInLongSuite('disables Edit preset, with the reason', async () => {
    const page = await openState('compose-presets')
    const edit = page.getByRole('button', { name: 'Edit preset' })
    expect(await edit.isDisabled()).toBe(true)
    expect(await edit.getAttribute('title')).toBe('Choose one preset to edit it')
  })

  it('counts the results, or what each preset processes', async () => {
    expect(await hint(await openState('compose-presets'))).toBe(
      '2 presets, 12 results. A subfolder for each preset.',
    )
    expect(await hint(await openState('compose-presets-mixed'))).toBe(
      'H.264 1080p: 2 videos. Web 2048: 3 photos. A subfolder for each preset.',
    )
  })

  it('has the choice of subfolders below their number', async () => {
    const page = await openState('compose-presets')
    await page.getByRole('checkbox', { name: 'A subfolder for each preset' }).uncheck()
    expect(await argumentsOf(page, 'draft.update')).toEqual([{ presetFolders: false }])
    expect(await page.locator('#preset-does').textContent()).toBe('2 presets, 12 results.')
    expect(await (await openState('compose-built-in')).getByRole('checkbox').count()).toBe(0)
  })

  itInLongSuite('lists files that no chosen preset handles, with the reason, and removes them', async () => {
    const page = await openState('compose-presets-unhandled')
    await page.getByText('2 files can’t be used', { exact: true }).waitFor()
    expect(await page.locator('.draft-file.error .hint').allTextContents()).toEqual([
      'None of the chosen presets handles videos',
      'None of the chosen presets handles videos',
    ])
    expect(await page.locator('#start-outlook').textContent()).toBe(
      'Starts right away without the 2 files that can’t be used.',
    )
    await page.getByRole('button', { name: 'Remove these' }).click()
    expect(await argumentsOf(page, 'draft.removeItems')).toEqual([
      ['/home/ida/Pictures/clip_0147.mov', '/home/ida/Pictures/clip_0148.mov'],
    ])
  })

  it('has a line for each estimate, all on one scale, and a total', async () => {
    const page = await openState('compose-presets')
    const lines = await page.locator('.estimates').innerText()
    expect(lines.replaceAll(/\s+/g, ' ')).toBe(
      'Web 2048 About 4 MB 3 to 6 MB Mail At most 3 MB Total About 7 MB from 48.2 MB, 8 s',
    )
    const bars = await page
      .locator('.estimate-bar')
      .evaluateAll((all) => all.map((bar) => (bar as HTMLElement).style.getPropertyValue('--high')))
    expect(bars).toEqual(['12.4%', '6.2%'])
  })

  itInLongSuite('announces the estimate as one sentence once it is stable, the total first', async () => {
    const page = await openState('compose-presets')
    await expect
      .poll(() => page.getByRole('group', { name: 'Estimate' }).getByRole('status').textContent())
      .toBe('About 7 MB from 48.2 MB, 8 s. Web 2048: About 4 MB. Mail: At most 3 MB.')
  })

  itInLongSuite('shows neither bars nor ranges if it is narrow', async () => {
    const page = await openState('compose-presets', NARROW)
    const visible = await page
      .locator('.estimate-bar, .estimate-range')
      .evaluateAll((all) => all.filter((element) => element.checkVisibility()).length)
    expect(visible).toBe(0)
  })
}

function checkSaveTo(): void {
  it('has a group for this computer, for the originals and for Drive', async () => {
    const page = await openState('compose-save-open')
    expect(
      await page
        .locator('.combobox-list [role="group"]')
        .evaluateAll((all) => all.map((group) => group.getAttribute('aria-label'))),
    ).toEqual(['This computer', 'With the originals', 'Drive'])
    await page.keyboard.type('next')
    await page.keyboard.press('Enter')
    expect(await argumentsOf(page, 'draft.update')).toEqual([{ output: { kind: 'beside', subfolder: null } }])
    expect(await isFocused(page, 'output')).toBe(true)
    expect(await saveTo(page).textContent()).toBe('Next to each original')
  })

  itInLongSuite('explains why results can’t go next to the originals', async () => {
    const { script } = fixture('compose-save-open')
    const connection = { ...script.state.connection, seesFiles: false }
    const page = await openScript({ ...script, state: { ...script.state, connection } })
    await saveTo(page).click()
    const unavailable = option(page, 'Next to each original, not when files are uploaded')
    expect(await unavailable.getAttribute('aria-disabled')).toBe('true')
    const drive = await openState('compose-drive-input')
    await saveTo(drive).click()
    await option(drive, 'Next to each original, not for Drive').waitFor()
  })

  it('has the subfolder in the same row, and names the number of folders', async () => {
    const page = await openState('compose-beside')
    await page.getByText('3 folders, one job. Existing files are never overwritten.').waitFor()
    expect(await page.getByRole('button', { name: 'Choose…' }).count()).toBe(0)
    const subfolder = page.getByRole('textbox', { name: 'Subfolder (optional)' })
    await subfolder.fill('')
    await subfolder.pressSequentially('Web a')
    expect(await subfolder.inputValue()).toBe('Web a')
    expect(
      (await argumentsOf(page, 'draft.update')).map((update) => Object(update).output.subfolder),
    ).toEqual([null, 'W', 'We', 'Web', 'Web', 'Web a'])
    const { draft } = fixture('compose-beside').script.state
    const items = draft.source.kind === 'files' ? draft.source.items : []
    const skip = (folders: RegExp) => {
      const done = items
        .filter(({ path }) => folders.test(path))
        .map(({ path, size }) => ({
          path,
          size,
          presets: draft.presets,
          isDone: true,
          at: 0,
          resultOf: null,
        }))
      return change(page, { doneFiles: { kind: 'known', done } })
    }
    await skip(/2023/)
    await page.getByText('2 folders, one job.').waitFor()
    await skip(/2023|2024/)
    await expect.poll(() => page.locator('#originals-hint').count()).toBe(0)
  })

  itInLongSuite(
    'checks the subfolder’s name as it is typed, and doesn’t start with an invalid one',
    async () => {
      const page = await openState('compose-beside-wrong-name')
      const subfolder = page.getByRole('textbox', { name: 'Subfolder (optional)' })
      expect(await page.getByRole('alert').textContent()).toBe('A name can’t contain /.')
      expect(await subfolder.getAttribute('aria-invalid')).toBe('true')
      expect(await page.getByRole('button', { name: 'Start job' }).isDisabled()).toBe(true)
      await subfolder.press('Backspace')
      await subfolder.fill('Web')
      expect(await page.getByRole('alert').count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Start job' }).isEnabled()).toBe(true)
    },
  )

  itInLongSuite('names folders that can’t be written, and where their results go', async () => {
    const page = await openState('compose-beside-readonly')
    await page.getByText('Can’t write to /media/card/DCIM. Its 2 results go to ~/Pictures/Web.').waitFor()
    await page.getByRole('button', { name: 'Choose another' }).click()
    expect(await argumentsOf(page, 'draft.chooseOutput')).toHaveLength(1)
    const many = await openState('compose-beside-readonly-many')
    await many.getByText('Can’t write to 4 folders.').waitFor()
    expect(await many.getByText('/media/card/MISC').count()).toBe(0)
    await many.getByRole('button', { name: 'Show' }).click()
    await many.getByText('Can’t write to /media/card/MISC. Its result goes to ~/Pictures/Web.').waitFor()
  })

  itInLongSuite('asks once before results go to more than 50 folders', async () => {
    const page = await openState('compose-beside')
    await page.evaluate(() => {
      const { draft } = window.mediatray
      const { start } = draft
      Object.assign(draft, {
        start: async (argument: Parameters<typeof start>[0]) => {
          const result = await start(argument)
          if (argument.confirmed !== undefined) return result
          const refused = window.strings.state().draft
          return { ok: false, problems: [{ code: 'manyFolders', count: 63 }], draft: refused }
        },
      })
    })
    await page.getByRole('button', { name: 'Start job' }).click()
    await page.getByText('The results would go to 63 folders.').waitFor()
    await page.getByRole('button', { name: 'Start anyway' }).click()
    await expect
      .poll(() => argumentsOf(page, 'draft.start'))
      .toEqual([{ split: false }, { split: false, confirmed: ['manyFolders'] }])
    await expect.poll(() => page.getByText('The results would go to 63 folders.').count()).toBe(0)
  })

  itInLongSuite('gives the subfolder its own line if it is narrow', async () => {
    const page = await openState('compose-beside', NARROW)
    const field = await saveTo(page).boundingBox()
    const subfolder = await page.getByRole('textbox', { name: 'Subfolder (optional)' }).boundingBox()
    expect(subfolder?.y).toBeGreaterThan((field?.y ?? 0) + 20)
    expect(subfolder?.width).toBe(field?.width)
  })
}

function checkFileTypes(): void {
  it('lists files by their own names, and explains why others can’t be used', async () => {
    const page = await openState('compose-types')
    await page.getByText('2 files can’t be used', { exact: true }).waitFor()
    await page.getByText('4 photos, 1 video', { exact: true }).waitFor()
    expect(
      await page
        .locator('.draft-file .file-name')
        .evaluateAll((all) => all.map((name) => (name as HTMLElement).title)),
    ).toContain('quay_03')
    expect(await page.locator('.draft-file.error .hint').allTextContents()).toEqual([
      'RAW isn’t supported. Export it as TIFF or JPEG from your photo app first.',
      'Not a photo or video',
    ])
    expect(await page.locator('.draft-file.error .file-size').allTextContents()).toEqual([
      '28.4 MB',
      '210 kB',
    ])
    expect(await page.locator('#start-outlook').textContent()).toBe(
      'Starts right away without the 2 files that can’t be used.',
    )
  })

  itInLongSuite('offers the built-in service for a type that only it processes', async () => {
    const page = await openState('compose-types-external')
    await page.getByText('AVIF works only with the built-in service.').waitFor()
    await page.getByRole('button', { name: 'Use built-in service' }).click()
    expect(await argumentsOf(page, 'connection.useBuiltIn')).toHaveLength(1)
  })
}

function checkDone(): void {
  it('names their number, and starts with the others', async () => {
    const page = await openState('compose-done')
    await page.getByText('140 of 200 are already done with Web 2048.').waitFor()
    await page.getByText('60 to process', { exact: true }).waitFor()
    expect(await outlook(page)).toBe('Starts right away with 60 files.')
    expect(await page.getByRole('radio', { name: 'Skip them' }).isChecked()).toBe(true)
    await page.getByRole('radio', { name: 'Process again' }).check()
    expect(await argumentsOf(page, 'draft.update')).toEqual([{ done: 'again' }])
    await expect.poll(() => outlook(page)).toBe('Starts right away.')
    expect(await page.getByText('60 to process', { exact: true }).count()).toBe(0)
  })

  itInLongSuite('folds their group, and shows which of them are results', async () => {
    const page = await openState('compose-done')
    const show = page.getByRole('button', { name: 'Show', exact: true })
    expect(await show.getAttribute('aria-expanded')).toBe('false')
    await show.press('Enter')
    expect(await focusedText(page)).toBe('Hide')
    await page.locator('.done .draft-file').first().focus()
    await page.keyboard.press('End')
    await page.getByText('Result of Web 2048, 17 November').waitFor()
  })

  itInLongSuite('a problem of the start disappears when the user changes what caused it', async () => {
    const page = await openState('compose-replace')
    const { draft } = fixture('compose-replace').script.state
    const refuse = await pressRefusedStart(page, draft)
    await refuse()
    const sentence = page.getByText('The originals in /media/card can’t be replaced')
    await sentence.waitFor()
    // The main process changes this when it refuses to start.
    await change(page, { draft: { ...draft, editing: asRecordId('another') } })
    expect(await sentence.count()).toBe(1)
    await change(page, { draft: { ...draft, output: { kind: 'folder', path: '/home/ida/Web' } } })
    await expect.poll(() => outlook(page)).toMatch(/^Starts/)
    await settled(page)
    await change(page, { draft })
    await settled(page)
    expect(await sentence.count()).toBe(0)
  })

  itInLongSuite(
    'a problem of the start is shown even if the draft that it is about appears later',
    async () => {
      const page = await openState('compose-replace')
      const { draft } = fixture('compose-replace').script.state
      const changed = { ...draft, output: { kind: 'folder', path: '/home/ida/Web' } } as const
      const refuse = await pressRefusedStart(page, changed)
      await refuse()
      await change(page, { draft: changed })
      await settled(page)
      expect(await outlook(page)).toContain('/media/card')
    },
  )

  itInLongSuite('a problem of the start isn’t shown if the user changed the draft meanwhile', async () => {
    const page = await openState('compose-replace')
    const { draft } = fixture('compose-replace').script.state
    const refuse = await pressRefusedStart(page, draft)
    await change(page, { draft: { ...draft, output: { kind: 'folder', path: '/home/ida/Web' } } })
    await refuse()
    await settled(page)
    expect(await outlook(page)).toMatch(/^Starts/)
  })

  itInLongSuite('announces why nothing starts, but not each job that ends before this one', async () => {
    const page = await openState('compose-done-all')
    const announced = () => page.locator('#start-outlook').getAttribute('aria-live')
    expect(await announced()).toBe(null)
    await page.getByRole('radio', { name: 'Process again' }).check()
    await expect.poll(announced).toBe('off')
    await change(page, { queue: { waiting: 3, processing: true } })
    await expect.poll(() => outlook(page)).toContain('4 other jobs')
    expect(await announced()).toBe('off')
    await change(page, { connection: fixture('offline').script.state.connection })
    await expect.poll(() => outlook(page)).toContain('isn’t running')
    expect(await announced()).toBe(null)
  })

  itInLongSuite('photos and videos aren’t a problem for a task, adjusted or not', async () => {
    const { script } = fixture('compose-mixed')
    const connection = { ...script.state.connection, kind: 'builtIn' as const }
    for (const name of ['Make smaller', 'Make smaller: adjusted']) {
      const draft = { ...script.state.draft, presets: [name] }
      const page = await openScript({ ...script, state: { ...script.state, connection, draft } })
      await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
      await page.locator('#start-outlook').waitFor()
      expect(await page.getByText('Split into two jobs').count(), name).toBe(0)
    }
  })

  itInLongSuite('leaves nothing to start if all files are done', async () => {
    const page = await openState('compose-done-all')
    await page.getByText('All 200 are already done.').waitFor()
    expect(await outlook(page)).toBe('Nothing to process.')
    expect(await page.getByRole('button', { name: 'Start job' }).isDisabled()).toBe(true)
    await page.getByRole('radio', { name: 'Process again' }).check()
    await expect.poll(() => page.getByRole('button', { name: 'Start job' }).isEnabled()).toBe(true)
  })

  itInLongSuite('are still being compared, while the job can already start', async () => {
    const page = await openState('compose-done-checking')
    await page.getByText('Checking 200 files for earlier results…').waitFor()
    expect(await page.getByRole('button', { name: 'Start job' }).isEnabled()).toBe(true)
  })

  itInLongSuite(
    'are shown as being compared only if that takes long, and then long enough to be read',
    async () => {
      const page = await openState('compose-done')
      const known = fixture('compose-done').script.state.doneFiles
      const checking = fixture('compose-done-checking').script.state.doneFiles
      const shownMs = await page.evaluate(
        ([before, during]) =>
          new Promise<number>((resolve) => {
            let shownAt = 0
            new MutationObserver((_changes, observer) => {
              const isShown = document.body.textContent.includes('for earlier results…')
              if (isShown && shownAt === 0) {
                shownAt = performance.now()
                window.strings.change({ doneFiles: before })
              }
              if (isShown || shownAt === 0) return
              observer.disconnect()
              resolve(performance.now() - shownAt)
            }).observe(document.body, { childList: true, subtree: true, characterData: true })
            window.strings.change({ doneFiles: during })
          }),
        [known, checking] as const,
      )
      expect(shownMs).toBeGreaterThan(600)
      await page.getByText('140 of 200 are already done', { exact: false }).waitFor()
    },
  )

  it('are announced with the drop', async () => {
    const page = await openState('compose-done-checking')
    await page.evaluate(() => window.strings.emit('toast', { kind: 'added', taken: 200, refused: 0 }))
    await page.evaluate(() => {
      window.strings.now += 10_000
    })
    await change(page, { doneFiles: fixture('compose-done').script.state.doneFiles })
    await expect
      .poll(() => page.locator('.window > [role="status"]').textContent())
      .toBe('200 files added, 140 already done, skipped')
  })
}

function checkAppearance(): void {
  it.each([
    ['compose-presets-open', NARROW, 'ltr'],
    ['compose-presets-open', WIDE, 'rtl'],
    ['compose-save-open', { width: 440, height: 320 }, 'ltr'],
  ] as const)('the open list stays inside the window: %s', async (name, size, direction) => {
    const page = await openState(name, size)
    await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction)
    await settled(page)
    const box = await page.locator('.combobox-list').boundingBox()
    if (box === null) throw new Error('The list isn’t shown')
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.y).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(size.width)
    expect(box.y + box.height).toBeLessThanOrEqual(size.height)
  })

  it('outlines the current option in forced colors', async () => {
    const page = await openState('compose-presets-open', WIDE, 'forced')
    const outline = await page
      .locator('.combobox-option.active')
      .evaluate((element) => getComputedStyle(element).outlineStyle)
    expect(outline).toBe('solid')
  })
}
