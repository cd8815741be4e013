import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { NOTHING_HELD, type Restored } from '../../../src/shared/model/replacement.ts'
import { Preset } from '../../../src/shared/preset/preset.ts'
import { fixture } from '../harness/fixtures.ts'
import { presetOverview } from '../harness/preset-fixtures.ts'
import { argumentsOf, change, focusedText, openScript, openState } from '../harness/open-state.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { PartAt } from '../../../src/shared/model/job.ts'
import { goTo } from '../harness/go-to.ts'

/** Originals that are replaced by their results. */
export function checkReplacing(): void {
  checkChoice()
  checkDetails()
  checkCanceling()
  checkVault()
}

function checkChoice(): void {
  it('replaces the originals only if the user chooses that, and explains once what happens', async () => {
    const page = await openState('compose-save-open')
    await page.keyboard.type('repl')
    await page.keyboard.press('Enter')
    expect(await argumentsOf(page, 'draft.update')).toEqual([{ output: { kind: 'replace' } }])
    const field = page.getByRole('combobox', { name: 'Save to' })
    expect(await field.textContent()).toBe('Replace the originals')
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    const note = page.locator('#replace-note')
    expect(await note.textContent()).toBe(
      '6 originals will be replaced by their results. Each one moves to the vault first, and you can undo for 30 days. ' +
        'An original stays if its result isn’t smaller. DSC_4821.heic becomes DSC_4821.jpg.',
    )
    expect(await field.getAttribute('aria-describedby')).toBe('replace-note')
    await expect
      .poll(() => page.locator('[aria-live="polite"]').allTextContents())
      .toContainEqual(expect.stringContaining('6 originals will be replaced by their results.'))
  })

  it('doesn’t count originals whose results would lose something, because they stay', async () => {
    const page = await openState('compose-replace')
    const { foreseen } = fixture('compose-lost').script.state
    await change(page, { foreseen })
    const note = page.locator('#replace-note')
    await expect.poll(() => note.textContent()).toMatch(/^4 originals will be replaced/)
    await change(page, { foreseen: foreseen && { ...foreseen, files: 6 } })
    await expect.poll(() => note.count()).toBe(0)
  })

  it('names the period for which the user can undo', async () => {
    const page = await openState('compose-replace')
    const { settings } = fixture('compose-replace').script.state
    await change(page, { settings: { ...settings, keepOriginalsDays: null } })
    await page.getByText('you can undo at any time').waitFor()
    await page.getByRole('combobox', { name: 'Save to' }).click()
    await page.getByRole('option', { name: 'Replace the originals' }).getByText('undo at any time').waitFor()
  })

  it.each(
    firstOf([
      ['several presets', { presets: ['Web 2048', 'Mail'] }, 'needs a single preset'],
      ['variations', { variations: 4 }, 'not with variations'],
      ['a Drive folder', { source: { kind: 'drive', folderId: 'abc' } }, 'not for Drive'],
    ] as const),
  )('explains why originals can’t be replaced with %s', async (_what, patch, reason) => {
    const page = await openState('compose-replace')
    const draft: Draft = { ...fixture('compose-replace').script.state.draft, ...patch }
    await change(page, { draft })
    await expect.poll(() => page.locator('#replace-note').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Start job' }).isDisabled()).toBe(true)
    await page.getByRole('combobox', { name: 'Save to' }).click()
    const option = page.getByRole('option', { name: `Replace the originals, ${reason}` })
    expect(await option.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Enter')
    expect(await argumentsOf(page, 'draft.update')).toEqual([])
  })

  itInLongSuite('explains that a video can’t be replaced by its audio', async () => {
    const { script } = fixture('compose-replace')
    const { connection, draft } = script.state
    const audio = Preset.parse({ name: 'Audio', video: { codec: 'none' } })
    const [document] = presetOverview.documents
    if (document === undefined) throw new Error('There are no presets.')
    const page = await openScript({
      ...script,
      presets: { ...presetOverview, documents: [{ ...document, name: 'Audio', preset: audio }] },
      state: {
        ...script.state,
        connection: { ...connection, presets: { image: [], video: ['Audio'] } },
        draft: {
          ...draft,
          presets: ['Audio'],
          source: {
            kind: 'files',
            items: [{ path: '/a/clip.mov', name: 'clip.mov', kind: 'video', size: 9_000_000 }],
          },
        },
      },
    })
    await page.getByText('A video can’t be replaced by its audio alone.').waitFor()
    expect(await page.getByRole('button', { name: 'Start job' }).isDisabled()).toBe(true)
    await page.getByRole('combobox', { name: 'Save to' }).click()
    await page.getByRole('option', { name: 'Replace the originals, not with audio only' }).waitFor()
  })

  itInLongSuite('explains that originals can’t be replaced by a service on another computer', async () => {
    const { script } = fixture('compose-replace')
    const connection = { ...script.state.connection, baseUrl: 'http://nas.local:3847/api' }
    const page = await openScript({ ...script, state: { ...script.state, connection } })
    await page.getByRole('combobox', { name: 'Save to' }).click()
    await page
      .getByRole('option', { name: 'Replace the originals, needs a service on this computer' })
      .waitFor()
  })
}

/** Lets the main process answer a call that restores or replaces originals. */
const answer = (page: Page, call: 'undo' | 'redo', answers: readonly Restored[]): Promise<void> =>
  page.evaluate(
    ([name, all]) => {
      const { vault } = window.mediatray
      const record = vault[name]
      Object.assign(vault, { [name]: (argument: never) => record(argument).then(() => all) })
    },
    [call, answers] as const,
  )

const originalPath = (name: string): string => `/home/ida/Pictures/${name}`

function checkDetails(): void {
  it('gives losses as reasons for keeping originals, in the details and not once more in the list', async () => {
    const page = await openState('replaced-lost')
    expect(await page.locator('.job-row-status').first().textContent()).toBe('21 replaced, 3 kept')
    const kept = page.locator('section', { has: page.getByRole('heading', { name: /^Kept/ }) })
    expect(await kept.locator('.original-reason').allTextContents()).toEqual([
      'Kept, because pages would be lost. Its result is next to it.',
      'Not replaced, because it was moved or deleted after the job started. Its result is next to it. Lost in the result: pages.',
      'Kept, because HDR would be lost. Its result is next to it.',
    ])
    expect(await page.getByRole('heading', { name: /^Lost in the result/ }).count()).toBe(0)
    await kept.getByRole('button', { name: 'Use TIFF' }).click()
    await expect
      .poll(() => argumentsOf(page, 'jobs.useFormat'))
      .toMatchObject([{ paths: [originalPath('DSC_4821.heic')], format: 'tiff' }])
  })

  it('shows sizes, losses and remedies of the originals in all parts of a job', async () => {
    const { script } = fixture('replaced-lost')
    const [id = '', all] =
      Object.entries(script.details).find(([, { replacements }]) => replacements.length > 0) ?? []
    if (all === undefined) throw new Error('No job has replaced originals.')
    const other = { id: asRecordId('r_other'), preset: 'Web 2048: TIFF' }
    const first = { ...other, inputs: all.inputs.slice(0, 5), results: all.results.slice(0, 5) }
    const rest = { inputs: all.inputs.slice(5), results: all.results.slice(5), otherReplacing: [first] }
    const page = await openScript({ ...script, details: { ...script.details, [id]: { ...all, ...rest } } })
    await page.locator(`[data-key="${id}"]`).click()
    const kept = page.locator('section', { has: page.getByRole('heading', { name: /^Kept/ }) })
    await kept.getByText('Kept, because pages would be lost. Its result is next to it.').waitFor()
    await page.locator('.summary-line').getByText('became').waitFor()
    expect(await page.locator('.summary-line').last().textContent()).toContain('Web 2048, Web 2048: TIFF.')
    expect(await page.locator('.job-pane .size-before').count()).toBe(21)
    await kept.getByRole('button', { name: 'Use TIFF' }).click()
    await expect.poll(() => argumentsOf(page, 'jobs.useFormat')).toMatchObject([{ id: 'r_other' }])
  })

  it('replaces one original although something would be lost, only after a question with the safe answer first', async () => {
    const page = await openState('replaced-lost')
    const buttons = page.getByRole('button', { name: /^Replace anyway/ })
    const name = 'Replace anyway: DSC_4821.heic'
    await page.getByRole('button', { name }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Replace DSC_4821.heic anyway?' })
    await dialog
      .getByText(
        /^Lost in the result: .+ The original moves to the vault, and you can restore it for 30 days\.$/,
      )
      .waitFor()
    expect(await focusedText(page)).toBe('Cancel')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name }).press('Enter')
    await dialog.waitFor()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await argumentsOf(page, 'vault.replaceAnyway')).toEqual([])
    await page.getByRole('button', { name }).press('Enter')
    await dialog.getByRole('button', { name: 'Replace anyway' }).click()
    expect(await argumentsOf(page, 'vault.replaceAnyway')).toEqual([
      { id: 'DSC_4821.heic', path: originalPath('DSC_4821.heic') },
    ])
    // An original that was moved or deleted isn't offered.
    expect(await buttons.count()).toBe(2)
  })

  itInLongSuite('lists kept originals first, each with a reason, then those that were replaced', async () => {
    const page = await openState('replaced')
    await page.getByText('Done, 20 of 24 originals replaced').waitFor()
    await page.getByText('The originals are in the vault until 22 December.').waitFor()
    expect(await page.locator('.job-pane h2').allTextContents()).toEqual([
      'Kept 3',
      'Replaced 20, 1 restored',
    ])
    expect(await page.locator('.original-reason').allTextContents()).toEqual([
      'Kept, because it changed after the job started. Its result is next to it.',
      'Kept, because the result wasn’t smaller (412 kB)',
      'Kept, because the result failed a check',
      'Original restored',
    ])
    expect(await page.locator('.job-pane .text-warning, .job-pane .hint.warning').count()).toBe(0)
    await page.getByText('20 replaced, 3 kept, 1 restored').waitFor()
  })

  it('restores one original and keeps the focus on the button that replaces it again', async () => {
    const page = await openState('replaced')
    const button = page.getByRole('button', { name: 'Undo: DSC_4822.heic' })
    await answer(page, 'undo', [
      { path: originalPath('DSC_4822.heic'), kind: 'restored', place: originalPath('DSC_4822.heic') },
    ])
    await button.focus()
    await page.keyboard.press('Enter')
    expect(await argumentsOf(page, 'vault.undo')).toEqual([
      { id: 'DSC_4821.heic', paths: [originalPath('DSC_4822.heic')] },
    ])
    await page.getByRole('button', { name: 'Replace again: DSC_4823.heic' }).click()
    expect(await argumentsOf(page, 'vault.redo')).toEqual([
      { id: 'DSC_4821.heic', paths: [originalPath('DSC_4823.heic')] },
    ])
  })

  it.each(firstOf(['button', 'keyboard']))(
    'restores all originals with the %s, and offers to replace them again',
    async (how) => {
      const page = await openState('replaced')
      const paths = ['DSC_4821.heic', 'DSC_4822.heic'].map(originalPath)
      await answer(
        page,
        'undo',
        paths.map((path) => ({ path, kind: 'restored', place: path })),
      )
      if (how === 'button') await page.getByRole('button', { name: 'Undo all' }).click()
      else await page.keyboard.press('Control+z')
      const toast = page.locator('.toast')
      await toast.getByText('Restored 2 originals').waitFor()
      expect(await argumentsOf(page, 'vault.undo')).toEqual([{ id: 'DSC_4821.heic' }])
      await toast.getByRole('button', { name: 'Replace again' }).click()
      expect(await argumentsOf(page, 'vault.redo')).toEqual([{ id: 'DSC_4821.heic', paths }])
    },
  )

  itInLongSuite('shows why an original couldn’t be restored, or under which name it was', async () => {
    const page = await openState('replaced')
    const path = originalPath('DSC_4821.heic')
    await answer(page, 'undo', [{ path, kind: 'failed', why: 'away', folder: '/disk' }])
    await page.keyboard.press('Control+z')
    await page
      .getByText(
        'Couldn’t find the original of DSC_4821.heic: its vault, /disk, isn’t there. Connect its disk, or move the folder back, and try again.',
      )
      .first()
      .waitFor()
    await answer(page, 'undo', [{ path, kind: 'both', place: originalPath('DSC_4821 (original).heic') }])
    await page.keyboard.press('Control+z')
    await page.getByText('Restored as DSC_4821 (original).heic.').first().waitFor()
  })

  itInLongSuite('replaces all again after all were restored', async () => {
    const page = await openState('replaced-undone')
    await page.getByText('All originals restored').waitFor()
    await page.getByText('The results are in the vault until 22 December.').waitFor()
    await page.getByText('21 restored, 3 kept').waitFor()
    // The same icon as in the details.
    const icon = (place: string): Promise<string> => page.locator(`${place} svg`).first().innerHTML()
    expect(await icon('.job-row[aria-current] .job-row-status')).toBe(await icon('.summary'))
    await page.getByRole('button', { name: 'Replace all again' }).click()
    expect(await argumentsOf(page, 'vault.redo')).toEqual([{ id: 'DSC_4821.heic' }])
  })

  itInLongSuite('offers nothing once the originals were deleted', async () => {
    const page = await openState('replaced-expired')
    await page.getByText('The originals were deleted on 18 November.').waitFor()
    expect(await page.getByRole('button', { name: /Undo|again/ }).count()).toBe(0)
  })
}

const heading = (page: Page): Promise<string> => page.locator('.menu .menu-heading').innerText()

function checkCanceling(): void {
  itInLongSuite(
    'says that nothing is replaced yet when a running job with several folders is canceled',
    async () => {
      const page = await openState('parts-replacing')
      expect(await heading(page)).toBe('No originals are replaced yet.')
      expect(await page.locator('.menu [role="menuitem"]').allInnerTexts()).toEqual([
        'Cancel ~/Pictures/Trip/Day 1 only\n~/Pictures/Trip/Day 2 starts right away',
        'Cancel both folders\nThe other originals stay unchanged',
      ])
    },
  )

  itInLongSuite('says that originals of folders that have ended stay replaced', async () => {
    const page = await openState('parts-replacing')
    await page.keyboard.press('Escape')
    const { jobs } = fixture('parts-replacing').script.state
    const [first, second] = jobs as readonly [PartAt<'service'>, PartAt<'service'>]
    const third: PartAt<'service'> = {
      ...second,
      id: asRecordId('DSC_3.jpg'),
      place: partOf(second, 2),
      output: { kind: 'folder', path: '/home/ida/.mediatray-vault-a1/2026-11-20-3/results' },
      firstPath: '/home/ida/Pictures/Trip/Day 3/DSC_3.jpg',
    }
    const ended: PartAt<'history'> = {
      ...first,
      place: partOf(first, 0),
      at: 'history',
      replaced: { replaced: 12, kept: 0, restored: 0 },
      outcome: { kind: 'done', results: 12, uploaded: null },
      endedAt: 1,
      unseen: false,
    }
    await change(page, { jobs: [{ ...second, place: partOf(second, 1) }, third], endedParts: [ended] })
    await page.locator('.job-pane').getByRole('button', { name: 'Cancel job' }).click()
    await expect
      .poll(() => heading(page))
      .toBe('Originals that were already replaced stay replaced. You can undo this.')
  })

  itInLongSuite('counts the replaced originals of a canceled job', async () => {
    const page = await openState('replaced-cancelled')
    await page.getByText('Canceled, 0 of 24 originals replaced').waitFor()
    expect(await page.locator('.job-pane h2').allTextContents()).toEqual(['Kept 24'])
    expect(new Set(await page.locator('.original-reason').allTextContents())).toEqual(
      new Set(['Kept, because the job was canceled']),
    )
    expect(await page.getByRole('button', { name: /Undo|Replace/ }).count()).toBe(0)
    await page.getByText('Canceled after 3 of 24').waitFor()
  })
}

/** The place of a part as one of three. */
const partOf = ({ place }: PartAt<'service'>, part: number): PartAt<'service'>['place'] => ({
  ...place,
  part,
  parts: 3,
  folders: 3,
  photos: 36,
})

function checkVault(): void {
  it('shows what the vaults hold, and empties them only after a question', async () => {
    const page = await openState('vault-empty')
    const dialog = page.getByRole('dialog', { name: 'Empty the vault?' })
    await dialog
      .getByText(
        '214 originals (3.1 GB) are deleted permanently from 2 disks. The files that replaced them stay. ' +
          'You won’t be able to undo those replacements.',
      )
      .waitFor()
    expect(await focusedText(page)).toBe('Cancel')
    await page.keyboard.press('Enter')
    expect(await argumentsOf(page, 'vault.empty')).toEqual([])
    await page.getByText('214 files, 3.1 GB in the vaults of 2 disks. Deleted after 30 days').waitFor()
    await page.getByText('In ~/.mediatray-vault-a1').waitFor()
    await page.getByText('In /media/ssd/.mediatray-vault-b2').waitFor()
    await page.getByRole('button', { name: 'Empty vault…' }).click()
    await dialog.getByRole('button', { name: 'Empty vault' }).click()
    await expect.poll(() => argumentsOf(page, 'vault.empty')).toHaveLength(1)
  })

  itInLongSuite('lists the jobs that replaced originals, and offers this as a filter', async () => {
    const page = await openState('vault')
    await page.getByRole('button', { name: 'Show jobs' }).click()
    await page.getByRole('button', { name: 'Remove filter: Replaced originals' }).waitFor()
    const asked = async () => (await argumentsOf(page, 'history.page')).at(-1)
    await expect.poll(asked).toMatchObject({ query: { replaced: true } })
    await page.getByRole('button', { name: 'Remove filter: Replaced originals' }).click()
    await expect.poll(asked).toMatchObject({ query: {} })
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Replaced originals' }).click()
    await expect.poll(asked).toMatchObject({ query: { replaced: true } })
  })

  it.each(
    firstOf([
      [[{ path: '/a.jpg', kind: 'restored', place: '/a.jpg' }], 'Restored 1 original'],
      [[], 'The vault has no originals from ~/Pictures.'],
      [
        [
          { path: '/a.jpg', kind: 'restored', place: '/a.jpg', newer: true },
          { path: '/b.jpg', kind: 'both', place: '/b (original).jpg' },
          { path: '/c.jpg', kind: 'restored', place: '/c.jpg' },
        ],
        'Restored 3 originals. 1 includes changes that another program saved after it was replaced. 1 is next to its result, which was edited or moved.',
      ],
      [
        [{ path: '/a.jpg', kind: 'failed', why: 'away', folder: '/disk' }],
        'Couldn’t find the original of a.jpg: its vault, /disk, isn’t there. Connect its disk, or move the folder back, and try again.',
      ],
    ] as const),
  )('restores a folder and reports it: %o', async (restored, words) => {
    const { script } = fixture('vault')
    const folder = `${script.facts.homeFolder}/Pictures`
    const page = await openScript({ ...script, restoredFolder: { folder, restored } })
    await goTo(page, fixture('vault'))
    await page.getByRole('button', { name: 'Choose folder…' }).click()
    await page.getByText(words, { exact: true }).first().waitFor()
  })

  itInLongSuite('names vaults whose originals have no record', async () => {
    const { script } = fixture('vault')
    const unlisted = [`${script.facts.homeFolder}/.mediatray-vault-c3`]
    const page = await openScript({ ...script, vault: { ...NOTHING_HELD, unlisted } })
    await goTo(page, fixture('vault'))
    await page
      .getByText('~/.mediatray-vault-c3 contains originals without a record. Mediatray never deletes them.')
      .waitFor()
    expect(await page.getByText('None in the vault').count()).toBe(0)
  })

  itInLongSuite('says that originals stay in the vault if their job or the history is deleted', async () => {
    const page = await openState('replaced')
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: /Remove from history/ }).click()
    await page
      .getByText('from history. Its originals stay in the vault, and Settings can restore them.')
      .first()
      .waitFor()
    const settings = await openState('vault')
    await settings.getByRole('button', { name: 'Clear history…' }).click()
    await settings
      .getByRole('dialog')
      .getByText('Replaced originals stay in the vault, and you can restore them by folder.')
      .waitFor()
  })

  itInLongSuite('names disks that aren’t connected, and has no button for an empty vault', async () => {
    const page = await openState('vault-away')
    await page.getByText('in the vaults of 2 disks, 1 vault wasn’t found.').waitFor()
    const empty = await openState('settings-history')
    await empty.getByText('None in the vault').waitFor()
    expect(await empty.getByRole('button', { name: 'Empty vault…' }).count()).toBe(0)
  })

  it('keeps replaced originals as long as the user chooses', async () => {
    const page = await openState('vault')
    await page.getByLabel('Keep replaced originals').selectOption('forever')
    expect(await argumentsOf(page, 'settings.update')).toEqual([{ keepOriginalsDays: null }])
    await page.getByText('Never deleted automatically').waitFor()
  })
}
