/** The rules of a watched folder: the page, the editor and the dry run. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { languages } from '../../../src/node/translation.ts'
import { calls as contract } from '../../../src/shared/ipc/contract.ts'
import type { FolderRulesChange } from '../../../src/shared/model/folder-rules.ts'
import { argumentsOf, calls, change, focusedText, openScript, openState } from '../harness/open-state.ts'
import { fixture } from '../harness/fixtures.ts'
import { goTo } from '../harness/go-to.ts'
import { RULED } from '../harness/rule-fixtures.ts'
import { windowTranslation } from '../../window-translation.ts'

/** The changes that the page has saved, checked as the main process checks them. */
async function saved(page: Page, count = 1): Promise<readonly FolderRulesChange[]> {
  await expect.poll(async () => (await calls(page, 'watch.saveRules')).length).toBe(count)
  return (await argumentsOf(page, 'watch.saveRules')).map((argument) =>
    contract.watch.saveRules.argument.parse(argument),
  )
}

const idsOf = ({ rules }: FolderRulesChange | undefined = { id: '', rules: null }) =>
  rules?.rules.map(({ id }) => id)
const row = (page: Page, name: RegExp) => page.locator('.rules').getByRole('button', { name })
const announced = (page: Page) => page.locator('[aria-live="polite"]').allTextContents()

export function checkRules(): void {
  it('shows each rule in words, what happens then, and how many files wait for a missing preset', async () => {
    const page = await openState('rules')
    expect(await page.locator('.rule-open').allInnerTexts()).toEqual([
      'Videos larger than 1 GB\nH.264 1080p, replaces the originals',
      'Name matches “Screenshot*”\nIgnored',
      'Photos wider than 4000 px\nWeb 2048 and Thumbnails 512, next to each original',
      'In the subfolder “Scans”\nThere’s no preset “Print A5”. 3 files are waiting.',
      'Everything else\nIgnored',
    ])
  })

  itInLongSuite.each([
    ['ja', '1 GB超の動画'],
    ['ko', '1GB 초과 동영상'],
    ['zh-Hans', '视频：大于 1 GB'],
  ])('shows a rule in the word order of %s', async (language, words) => {
    const { script } = fixture('rules')
    const page = await openScript({ ...script, facts: { ...script.facts, languages: languages() } })
    await goTo(page, fixture('rules'))
    await change(page, { settings: { ...script.state.settings, language } })
    await expect.poll(() => page.locator('.rule-open b').first().innerText()).toBe(words)
  })

  itInLongSuite('a unit has the plural form for the number next to it', async () => {
    const page = await openState('rule-editor')
    const age = page.getByLabel('Age', { exact: true })
    const unit = page.getByLabel('Unit').last()
    const shown = () => unit.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text)
    await age.fill('1')
    await expect.poll(shown).toBe('day')
    await age.fill('3')
    await expect.poll(shown).toBe('days')
  })

  it('a folder without rules has one row for all files, and nothing is stored until a rule is added', async () => {
    const page = await openState('rules-none')
    expect(await page.locator('.rule-open').allInnerTexts()).toEqual([
      'All new files\nWeb 2048, to ~/Pictures/Web',
    ])
    expect(await calls(page, 'watch.saveRules')).toEqual([])
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Condition', { exact: true }).selectOption('name')
    const save = page.getByRole('button', { name: 'Save rule' })
    expect(await save.isDisabled()).toBe(true)
    await page.getByText('Enter a name with * for any text, or remove this condition.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('  Screenshot*  ')
    await page.getByRole('radio', { name: 'Ignore' }).check()
    await save.click()
    const [{ rules } = { rules: null }] = await saved(page)
    expect(rules).toMatchObject({
      rest: 'process',
      rules: [{ when: [{ about: 'name', matches: true, pattern: 'Screenshot*' }], action: { do: 'ignore' } }],
    })
    await page.locator('dialog').waitFor({ state: 'detached' })
  })

  it('moves, duplicates and deletes a rule with the keyboard, and undoes a deletion', async () => {
    const page = await openState('rules')
    await row(page, /^Videos/).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focusedText(page)).toContain('Screenshot')
    await page.keyboard.press('Alt+ArrowUp')
    expect(idsOf((await saved(page))[0])).toEqual(['screenshots', 'large', 'wide', 'scans'])
    await expect.poll(() => announced(page)).toContain('Rule 2 moved to position 1 of 4')
    await row(page, /^Photos/).focus()
    await page.keyboard.press('Control+d')
    const [, copied] = await saved(page, 2)
    expect(copied?.rules?.rules.map(({ when }) => when)).toEqual(
      [0, 1, 2, 2, 3].map((index) => RULED.rules[index]?.when),
    )
    expect(new Set(idsOf(copied)).size).toBe(5)
    await row(page, /^Photos/).focus()
    await page.keyboard.press('Delete')
    expect(idsOf((await saved(page, 3))[2])).toEqual(['large', 'screenshots', 'scans'])
    await page.getByRole('button', { name: 'Undo' }).click()
    expect((await saved(page, 4))[3]?.rules).toEqual(RULED)
  })

  itInLongSuite('offers the same in the menu, as far as it is possible', async () => {
    const page = await openState('rules')
    const items = page.getByRole('menuitem')
    await page.locator('[data-rule]').first().press('Shift+F10')
    await expect.poll(() => focusedText(page)).toBe('Edit…')
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedText(page)).toContain('Videos larger than 1 GB')
    await page.getByRole('button', { name: 'More options for rule 1' }).press('Enter')
    expect(await items.allInnerTexts()).toEqual(
      ['Edit…', /^Move up/, /^Move down/, /^Duplicate/, /^Delete/].map((text) =>
        typeof text === 'string' ? text : expect.stringMatching(text),
      ),
    )
    expect(await items.nth(1).getAttribute('aria-disabled')).toBe('true')
    await items.nth(2).click()
    expect(idsOf((await saved(page))[0])).toEqual(['screenshots', 'large', 'wide', 'scans'])
  })

  it('moves a rule that is dragged by its handle', async () => {
    const page = await openState('rules')
    await page.locator('.rule-handle').first().hover()
    await page.mouse.down()
    await row(page, /^In the subfolder/).hover()
    await page.mouse.up()
    expect(idsOf((await saved(page))[0])).toEqual(['screenshots', 'wide', 'scans', 'large'])
  })

  it('edits conditions: an invalid value says how to fix it and can’t be saved', async () => {
    const page = await openState('rule-editor')
    const save = page.getByRole('button', { name: 'Save rule' })
    expect(await save.isDisabled()).toBe(true)
    const age = page.getByLabel('Age', { exact: true })
    expect(await age.getAttribute('aria-invalid')).toBe('true')
    await age.fill('1,5')
    await page.getByLabel('Unit').last().selectOption('weeks')
    await page.getByLabel('Comparison').last().selectOption('isLess')
    await page.getByLabel('File size').fill('1.5')
    await save.click()
    expect((await saved(page))[0]?.rules?.rules[0]?.when).toEqual([
      { about: 'kind', is: 'video' },
      { about: 'size', compare: 'more', amount: 1.5, unit: 'GB' },
      { about: 'age', compare: 'less', amount: 1.5, unit: 'weeks' },
    ])
  })

  itInLongSuite(
    'adding a condition focuses it, removing one focuses the next, and without any every file matches',
    async () => {
      const page = await openState('rule-editor')
      const focusedId = () => page.evaluate(() => document.activeElement?.id)
      await page.getByRole('button', { name: 'Add condition' }).click()
      await expect.poll(focusedId).toBe('condition-3')
      const remove = page.getByRole('button', { name: 'Remove condition' })
      await remove.first().click()
      await expect.poll(focusedId).toBe('condition-1')
      for (let left = 3; left > 0; left -= 1) await remove.last().click()
      await expect.poll(focusedId).toBe('add-condition')
      await page.getByText('Matches every file.').waitFor()
      await page.getByRole('button', { name: 'Save rule' }).click()
      expect((await saved(page))[0]?.rules?.rules[0]).toMatchObject({ id: 'large', when: [] })
    },
  )

  itInLongSuite('everything else changes the preset and the output of the folder itself', async () => {
    const page = await openState('rule-rest')
    expect(await page.getByText('When all of these match').count()).toBe(0)
    await page.getByRole('button', { name: 'Save rule' }).click()
    expect((await saved(page))[0]).toMatchObject({
      id: 'a',
      rules: { rest: 'process' },
      rest: { presets: ['Web 2048'], output: { kind: 'folder' } },
    })
  })

  it('tries the rules: counts, the files of a rule, and one announcement', async () => {
    const page = await openState('rules-try')
    await page.getByText('Tried with 214 files just now.').waitFor()
    await expect
      .poll(() => announced(page))
      .toContain(
        'Tried with 214 files. Rule 1, 3 files. Rule 2, 31 files. Rule 3, 112 files. Rule 4, 3 files. Everything else, 65 files.',
      )
    await page.getByRole('button', { name: '112 files' }).click()
    expect(await page.locator('.tried li').count()).toBe(51)
    expect(await page.locator('.tried li').first().innerText()).toContain('6048 × 4024, 4.1 MB')
    await page.getByText('62 more').waitFor()
    await page.getByRole('button', { name: 'Close' }).press('Enter')
    expect(await focusedText(page)).toBe('Try')
    await page.getByText('Each new file is handled by the first rule that matches.').waitFor()
    expect(await page.locator('.tried').count()).toBe(0)
  })

  itInLongSuite(
    'a running dry run shows its progress, can be stopped, and is stopped when the page is left',
    async () => {
      const page = await openState('rules-trying')
      await page.getByText('Trying… 120 files').waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      expect(await argumentsOf(page, 'watch.stopDryRun')).toEqual(['a'])
      await page.keyboard.press('Escape')
      await expect.poll(async () => (await calls(page, 'watch.stopDryRun')).length).toBe(2)
    },
  )

  itInLongSuite('a dry run closes when a rule changes, and shows a message for an empty folder', async () => {
    const { script, ...place } = fixture('rules-try')
    const empty = { files: 0, stopped: false, rules: RULED.rules.map(() => ({ files: 0, listed: [] })) }
    const page = await openScript({ ...script, dryRun: empty })
    await goTo(page, { ...place, script, step: 'startDryRun' })
    await page.getByText('There are no files in this folder yet.').waitFor()
    await page.evaluate(() => {
      const [folder] = window.strings.watch
      if (folder !== undefined && typeof folder.rules === 'object')
        window.strings.watch = [{ ...folder, rules: { ...folder.rules, rest: 'process' } }]
      window.strings.emit('watchChanged', null)
    })
    await page.getByText('Each new file is handled by the first rule that matches.').waitFor()
  })

  itInLongSuite('rules that can’t be read can only be replaced', async () => {
    const page = await openState('rules-unreadable')
    await page.getByText('This version can’t read the rules of this folder.').waitFor()
    expect(await page.getByRole('button', { name: 'Add rule' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Start with new rules' }).click()
    expect(await saved(page)).toEqual([{ id: 'a', rules: null }])
  })

  itInLongSuite('a preset that comes back is no longer missing', async () => {
    const page = await openState('rules')
    const { connection } = fixture('rules').script.state
    const presets = { image: ['Print A5'], video: [] }
    await change(page, { connection: { ...connection, presets } })
    await row(page, /Print A5, next to each original, in A5/).waitFor()
  })

  itInLongSuite(
    'names a task in the user’s language, and shows a message if the folder’s own service lacks it',
    async () => {
      const page = await openState('rules-none')
      const { connection, settings } = fixture('rules-none').script.state
      const action = page.locator('.rule-action')
      const task = windowTranslation('de').preset.makeSmaller
      const here = { ...connection, kind: 'builtIn' as const }
      await change(page, { connection: here, settings: { ...settings, language: 'de' } })
      const watch = (service?: string) =>
        page.evaluate((given) => {
          const [folder] = window.strings.watch
          if (folder === undefined) return
          const more = given === undefined ? {} : { service: given }
          window.strings.watch = [{ ...folder, ...more, presets: ['Make smaller'] }]
          window.strings.emit('watchChanged', null)
        }, service)
      await watch()
      await expect.poll(() => action.innerText()).toContain(`${task}, `)
      const other = { ...connection, baseUrl: 'http://studio:3847' }
      await change(page, { services: [other] })
      await watch(other.baseUrl)
      await expect.poll(() => action.innerText()).toContain(`„${task}“.`)
    },
  )

  itInLongSuite('the options of a folder with rules don’t contain a preset', async () => {
    const page = await openState('rules')
    await page.getByRole('button', { name: 'Folder options…' }).click()
    await expect.poll(() => page.getByLabel('Folder', { exact: true }).inputValue()).toBe('~/Camera Uploads')
    await expect.poll(() => page.locator('#watch-preset').count()).toBe(0)
    await page.getByRole('button', { name: 'Save changes' }).click()
    expect(await argumentsOf(page, 'watch.save')).toMatchObject([
      { id: 'a', folder: { presets: ['Web 2048'] } },
    ])
  })
}
