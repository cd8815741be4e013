import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { fixture } from '../harness/fixtures.ts'
import { argumentsOf, change, NARROW, openScript, openState, WIDE } from '../harness/open-state.ts'

const tile = (page: Page, name: string) => page.getByRole('radio', { name })
const chosen = async (page: Page): Promise<readonly unknown[]> =>
  (await argumentsOf(page, 'draft.update')).map((update) => Object(update).presets)
const started = (page: Page) => argumentsOf(page, 'draft.start')
const focusedName = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id)
const size = (page: Page) => page.getByRole('textbox', { name: 'At most' })

export function checkTiles(): void {
  it('the last choice is chosen and has the focus, so that Enter starts the job', async () => {
    const page = await openState('compose-tasks')
    expect(await focusedName(page)).toBe(
      'Make smaller. Same format and dimensions. Videos become HEVC. 1 of 4',
    )
    expect(await tile(page, 'Make smaller').isChecked()).toBe(true)
    await page.keyboard.press('Enter')
    await expect.poll(() => started(page)).toEqual([{ split: false }])
  })

  it('has the focus when files arrive after a visit to the settings, but doesn’t interrupt a search', async () => {
    const { draft } = fixture('compose-tasks').script.state
    for (const [typed, focused] of [
      ['', 'Make smaller.'],
      ['print', 'search'],
    ] as const) {
      const page = await openState('empty')
      await page.getByRole('button', { name: 'Settings' }).click()
      await page.locator('.back-to-jobs').click()
      await expect.poll(() => focusedName(page)).toBe('search')
      await page.locator('#search').fill(typed)
      await change(page, { draft })
      await tile(page, 'Make smaller').waitFor()
      expect(await focusedName(page)).toContain(focused)
    }
  })

  it('is chosen with a click, an arrow or its number, in fields only with a click', async () => {
    const page = await openState('compose-tasks')
    await tile(page, 'Remove location').check()
    await page.keyboard.press('ArrowUp')
    expect(await focusedName(page)).toContain('Under a size… The best quality')
    await page.keyboard.press('2')
    expect(await focusedName(page)).toContain('For the web.')
    await page.locator('#search').pressSequentially('14')
    expect(await chosen(page)).toEqual([['Remove location'], ['Under a size: 2 MB'], ['For the web']])
    expect(await started(page)).toEqual([])
  })

  it('with another service, there is the preset field instead', async () => {
    const page = await openState('compose')
    expect(await page.getByRole('radiogroup', { name: 'What to do' }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Preset', exact: true }).click()
    expect(await page.getByText('Common tasks').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.locator('.job-pane h1').click()
    await page.keyboard.press('1')
    expect(await chosen(page)).toEqual([])
  })

  it('the list can be filtered by task', async () => {
    const page = await openState('compose-tasks')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Under a size' }).click()
    await page.getByRole('button', { name: 'Remove filter: Under a size' }).waitFor()
    expect((await argumentsOf(page, 'history.page')).at(-1)).toMatchObject({
      query: { preset: 'Under a size' },
    })
  })

  it('a saved preset with a task’s name takes its place', async () => {
    const { script } = fixture('compose-tasks')
    const { connection } = script.state
    const presets = { image: ['For the web'], video: [] }
    const page = await openScript({
      ...script,
      state: { ...script.state, connection: { ...connection, presets } },
    })
    await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
    await tile(page, 'Make smaller').waitFor()
    expect(await page.getByRole('radio').count()).toBe(3)
  })

  it('a size is typed or chosen, and Enter in its field starts the job', async () => {
    const page = await openState('compose-tasks-size')
    expect(await page.locator('.estimate').textContent()).toContain('At most 12 MB of 48.2 MB')
    await page.getByRole('button', { name: '8 MB' }).click()
    await expect.poll(() => size(page).inputValue()).toBe('8')
    expect(await page.getByRole('button', { name: '8 MB' }).getAttribute('aria-pressed')).toBe('true')
    await size(page).focus()
    // The focus selects the number.
    await page.keyboard.type('1,5')
    expect((await chosen(page)).at(-1)).toEqual(['Under a size: 1.5 MB'])
    await page.keyboard.press('Enter')
    await expect.poll(() => started(page)).toHaveLength(1)
  })

  itInLongSuite('a size that can’t be used is explained, and nothing starts', async () => {
    const page = await openState('compose-tasks-size')
    for (const [typed, words] of [
      ['', 'Enter a size, for example 1.5 MB.'],
      ['1,500', 'Enter a size, for example 1.5 MB.'],
      ['0', 'Enter a size of at least 0.1 MB.'],
      ['2000', 'Enter a size of at most 1,000 MB.'],
    ] as const) {
      await size(page).fill(typed)
      expect(await page.getByRole('alert').textContent()).toBe(words)
      expect(await size(page).getAttribute('aria-invalid')).toBe('true')
      expect(await page.getByRole('button', { name: 'Start job' }).isDisabled()).toBe(true)
      await size(page).press('Enter')
    }
    expect(await started(page)).toEqual([])
    await tile(page, 'Make smaller').check()
    await expect.poll(() => page.getByRole('button', { name: 'Start job' }).isEnabled()).toBe(true)
  })

  it('a preset from the list replaces the tiles, and a task brings them back', async () => {
    const page = await openState('compose-tasks-open')
    const names = await page
      .getByRole('group', { name: 'Common tasks' })
      .getByRole('option')
      .allTextContents()
    expect(names).toHaveLength(4)
    expect(await page.locator('[aria-label="Common tasks"] .combobox-checkbox').count()).toBe(0)
    await page.getByRole('option', { name: 'Web 2048' }).locator('.option-label').click()
    const field = page.getByRole('combobox', { name: 'Preset', exact: true })
    await field.waitFor()
    await expect.poll(() => focusedName(page)).toBe('preset')
    expect(await page.getByRole('radio', { name: /of 4$/ }).count()).toBe(0)
    await field.click()
    await page.getByRole('option', { name: 'Remove location' }).click()
    await expect.poll(() => focusedName(page)).toContain('Remove location. Camera and date stay.')
  })

  itInLongSuite(
    'a preset whose answer comes late doesn’t close the list that the user has opened since',
    async () => {
      const page = await openState('compose-tasks')
      const { draft } = fixture('compose-tasks').script.state
      const list = page.getByRole('listbox', { name: 'Save to' })
      await page.getByRole('combobox', { name: 'Save to' }).click()
      await change(page, { draft: { ...draft, presets: ['Web 2048'] } })
      await page.getByRole('combobox', { name: 'Preset', exact: true }).waitFor()
      expect(await list.isVisible()).toBe(true)
      await change(page, { draft })
      await page.getByRole('radiogroup', { name: 'What to do' }).waitFor()
      expect(await list.isVisible()).toBe(true)
    },
  )

  it('a task can be adjusted for this job, and Back returns to the tiles', async () => {
    const page = await openState('compose-tasks')
    const adjust = page.getByRole('button', { name: 'Adjust…' })
    await adjust.click()
    await page.getByRole('heading', { name: 'Make smaller' }).waitFor()
    expect(await page.locator('.studio-foot').evaluate((foot) => foot.scrollWidth <= foot.clientWidth)).toBe(
      true,
    )
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedName(page)).toBe('edit-preset')
    await adjust.click()
    await page.getByRole('radio', { name: 'JSON' }).check()
    const json = page.getByRole('textbox', { name: 'Preset as JSON' })
    await json.fill((await json.inputValue()).replace('"look": 80', '"look": 70'))
    await page.getByRole('button', { name: 'Use for this job' }).click()
    await expect
      .poll(() => argumentsOf(page, 'draft.useAdjusted'))
      .toMatchObject([{ preset: 'Make smaller', text: expect.stringContaining('"look": 70') }])
    await adjust.waitFor()
    expect(await argumentsOf(page, 'presets.keepUnsaved')).toEqual([])
    const { draft } = fixture('compose-tasks').script.state
    await change(page, { draft: { ...draft, presets: ['Make smaller: adjusted'] } })
    const field = page.getByRole('combobox', { name: 'Preset', exact: true })
    await field.click()
    await page
      .getByRole('option', { name: 'Make smaller: adjusted' })
      .getByText('for this job only')
      .waitFor()
  })

  itInLongSuite('an adjusted task can be saved as a preset under another name', async () => {
    const page = await openState('compose-tasks')
    await page.getByRole('button', { name: 'Adjust…' }).click()
    await page.getByRole('button', { name: 'Save as preset…' }).click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    expect(await name.inputValue()).toBe('Make smaller')
    await name.fill('Mine')
    await page.getByRole('button', { name: 'Save preset' }).click()
    await expect
      .poll(() => argumentsOf(page, 'presets.save'))
      .toMatchObject([{ replaces: null, text: expect.stringContaining('"name": "Mine"') }])
    await page.getByText('Saved “Mine”').waitFor()
    expect(await argumentsOf(page, 'presets.keepUnsaved')).toEqual([])
    await page.getByRole('radio', { name: 'JSON' }).check()
    const json = page.getByRole('textbox', { name: 'Preset as JSON' })
    await json.fill((await json.inputValue()).replace('"look": 80', '"look": 70'))
    await expect
      .poll(() => argumentsOf(page, 'presets.keepUnsaved'))
      .toMatchObject([{ name: 'Mine', text: expect.stringContaining('"look": 70') }])
  })

  itInLongSuite('in a narrow window, the chosen tile’s line is below the tiles', async () => {
    const page = await openState('compose-tasks', NARROW)
    const line = page.locator('.tile-line')
    expect(await line.isVisible()).toBe(true)
    expect(await line.textContent()).toBe('Same format and dimensions. Videos become HEVC.')
    expect(await page.locator('.tile .hint').first().isVisible()).toBe(false)
    const [first, second] = await Promise.all(
      [0, 1].map((index) => page.locator('.tile').nth(index).boundingBox()),
    )
    expect(first?.y).toBe(second?.y)
  })

  it('without files, a tile opens the file dialog, and the draft gets its task', async () => {
    for (const [where, press] of [
      [WIDE, (page: Page) => page.getByRole('button', { name: /^For the web/ }).click()],
      [WIDE, (page: Page) => page.keyboard.press('2')],
      [NARROW, (page: Page) => page.getByRole('button', { name: /^For the web/ }).click()],
    ] as const) {
      const page = await openState('empty', where)
      await press(page)
      await expect.poll(() => argumentsOf(page, 'draft.chooseFiles')).toHaveLength(1)
      expect(await chosen(page)).toEqual([['For the web']])
    }
  })

  itInLongSuite('a key that is held down opens one file dialog or starts one job', async () => {
    const page = await openState('empty')
    for (const key of ['2', '2', 'Control', 'o', 'o']) await page.keyboard.down(key)
    await expect.poll(() => argumentsOf(page, 'draft.chooseFiles')).toHaveLength(2)
    for (const key of ['2', 'Control', 'o']) await page.keyboard.up(key)
    const composer = await openState('compose-tasks-size')
    for (const control of [size(composer), tile(composer, 'Under a size')]) {
      await control.focus()
      for (const _ of [1, 2, 3]) await composer.keyboard.down('Enter')
      await composer.keyboard.up('Enter')
    }
    await expect.poll(() => started(composer)).toHaveLength(2)
  })

  itInLongSuite('a key that is pressed before the tiles are drawn isn’t lost', async () => {
    const { script } = fixture('compose-tasks')
    const { connection } = script.state
    const external = { ...connection, kind: 'external' as const }
    const page = await openScript({ ...script, state: { ...script.state, connection: external } })
    await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
    await page.locator('.job-pane h1').click()
    await page.keyboard.press('2')
    await change(page, { connection })
    await expect.poll(() => chosen(page)).toEqual([['For the web']])
    expect(await focusedName(page)).toContain('For the web.')
  })

  itInLongSuite(
    'without files, the list has the presets of the service that new jobs use, and Space chooses one',
    async () => {
      const { script } = fixture('empty')
      const { connection: ours, draft } = script.state
      const connection = { ...ours, kind: 'external' as const, presets: { image: ['Theirs'], video: [] } }
      const page = await openScript({
        ...script,
        state: { ...script.state, connection, services: [ours], draft: { ...draft, service: 'builtIn' } },
      })
      await page.getByRole('combobox', { name: 'All presets…' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('option', { name: 'Make smaller' }).waitFor()
      expect(await page.getByRole('option', { name: 'Theirs' }).count()).toBe(0)
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Space')
      await expect.poll(() => argumentsOf(page, 'draft.chooseFiles')).toHaveLength(1)
      expect(await page.getByRole('listbox').count()).toBe(0)
    },
  )

  itInLongSuite(
    'a key that is pressed right after a drop chooses its task for these files, without a file dialog',
    async () => {
      const page = await openState('empty')
      await page.evaluate(() => {
        const added = Promise.withResolvers<void>()
        addEventListener('added', () => added.resolve())
        const { draft } = window.mediatray
        const { update } = draft
        Object.assign(draft, {
          addPaths: () => added.promise,
          // Answers after the files have been added.
          update: async (options: Parameters<typeof update>[0]) => {
            await update(options)
            await new Promise((resolve) => setTimeout(resolve))
          },
        })
        const transfer = new DataTransfer()
        transfer.items.add(new File(['x'], 'a.jpg'))
        const { body } = document
        body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }))
        body.dispatchEvent(new KeyboardEvent('keydown', { key: '2', bubbles: true }))
        document.querySelector<HTMLElement>('.job-pane .tray-buttons button')?.click()
        dispatchEvent(new Event('added'))
      })
      await expect.poll(() => chosen(page)).toEqual([['For the web']])
      expect(await argumentsOf(page, 'draft.chooseFiles')).toEqual([])
      await change(page, { draft: fixture('compose-tasks').script.state.draft })
      await page.getByRole('button', { name: 'Start job' }).waitFor()
      await change(page, { draft: fixture('empty').script.state.draft })
      await page.locator('.job-pane').getByRole('button', { name: 'Choose files…' }).click()
      await expect.poll(() => argumentsOf(page, 'draft.chooseFiles')).toHaveLength(1)
    },
  )

  itInLongSuite('without files, the list of presets opens first, and then the file dialog', async () => {
    const page = await openState('empty')
    await page.getByRole('combobox', { name: 'All presets…' }).click()
    await page.getByRole('option', { name: 'Web 2048' }).locator('.option-label').click()
    await expect.poll(() => argumentsOf(page, 'draft.chooseFiles')).toHaveLength(1)
    expect(await chosen(page)).toEqual([['Web 2048']])
  })

  it('files can be dropped on a tile, which stays in view above the drop area', async () => {
    const page = await openState('empty')
    await page.evaluate(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['x'], 'a.jpg'))
      const target = document.querySelector('.job-pane [aria-keyshortcuts="4"]')
      const { x = 0, y = 0 } = target?.getBoundingClientRect() ?? {}
      const at = { dataTransfer: transfer, bubbles: true, clientX: x + 9, clientY: y + 9 }
      document.body.dispatchEvent(new DragEvent('dragenter', at))
    })
    await page.locator('.drop-overlay').waitFor()
    const box = await page.locator('.job-pane [aria-keyshortcuts="4"]').boundingBox()
    const at = { clientX: (box?.x ?? 0) + 9, clientY: (box?.y ?? 0) + 9 }
    const top = await page.evaluate(
      ({ clientX, clientY }) =>
        document.elementFromPoint(clientX, clientY)?.getAttribute('aria-keyshortcuts'),
      at,
    )
    expect(top).toBe('4')
    await page.evaluate((place) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['x'], 'a.jpg'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, ...place }))
    }, at)
    await expect.poll(() => chosen(page)).toEqual([['Remove location']])
    await expect.poll(() => argumentsOf(page, 'draft.addPaths')).toHaveLength(1)
  })

  it('is announced with the added files, unless the user is typing elsewhere', async () => {
    for (const [typed, announced] of [
      ['', '6 files added. Make smaller is chosen. Press Enter to start.'],
      ['print', '6 files added'],
    ] as const) {
      const page = await openState('compose-tasks')
      await page.locator('#search').fill(typed)
      await page.evaluate(() => window.strings.emit('toast', { kind: 'added', taken: 6, refused: 0 }))
      await expect.poll(() => page.locator('.window > [role="status"]').textContent()).toBe(announced)
    }
  })

  itInLongSuite('in German, the name of a task in a row is translated', async () => {
    const page = await openState('compose-tasks')
    const { settings } = fixture('compose-tasks').script.state
    await change(page, { settings: { ...settings, language: 'de' } })
    await expect.poll(() => page.getByRole('radio').first().getAttribute('aria-label')).toContain('1 von 4')
  })

  it('starred presets are chosen by number in the order of the list, except those that fit none of the files', async () => {
    const page = await openState('compose-stars')
    await tile(page, 'JPEG, 2048 px').waitFor()
    const names = await page
      .getByRole('radio', { name: / of 3$/ })
      .evaluateAll((all) => all.map((one) => one.ariaLabel))
    expect(names).toEqual([
      'Web 2048. JPEG, 2048 px, quality 82. 1 of 3',
      'Mail. JPEG, 1600 px, quality 82. 2 of 3',
      'H.264 1080p. needs videos. 3 of 3',
    ])
    expect(await focusedName(page)).toContain('Web 2048.')
    expect(await tile(page, 'H.264 1080p').isDisabled()).toBe(true)
    await page.keyboard.press('3')
    await page.keyboard.press('2')
    expect(await chosen(page)).toEqual([['Mail']])
    expect(await focusedName(page)).toContain('Mail.')
    await page.keyboard.press('Enter')
    await expect.poll(() => started(page)).toHaveLength(1)
  })

  itInLongSuite('a starred preset is edited as a preset, and the tasks stay first in the list', async () => {
    const page = await openState('compose-stars')
    await page.getByRole('combobox', { name: 'All presets…' }).click()
    const groups = page.getByRole('listbox').getByRole('group')
    expect(await groups.first().getAttribute('aria-label')).toBe('Common tasks')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Edit preset' }).click()
    await page.getByRole('button', { name: 'Save preset' }).waitFor()
  })

  itInLongSuite(
    'without files, a starred preset opens the file dialog, and without stars there are tasks again',
    async () => {
      const page = await openState('empty-stars')
      await page.getByRole('heading', { name: 'Or choose a preset first' }).waitFor()
      await page.getByRole('button', { name: /^H.264 1080p/ }).click()
      await expect.poll(() => argumentsOf(page, 'draft.chooseFiles')).toHaveLength(1)
      expect(await chosen(page)).toEqual([['H.264 1080p']])
      const { settings } = fixture('empty-stars').script.state
      await change(page, { settings: { ...settings, starredPresets: [] } })
      await page.getByRole('heading', { name: 'Or choose what to do first' }).waitFor()
      expect(await page.getByRole('button', { name: /of 4$/ }).count()).toBe(4)
    },
  )

  itInLongSuite('in a narrow window, starred presets are in two columns', async () => {
    const page = await openState('compose-stars', NARROW)
    const boxes = await Promise.all([0, 1, 2].map((index) => page.locator('.tile').nth(index).boundingBox()))
    expect(boxes[0]?.y).toBe(boxes[1]?.y)
    expect(boxes[2]?.x).toBe(boxes[0]?.x)
  })
}
