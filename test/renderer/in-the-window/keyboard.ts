import type { Page, Route } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import type { PartAt } from '../../../src/shared/model/job.ts'
import { fixture } from '../harness/fixtures.ts'
import {
  argumentsOf,
  calls,
  change,
  focusedText,
  openScript,
  openState,
  NARROW,
  WIDE,
} from '../harness/open-state.ts'

const count = async (page: Page, name: string): Promise<number> => (await calls(page, name)).length
const title = (page: Page) => page.locator('.job-pane h1').textContent()
const focusedClass = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.className ?? '')
const focusedId = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.id ?? '')
const focusedRecord = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-record') ?? null)
const nextFrame = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
/** Opens the window in a state of the design, and holds its request for a script until `load` is called. */
async function openHolding(state: string, name: string) {
  const before = await openState(state)
  const url = `**/${name}`
  const { promise, resolve } = Promise.withResolvers<Route>()
  await before.route(url, resolve, { times: 1 })
  onTestFinished(() => before.unroute(url))
  // Until it is reloaded, the page keeps scripts that earlier windows have loaded.
  await before.reload()
  const page = await openScript(fixture(state).script)
  return { page, load: async () => (await promise).continue() }
}
const view = (page: Page) => page.locator('.panes').getAttribute('data-view')

/** One test for each row of the design's keyboard table. */
export function checkKeyboard(): void {
  it('Ctrl+N starts a new job, Ctrl+O adds files, and Ctrl+Shift+O adds a folder', async () => {
    const page = await openState('details')
    await page.keyboard.press('Control+n')
    await expect.poll(() => title(page)).toBe('New job')
    await page.keyboard.press('Control+o')
    await expect.poll(() => count(page, 'draft.chooseFiles')).toBe(1)
    await page.keyboard.press('Control+Shift+O')
    await expect.poll(() => count(page, 'draft.chooseFolder')).toBe(1)
  })

  itInLongSuite('⌘ replaces Ctrl on macOS, where Ctrl does nothing', async () => {
    const { script } = fixture('details')
    const page = await openScript({ ...script, facts: { ...script.facts, platform: 'darwin' } })
    await page.keyboard.press('Control+o')
    await page.keyboard.press('Meta+,')
    await expect.poll(() => view(page)).toBe('settings')
    await page.keyboard.press('Meta+o')
    await expect.poll(() => count(page, 'draft.chooseFiles')).toBe(1)
    expect(await view(page)).toBe('jobs')
  })

  it('Ctrl+V pastes into the draft, or as text if a field has the focus', async () => {
    const page = await openState('idle')
    await page.locator('#search').focus()
    await page.keyboard.press('Control+v')
    await page.locator('.job-row').first().focus()
    await page.keyboard.press('Control+v')
    await expect.poll(() => count(page, 'draft.pasteFromClipboard')).toBe(1)
  })

  it('Ctrl+Enter starts the job, even from a field, unless the button is disabled', async () => {
    const page = await openState('compose-variations')
    await page.locator('#variations').focus()
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => argumentsOf(page, 'draft.start')).toEqual([{ split: false }])
    const blocked = await openState('compose-drive')
    await blocked.keyboard.press('Control+Enter')
    await blocked.keyboard.press('Control+n')
    expect(await count(blocked, 'draft.start')).toBe(0)
  })

  itInLongSuite('a hidden job or draft ignores the shortcuts of the list in a narrow window', async () => {
    const page = await openState('details', NARROW)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Filter', exact: true }).focus()
    for (const key of ['Delete', 'Control+r', 'Control+Backspace']) await page.keyboard.press(key)
    const composer = await openState('compose-tasks', NARROW)
    await composer.keyboard.press('Escape')
    await expect.poll(() => focusedClass(composer)).toContain('row')
    await composer.keyboard.press('Control+Enter')
    // The answer to a later call arrives after those of earlier calls.
    await composer.keyboard.press('Delete')
    await composer.getByRole('button', { name: 'Undo' }).waitFor()
    expect(await count(composer, 'draft.start')).toBe(0)
    expect([await count(page, 'jobs.remove'), await count(page, 'jobs.runAgain')]).toEqual([1, 0])
  })

  it('Ctrl+F and / focus the search; Esc clears it, and a second Esc returns to the list', async () => {
    const page = await openState('idle')
    await page.keyboard.press('Control+f')
    await expect.poll(() => focusedId(page)).toBe('search')
    await page.keyboard.type('scan')
    await expect.poll(() => page.locator('.job-row').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.job-row').count()).toBeGreaterThan(1)
    expect(await focusedId(page)).toBe('search')
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedClass(page)).toContain('row')
    await page.keyboard.press('/')
    await expect.poll(() => focusedId(page)).toBe('search')
    expect(await page.locator('#search').inputValue()).toBe('')
  })

  it('arrows, Home, End and the Page keys move in the list, and the details follow', async () => {
    const page = await openState('idle')
    expect(await page.locator('.job-list [tabindex="0"]').count()).toBe(1)
    await page.locator('.job-row').first().focus()
    const press = async (key: string, name: string): Promise<void> => {
      await page.keyboard.press(key)
      await expect.poll(() => focusedText(page)).toContain(name)
      await expect.poll(() => title(page)).toContain(name)
    }
    await press('ArrowDown', 'scan_001')
    await press('ArrowDown', 'teaser-v3')
    await press('ArrowUp', 'scan_001')
    await press('End', 'DSC_4410')
    await press('Home', 'IMG_0093')
    await press('PageDown', 'DSC_4410')
    await press('PageUp', 'IMG_0093')
    expect(await page.locator('.job-list [tabindex="0"]').count()).toBe(1)
  })

  it('Enter and Space open the details and focus them; Enter on a result opens it', async () => {
    const page = await openState('details', NARROW)
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedClass(page)).toContain('row')
    await page.keyboard.press('Space')
    await expect.poll(() => focusedClass(page)).toContain('scroll')
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedClass(page)).toContain('row')
    await page.keyboard.press('Enter')
    await expect.poll(() => focusedClass(page)).toContain('scroll')
    await page.locator('.file-row[draggable="true"]').first().focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focusedText(page)).toContain('DSC_4822')
    await page.keyboard.press('Enter')
    expect(await argumentsOf(page, 'files.open')).toEqual(['/home/ida/Pictures/Web/DSC_4822.webp'])
  })

  it('Ctrl+R opens the job as a new draft; Ctrl+Shift+R retries its failed files', async () => {
    const page = await openState('details-problems')
    await page.keyboard.press('Control+Shift+R')
    await expect
      .poll(() => argumentsOf(page, 'jobs.retryFailed'))
      .toEqual([{ id: 'scan_001.tiff', scope: 'job' }])
    await expect.poll(() => title(page)).toBe('New job')
    await page.locator('.job-row').first().focus()
    await page.keyboard.press('Control+r')
    await expect
      .poll(() => argumentsOf(page, 'jobs.runAgain'))
      .toEqual([{ id: 'IMG_0093.jpg', scope: 'job' }])
  })

  it('Ctrl+Backspace cancels a job', async () => {
    const page = await openState('busy')
    await page.keyboard.press('Control+Backspace')
    await expect.poll(() => argumentsOf(page, 'jobs.cancel')).toEqual([{ id: 'DSC_4821.heic', scope: 'job' }])
  })

  it('Del removes a file from the draft, with Undo', async () => {
    const page = await openState('compose')
    await page.locator('.draft-file').nth(0).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focusedText(page)).toContain('DSC_4822')
    await page.keyboard.press('Delete')
    await expect
      .poll(() => argumentsOf(page, 'draft.removeItems'))
      .toEqual([['/home/ida/Pictures/DSC_4822.heic']])
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await count(page, 'draft.undo')).toBe(1)
  })

  it('Del removes a job from the history or the outbox, with Undo', async () => {
    const page = await openState('idle')
    await page.locator('.job-row').first().focus()
    await page.keyboard.press('Delete')
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await argumentsOf(page, 'jobs.remove')).toEqual(['IMG_0093.jpg'])
    expect(await count(page, 'jobs.restore')).toBe(1)
    const waits = await openState('offline')
    await waits.locator('.job-row').first().focus()
    await waits.keyboard.press('Delete')
    await waits.getByRole('button', { name: 'Undo' }).click()
    expect(await argumentsOf(waits, 'outbox.restore')).toEqual(['IMG_3310.jpg'])
  })

  itInLongSuite(
    'Del removes the row even while the pointer is over the list, and the next row gets the focus',
    async () => {
      const page = await openState('idle')
      const rows = page.locator('.job-row')
      const second = (await rows.nth(1).getAttribute('data-record')) ?? ''
      await rows.first().hover()
      await rows.first().focus()
      await page.keyboard.press('Delete')
      await page.evaluate(() => {
        window.strings.records = window.strings.records.slice(1)
        window.strings.change({ historyVersion: window.strings.state().historyVersion + 1 })
      })
      await expect.poll(() => rows.first().getAttribute('data-record')).toBe(second)
      await expect.poll(() => focusedRecord(page)).toBe(second)
    },
  )

  itInLongSuite('a focused job that ends gets the focus back when its record has been loaded', async () => {
    const page = await openState('busy')
    const [{ id }] = fixture('busy').script.state.jobs as readonly [PartAt<'service'>]
    await page.locator(`.job-row[data-record="${id}"]`).focus()
    await page.evaluate((job) => {
      const { strings } = window
      strings.change({ jobs: strings.state().jobs.filter((one) => one.id !== job) })
    }, id)
    await expect.poll(() => focusedRecord(page)).not.toBe(id)
    await page.evaluate((job) => {
      const { strings } = window
      const [sample] = strings.records
      if (sample)
        strings.records = [
          { ...sample, id: job, place: { ...sample.place, id: job }, endedAt: strings.now },
          ...strings.records,
        ]
      strings.change({ historyVersion: strings.state().historyVersion + 1 })
    }, id)
    await expect.poll(() => focusedRecord(page)).toBe(id)
  })

  itInLongSuite('the first key and the first right click work as soon as a row is rendered', async () => {
    const { script } = fixture('idle')
    const asSoonAsShown = async (event: 'Delete' | 'contextmenu'): Promise<Page> => {
      const page = await openScript(script)
      await page.evaluate((type) => {
        const before = document.querySelector('#app')
        const observer = new MutationObserver(() => {
          const row = document.querySelector<HTMLElement>('.job-row')
          if (row === null || row.closest('#app') === before) return
          observer.disconnect()
          row.focus()
          const init = { bubbles: true, cancelable: true }
          row.dispatchEvent(
            type === 'Delete'
              ? new KeyboardEvent('keydown', { ...init, key: type })
              : new MouseEvent(type, init),
          )
        })
        observer.observe(document, { childList: true, subtree: true })
      }, event)
      return openScript(script)
    }
    const removed = await asSoonAsShown('Delete')
    await removed.locator('.toast').waitFor()
    expect(await argumentsOf(removed, 'jobs.remove')).toEqual(['IMG_0093.jpg'])
    const asked = await asSoonAsShown('contextmenu')
    await asked.getByRole('menuitem', { name: 'Remove from history' }).waitFor()
  })

  itInLongSuite('Del that is held down removes one job', async () => {
    const page = await openState('idle')
    await page.locator('.job-row').first().focus()
    for (const _ of [1, 2, 3]) await page.keyboard.down('Delete')
    await page.keyboard.up('Delete')
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    expect(await count(page, 'jobs.remove')).toBe(1)
  })

  it('Shift+F10 and the Menu key open the menu of a row, where letter keys jump to entries', async () => {
    const page = await openState('idle')
    await page.locator('.job-row').first().focus()
    for (const key of ['Shift+F10', 'ContextMenu']) {
      await page.keyboard.press(key)
      await page.locator('.menu').waitFor()
      await page.keyboard.press('r')
      expect(await focusedText(page)).toContain('Run again')
      await page.keyboard.press('Escape')
      await expect.poll(() => page.locator('.menu').count()).toBe(0)
      expect(await focusedText(page)).toContain('IMG_0093')
    }
  })

  it('Esc closes a dialog, the details and the settings', async () => {
    const page = await openState('confirm-clear')
    expect(await focusedText(page)).toBe('Cancel')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('dialog').count()).toBe(0)
    expect(await count(page, 'history.clear')).toBe(0)
    expect(await view(page)).toBe('settings')
    await page.keyboard.press('Escape')
    await expect.poll(() => view(page)).toBe('jobs')
    const details = await openState('details', NARROW)
    await details.keyboard.press('Escape')
    await expect.poll(() => details.locator('.sidebar').isVisible()).toBe(true)
  })

  it('F6 cycles from list to details to notice, and Shift+F6 in reverse', async () => {
    const page = await openState('key-rejected')
    const region = () =>
      page.evaluate(() => document.activeElement?.closest('.sidebar, .job-pane, .notice')?.classList[0] ?? '')
    const seen: string[] = []
    for (const key of ['F6', 'F6', 'F6', 'F6', 'Shift+F6']) {
      await page.keyboard.press(key)
      seen.push(await region())
    }
    expect(seen).toEqual(['sidebar', 'job-pane', 'notice', 'sidebar', 'notice'])
  })

  it('Ctrl+, opens the settings', async () => {
    const page = await openState('idle')
    await page.keyboard.press('Control+,')
    await expect.poll(() => title(page)).toBe('General')
  })
}

/** Whether something visible has the focus. */
const hasFocus = (page: Page): Promise<boolean> =>
  page.evaluate(
    () => document.activeElement !== document.body && document.activeElement?.checkVisibility() === true,
  )

export function checkFocus(): void {
  it('goes to the first file when files replace the button that chose them', async () => {
    const page = await openState('idle')
    await page.getByRole('button', { name: 'Choose files…' }).focus()
    const { draft } = fixture('compose').script.state
    await change(page, { draft })
    await expect.poll(() => focusedText(page)).toContain('DSC_4821')
  })

  it('goes to the chosen files once their view has loaded', async () => {
    const { page, load } = await openHolding('idle', 'composer.js')
    await page.getByRole('button', { name: 'Choose files…' }).focus()
    await change(page, { draft: fixture('compose').script.state.draft })
    await page.getByRole('button', { name: 'Choose files…' }).waitFor({ state: 'detached' })
    await nextFrame(page)
    await load()
    await expect.poll(() => focusedText(page)).toContain('DSC_4821')
  })

  it('goes to the next file or job when the focused one is removed', async () => {
    const page = await openState('compose')
    const { draft } = fixture('compose').script.state
    const items = draft.source.kind === 'files' ? draft.source.items : []
    await page.locator('.draft-file').first().focus()
    await change(page, { draft: { ...draft, source: { kind: 'files', items: items.slice(1) } } })
    await expect.poll(() => focusedText(page)).toContain('DSC_4822')
    await change(page, { draft: { ...draft, source: { kind: 'files', items: [] } } })
    await expect.poll(() => focusedText(page)).toBe('Choose files…')
  })

  itInLongSuite(
    'goes to the next control when the focused one becomes disabled, and stays on a button that works for a moment',
    async () => {
      const page = await openState('compose-variations')
      const { draft } = fixture('compose-variations').script.state
      await page.locator('.stepper button').first().focus()
      await change(page, { draft: { ...draft, variations: 1 } })
      await expect.poll(() => focusedId(page)).toBe('variations')
      const waiting = await openState('queue')
      await waiting.locator('[data-movable] .job-row').nth(1).click()
      await waiting.getByRole('button', { name: 'Move up' }).focus()
      const [first, second, ...others] = fixture('queue').script.state.outbox
      if (first === undefined || second === undefined) throw new Error('The queue is too short')
      await change(waiting, { outbox: [second, first, ...others] })
      expect(await hasFocus(waiting)).toBe(true)
      const rules = await openState('rules-trying')
      await expect.poll(() => focusedId(rules)).toBe('try-rules')
      expect(await rules.locator('#try-rules').getAttribute('aria-disabled')).toBe('true')
    },
  )

  itInLongSuite('stays in a setting whose buttons change, and in the notes of a new job', async () => {
    const page = await openState('settings-quiet-paused')
    const { quiet } = fixture('settings-quiet').script.state
    await page.getByRole('main').getByRole('button', { name: 'Resume' }).focus()
    await change(page, { quiet })
    await expect.poll(() => focusedText(page)).toBe('For 1 hour')
    const composer = await openState('compose-lost')
    const { state } = fixture('compose-other-format').script
    await composer.getByRole('button', { name: 'Use TIFF for these' }).focus()
    await change(composer, { draft: state.draft, foreseen: state.foreseen })
    await expect.poll(() => focusedText(composer)).toBe('Undo')
  })

  itInLongSuite('keeps a toast while it has the focus, even if the pointer leaves it', async () => {
    const page = await openState('toast')
    await page.locator('.toast button').focus()
    await page.clock.install()
    await page.locator('.toast').hover()
    await page.mouse.move(0, 0)
    await page.clock.runFor(10_000)
    expect(await page.locator('.toast button:focus').count()).toBe(1)
    await page.locator('.job-row').first().focus()
    await page.clock.runFor(10_000)
    await expect.poll(() => page.locator('.toast').count()).toBe(0)
  })

  itInLongSuite(
    'stays in the window from a new job to its details and to the settings, also in a narrow one',
    async () => {
      for (const size of [WIDE, NARROW]) {
        const page = await openState('details', size)
        await page.locator('.job-pane .scroll-area').focus()
        for (const key of [
          'Control+n',
          'Control+,',
          'Enter',
          'Escape',
          'Control+,',
          'Escape',
          'Enter',
          'Escape',
        ]) {
          await page.keyboard.press(key)
          await expect.poll(() => hasFocus(page), { message: key }).toBe(true)
        }
      }
    },
  )

  it('goes to the current section when the settings open, and back to the list', async () => {
    const page = await openState('idle')
    await page.keyboard.press('Control+,')
    await expect.poll(() => focusedText(page)).toBe('General')
    await page.locator('.settings-nav button').nth(2).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => focusedClass(page)).toContain('row')
    await page.keyboard.press('Control+,')
    await expect.poll(() => focusedText(page)).toBe('Automation')
  })

  it.each([null, 'Tab', 'ArrowDown'])(
    'goes to the details once they have loaded, unless another key is pressed: %s',
    async (key) => {
      const { page, load } = await openHolding('details', 'details.js')
      await page.locator('.job-row').first().focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => page.locator('.job-row[aria-current]').count()).toBe(1)
      if (key !== null) await page.keyboard.press(key)
      await nextFrame(page)
      await load()
      await page.locator('.job-pane .scroll-area').waitFor()
      const isInDetails = async () => (await page.locator('.job-pane .scroll-area:focus').count()) === 1
      if (key === null) await expect.poll(isInDetails).toBe(true)
      await nextFrame(page)
      expect([await isInDetails(), await hasFocus(page)]).toEqual([key === null, true])
    },
  )

  itInLongSuite(
    'goes to the key field of a window that a notification has just opened, once the field is loaded',
    async () => {
      // Loads no script from an earlier window.
      await (await openState('idle')).reload()
      const page = await openScript(fixture('key-rejected').script)
      await page.evaluate(() => window.strings.emit('show', { place: 'keyField' }))
      await expect.poll(() => focusedId(page)).toBe('notice-key')
    },
  )

  itInLongSuite('is left alone if the user moved it away', async () => {
    const page = await openState('idle')
    await page.getByRole('button', { name: 'Choose files…' }).focus()
    await page.locator('.empty-state').click({ position: { x: 5, y: 5 } })
    await change(page, { draft: fixture('compose').script.state.draft })
    await page.locator('.draft-file').first().waitFor()
    expect(await hasFocus(page)).toBe(false)
  })

  it('passes the buttons of only one row of a list', async () => {
    const page = await openState('details')
    await page.locator('.file-row').first().focus()
    for (const name of ['Show in folder', 'Open', 'Technical details']) {
      await page.keyboard.press('Tab')
      expect(
        await page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent),
      ).toBe(name)
    }
  })
}
