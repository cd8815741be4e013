/** The fields that decide what happens to the files of a watched folder, in its dialog and in that of a rule. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import type { ConnectionKind } from '../../../src/shared/model/connection.ts'
import { fixture } from '../harness/fixtures.ts'
import { argumentsOf, change, openScript, openState } from '../harness/open-state.ts'
import { goTo } from '../harness/go-to.ts'

const preset = (page: Page) => page.getByRole('combobox', { name: 'Preset' })
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
const size = (page: Page) => page.getByLabel('At most', { exact: true })
const variations = (page: Page) => page.getByLabel('Variations', { exact: true })
const save = (page: Page) => page.locator('.dialog-buttons .primary').click()

async function choosePreset(page: Page, name: string | RegExp): Promise<void> {
  await preset(page).click()
  await option(page, name).locator('.option-label').click()
}

/** What the page has saved last. */
async function saved(page: Page): Promise<unknown> {
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return (await argumentsOf(page, 'watch.save')).at(-1)
}

/** Opens the options of the first watched folder. */
async function openOptions(
  presets: readonly string[],
  count = 1,
  { script } = fixture('watch-tasks'),
): Promise<Page> {
  const [folder, ...others] = script.watch
  const known = folder === undefined ? [] : [{ ...folder, presets: [...presets], variations: count }]
  const page = await openScript({ ...script, watch: [...known, ...others] })
  await goTo(page, { script, settings: 'Automation' })
  await page.getByRole('link', { name: '~/Camera Uploads' }).click()
  await page.getByRole('button', { name: 'Folder options…' }).click()
  await page.getByRole('dialog').waitFor()
  return page
}

const connectionOf = (kind: ConnectionKind) => ({
  ...fixture('watch-tasks').script.state.connection,
  kind,
})

export function checkWatchedJobs(): void {
  it('a watched folder can have several presets', async () => {
    const page = await openState('settings-watch-dialog')
    await page.getByRole('button', { name: 'Choose…' }).click()
    await preset(page).click()
    await option(page, 'Thumbnails 512').hover()
    await option(page, 'Thumbnails 512').locator('.combobox-checkbox').click()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(1)
    expect(await page.getByRole('combobox', { name: 'Save to' }).textContent()).toBe('~/Pictures/Web')
    await save(page)
    expect(await saved(page)).toMatchObject({ folder: { presets: ['Web 2048', 'Thumbnails 512'] } })
  })

  it('the tasks come first, and *Under a size* asks for the size, which must be allowed', async () => {
    const page = await openState('watch-tasks')
    await page.getByRole('button', { name: 'Choose…' }).click()
    await preset(page).click()
    const tasks = page.getByRole('listbox').getByRole('group').first()
    expect(await tasks.getAttribute('aria-label')).toBe('Common tasks')
    expect(await tasks.getByRole('option').count()).toBe(4)
    await page.keyboard.press('Escape')
    await choosePreset(page, 'Under a size…')
    await size(page).fill('0')
    await page.getByText('Enter a size of at least 0.1 MB.').waitFor()
    await save(page)
    expect(await argumentsOf(page, 'watch.save')).toEqual([])
    await size(page).fill('0.5')
    await save(page)
    expect(await saved(page)).toMatchObject({ folder: { presets: ['Under a size: 0.5 MB'] } })
  })

  it('a new folder starts with the task that new jobs start with', async () => {
    const page = await openState('watch-tasks')
    expect(await preset(page).textContent()).toContain('Make smaller')
  })

  itInLongSuite(
    'a folder for another service isn’t offered tasks, and shows that the service lacks the task that it names',
    async () => {
      const page = await openState('watch-tasks')
      await choosePreset(page, 'Remove location')
      const missing = page.getByText('The service has no preset named “Remove location”. Choose another.')
      expect(await missing.count()).toBe(0)
      await change(page, { connection: connectionOf('external') })
      await missing.waitFor()
      await preset(page).click()
      expect(await page.getByRole('group', { name: 'Common tasks' }).count()).toBe(0)
    },
  )

  itInLongSuite('a rule can use a task, too', async () => {
    const page = await openState('rule-editor')
    await change(page, { connection: connectionOf('builtIn') })
    await page.getByLabel('Age', { exact: true }).fill('1')
    await choosePreset(page, 'Make smaller')
    await page.getByRole('button', { name: 'Save rule' }).click()
    await expect
      .poll(() => argumentsOf(page, 'watch.saveRules'))
      .toMatchObject([{ rules: { rules: [{ action: { presets: ['Make smaller'] } }, {}, {}, {}] } }])
  })

  itInLongSuite(
    'asks for variations only with a preset that defines ranges, and forgets them with another one',
    async () => {
      const page = await openState('watch-tasks')
      await page.getByRole('button', { name: 'Choose…' }).click()
      expect(await variations(page).count()).toBe(0)
      await choosePreset(page, 'Dataset variations')
      expect(await variations(page).inputValue()).toBe('1')
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByText('2 for each file').waitFor()
      await choosePreset(page, 'Web 2048')
      await expect.poll(() => variations(page).count()).toBe(0)
      await choosePreset(page, 'Dataset variations')
      expect(await variations(page).inputValue()).toBe('1')
      await variations(page).fill('4')
      await save(page)
      expect(await saved(page)).toMatchObject({ folder: { presets: ['Dataset variations'], variations: 4 } })
    },
  )

  itInLongSuite('keeps the number of variations while the documents of presets can’t be read', async () => {
    const { script } = fixture('watch-tasks')
    const page = await openOptions(['Web 2048'], 3, { script: { ...script, presets: null as never } })
    await choosePreset(page, 'Thumbnails 512')
    expect(await variations(page).inputValue()).toBe('3')
  })

  itInLongSuite(
    'a folder that already makes variations, or whose rules use such a preset, shows their number',
    async () => {
      expect(await variations(await openOptions(['Web 2048'], 3)).inputValue()).toBe('3')
      expect(await variations(await openOptions(['Web 2048'])).count()).toBe(0)
      const page = await openOptions(['Web 2048'])
      await page.keyboard.press('Escape')
      await page.evaluate(() => {
        const [folder] = window.strings.watch
        const action = {
          do: 'process',
          presets: ['Dataset variations'],
          output: { kind: 'replace' },
        } as const
        const rules = { rules: [{ id: 'r', when: [], action }], rest: 'ignore' } as const
        if (folder !== undefined)
          window.strings.watch = [{ ...folder, rules: structuredClone(rules) as never }]
        window.strings.emit('watchChanged', null)
      })
      await page.getByRole('button', { name: 'Folder options…' }).click()
      await variations(page).waitFor()
      expect(await preset(page).count()).toBe(0)
    },
  )
}
