import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { calls as contract } from '../../../src/shared/ipc/contract.ts'
import type { Script } from '../harness/fake-bridge.ts'
import { fixture, NOW, standard, withId } from '../harness/fixtures.ts'
import {
  argumentsOf,
  calls,
  focusedText,
  openScript,
  openState,
  NARROW,
  change,
} from '../harness/open-state.ts'
import { goTo, settled } from '../harness/go-to.ts'

const [sample] = standard.records
const longHistory: Script = {
  ...standard,
  records: Array.from({ length: 10_000 }, (_, index) => ({
    ...withId(sample ?? fail(), `record-${index}`),
    name: `photo_${index}.jpg`,
    endedAt: NOW - index * 3_600_000,
  })),
}
function fail(): never {
  throw new Error('The fixture has no record')
}

const variations = (page: Page) => page.getByLabel('Variations').count()

export function checkBehavior(): void {
  itInLongSuite('renders at most 60 rows for 10,000 jobs, and keeps the focused one', async () => {
    const page = await openScript(longHistory, { width: 880, height: 800 }, 'light')
    const first = page.getByRole('button', { name: /photo_0\.jpg/ })
    await first.click()
    const scroller = page.locator('.job-list')
    for (const top of [2_000, 100_000, 400_000, 522_000]) {
      await scroller.evaluate((element, to) => element.scrollTo(0, to), top)
      await settled(page)
      expect(await page.locator('.job-row').count()).toBeLessThanOrEqual(60)
    }
    expect(await focusedText(page)).toContain('photo_0')
    expect(await page.locator('.job-row-slot[aria-setsize="10000"]').count()).toBeGreaterThan(0)
  })

  itInLongSuite('jumps to the last of 10,000 jobs with End, and shows its details', async () => {
    const page = await openScript(longHistory)
    await page.getByRole('button', { name: /photo_0\.jpg/ }).click()
    await page.keyboard.press('End')
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('photo_9999') === true)
    await expect.poll(() => page.locator('h1').textContent()).toContain('photo_9999')
  })

  itInLongSuite('renders few rows for 1,000 files, and shows the number of results', async () => {
    const page = await openState('compose-thousand')
    expect(await page.locator('.draft-file').count()).toBeLessThan(40)
    await expect.poll(() => page.locator('#variations-sum').textContent()).toContain('2,000 results')
  })

  itInLongSuite(
    'announces how far a search for files is once in a while, and its question at once',
    async () => {
      const page = await openState('compose-thousand')
      const announced = () => page.locator('.visually-hidden[aria-live]').textContent()
      const begun = 'Searching for photos and videos: 1,000 found in 1,310 files'
      await expect.poll(announced).toBe(begun)
      const intake = { found: 2_000, looked: 2_620, question: null }
      await change(page, { intake })
      await page.getByText('2,000 found in 2,620 files').waitFor()
      expect(await announced()).toBe(begun)
      expect(await page.locator('.intake').getByRole('status').count()).toBe(0)
      await change(page, { intake: { ...intake, question: { found: 2_000, cap: 1_000 } } })
      await expect.poll(announced).toBe(`${begun}; Found 2,000 photos and videos.`)
    },
  )

  itInLongSuite(
    'offers variations for another service, for presets that define ranges, and if there are several',
    async () => {
      expect(await variations(await openState('compose'))).toBe(1)
      expect(await variations(await openState('compose-tasks'))).toBe(0)
      expect(await variations(await openState('compose-variations'))).toBe(1)
      expect(await variations(await openState('compose-built-in'))).toBe(0)
      const { script } = fixture('compose-built-in')
      const documents = script.presets.documents.map((one) => ({
        ...one,
        text: one.text.replace('{', '{ "variations": {},'),
      }))
      const page = await openScript({ ...script, presets: { ...script.presets, documents } })
      await page.evaluate(() => window.strings.emit('show', { place: 'newJob' }))
      await page.getByLabel('Variations', { exact: true }).waitFor()
    },
  )

  it('asks for variations only with a preset that defines how much they differ', async () => {
    const page = await openState('compose-variations')
    await page.getByText('4 variations: 6 files become 24 results.').waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await expect.poll(() => argumentsOf(page, 'draft.update')).toEqual([{ variations: 5 }])
    const { draft } = fixture('compose-built-in').script.state
    await change(page, { draft })
    await expect.poll(() => page.getByLabel('Variations', { exact: true }).count()).toBe(0)
    // The number from a command stays visible.
    await change(page, { draft: { ...draft, variations: 2 } })
    await page.getByLabel('Variations', { exact: true }).waitFor()
  })

  it('mentions the built-in service, with a link to change it, until the first job is done', async () => {
    const page = await openState('empty')
    await page.getByText('Using the built-in service').waitFor()
    await page.getByRole('button', { name: 'Change the service' }).click()
    await page.locator('.job-pane .pane-header h1', { hasText: 'Service' }).waitFor()
    await expect
      .poll(() =>
        page
          .getByRole('radio', { name: 'Built-in service' })
          .evaluate((one) => one === document.activeElement),
      )
      .toBe(true)
    const later = await openState('compose-built-in')
    await later.getByText('Built-in service is running').waitFor()
    expect(await later.getByRole('button', { name: 'Change the service' }).count()).toBe(0)
  })

  itInLongSuite('does not reorder the list while the pointer is over it', async () => {
    const page = await openState('queue-full')
    const names = () => page.locator('.job-row .file-name').allTextContents()
    await page.locator('.job-row').nth(1).hover()
    await page.mouse.move(150, 300)
    const before = await names()
    await change(page, { jobs: fixture('queue-full').script.state.jobs.slice(1) })
    await settled(page)
    expect(await names()).toEqual(before)
    await page.mouse.move(700, 300)
    await expect.poll(names).not.toEqual(before)
  })

  itInLongSuite('shows a job that ended just before the pointer moved over the list', async () => {
    const page = await openState('busy')
    const { state } = fixture('busy').script
    const [ended] = state.jobs
    if (!ended) throw new Error('The fixture has no running job')
    const row = page.locator(`.job-row[data-record="${ended.id}"]`)
    await row.waitFor()
    await page.evaluate(
      ([id, version]) => {
        const { strings, mediatray } = window
        const read = mediatray.history.page
        const held = Promise.withResolvers<void>()
        const history = mediatray.history as { page: typeof read }
        history.page = (question) => held.promise.then(() => read(question))
        addEventListener('answer', () => held.resolve(), { once: true })
        const [sample] = strings.records
        if (!sample) return
        strings.records = [
          { ...sample, id, place: { ...sample.place, id }, endedAt: strings.now },
          ...strings.records,
        ]
        strings.change({
          jobs: strings.state().jobs.filter((job) => job.id !== id),
          historyVersion: version + 1,
        })
      },
      [ended.id, state.historyVersion] as const,
    )
    await row.waitFor({ state: 'detached' })
    await page.locator('.job-row').first().hover()
    await page.evaluate(() => dispatchEvent(new Event('answer')))
    await row.waitFor()
  })

  it('lets a result be dragged into another app, or opened with Enter', async () => {
    const page = await openState('details')
    const result = page.locator('.file-row[draggable="true"]').first()
    await result.dispatchEvent('dragstart')
    expect((await calls(page, 'files.startDrag'))[0]?.argument).toEqual([
      '/home/ida/Pictures/Web/DSC_4821.webp',
    ])
    await result.focus()
    await page.keyboard.press('Enter')
    expect((await calls(page, 'files.open'))[0]?.argument).toBe('/home/ida/Pictures/Web/DSC_4821.webp')
  })

  it('moves the divider of a comparison with the arrow and Page keys', async () => {
    const page = await openState('details')
    const slider = page.getByRole('slider', { name: 'Divider, before and after' })
    await slider.press('ArrowRight')
    await slider.press('PageUp')
    expect(await slider.getAttribute('aria-valuetext')).toBe('61% before')
    const split = await page
      .locator('.compare .preview-pane')
      .evaluate((element) => getComputedStyle(element).getPropertyValue('--split'))
    expect(split).toBe('61%')
  })

  it('compares every pixel of any result: zoomed, panned, alternating, and as a difference', async () => {
    const page = await openState('details')
    const pane = page.getByRole('group', { name: /^Preview of DSC_4821.webp/ })
    await pane.focus()
    await page.keyboard.press('2')
    const left = () => pane.locator('.after img').evaluate((image) => image.getBoundingClientRect().left)
    const width = () => pane.locator('.after img').evaluate((image) => image.getBoundingClientRect().width)
    expect(await width()).toBe(2 * 1_066)
    const before = await left()
    await page.keyboard.press('ArrowRight')
    expect(await left()).toBe(before - 40)
    await page.keyboard.press('p')
    expect(await pane.getAttribute('data-shown')).toBe('after')
    await page.keyboard.press('p')
    expect(await pane.getAttribute('data-shown')).toBe('before')
    await page.keyboard.press('Escape')
    expect(await pane.getAttribute('data-shown')).toBeNull()
    await page.keyboard.press('0')
    expect(await width()).toBeLessThanOrEqual(1_066)
    await page.getByRole('button', { name: 'Difference' }).click()
    expect(await pane.getByRole('slider').count()).toBe(0)
    const others = page.getByRole('radiogroup', { name: 'Results to compare' }).getByRole('radio')
    await others.nth(1).check({ force: true })
    await expect.poll(async () => (await calls(page, 'preview.compare')).length).toBe(2)
  })

  it('compares a video with its original, and plays both with Space', async () => {
    const page = await openState('details-video')
    const pane = page.getByRole('group', { name: /^Preview of interview-a_take03_9x16.mp4/ })
    await pane.locator('.after canvas').waitFor()
    expect(await argumentsOf(page, 'preview.compare')).toMatchObject([{ start: null }])
    // With reduced motion, nothing plays automatically.
    const button = page.locator('.video-controls').getByRole('button')
    expect(await button.getAttribute('aria-label')).toBe('Play (Space)')
    await pane.focus()
    await page.keyboard.press('Space')
    await expect.poll(() => button.getAttribute('aria-label')).toBe('Pause (Space)')
    await button.press('Space')
    await expect.poll(() => button.getAttribute('aria-label')).toBe('Play (Space)')
    const slider = page.getByRole('slider', { name: 'Sample start' })
    await slider.press('Home')
    await expect
      .poll(() => argumentsOf(page, 'preview.compare'))
      .toMatchObject([{ start: null }, { start: 0 }])
  })

  it('accepts dropped files by path and a pasted image by its bytes', async () => {
    const page = await openState('idle')
    await page.evaluate(() => {
      const files = new DataTransfer()
      files.items.add(new File(['abc'], 'photo.jpg'))
      dispatchEvent(new DragEvent('drop', { dataTransfer: files }))
      const pasted = new DataTransfer()
      pasted.items.add(new File(['abc'], 'pasted.png'))
      dispatchEvent(new ClipboardEvent('paste', { clipboardData: pasted }))
    })
    await expect.poll(async () => (await calls(page, 'draft.addImage')).length).toBe(1)
    expect((await calls(page, 'draft.addPaths'))[0]?.argument).toEqual(['/home/ida/dropped'])
  })

  it('accepts files that are dropped before a service is chosen', async () => {
    const page = await openState('first-run')
    await page.evaluate(() => {
      const files = new DataTransfer()
      files.items.add(new File(['abc'], 'photo.jpg'))
      dispatchEvent(new DragEvent('dragenter', { dataTransfer: files }))
    })
    await page.locator('.drop-overlay').waitFor()
    await page.evaluate(() => {
      const files = new DataTransfer()
      files.items.add(new File(['abc'], 'photo.jpg'))
      dispatchEvent(new DragEvent('drop', { dataTransfer: files }))
    })
    await expect.poll(() => argumentsOf(page, 'draft.addPaths')).toEqual([['/home/ida/dropped']])
    expect(await page.locator('.drop-overlay').count()).toBe(0)
  })

  itInLongSuite('expects files once per drag, when the drag enters the window', async () => {
    const page = await openState('idle')
    await page.evaluate(() => {
      const files = new DataTransfer()
      files.items.add(new File(['abc'], 'photo.jpg'))
      const drag = (type: string) => dispatchEvent(new DragEvent(type, { dataTransfer: files }))
      for (const type of ['dragenter', 'dragenter', 'dragleave', 'dragleave', 'dragenter']) drag(type)
    })
    await expect.poll(async () => (await calls(page, 'draft.expectFiles')).length).toBe(2)
    expect(await calls(page, 'draft.addPaths')).toEqual([])
  })

  it('ignores dragged text and links', async () => {
    const page = await openState('idle')
    await page.evaluate(() => {
      const text = new DataTransfer()
      text.setData('text/uri-list', 'file:///etc/passwd')
      dispatchEvent(new DragEvent('dragenter', { dataTransfer: text }))
      dispatchEvent(new DragEvent('drop', { dataTransfer: text, cancelable: true }))
    })
    expect(await page.locator('.drop-overlay').count()).toBe(0)
    expect(await calls(page, 'draft.expectFiles')).toEqual([])
    expect(await calls(page, 'draft.addPaths')).toEqual([])
  })

  itInLongSuite('explains why a new key does not work', async () => {
    const page = await openState('key-rejected')
    await page.getByLabel('API key').fill('wrong')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#notice-key-trouble').textContent()).toContain('rejected this key')
  })

  it('asks before it sends a lost submission again, without preselecting a choice', async () => {
    const page = await openState('unsure')
    const goOn = page.getByRole('button', { name: 'Continue' })
    expect(await page.locator('input[name="which"]:checked').count()).toBe(0)
    expect(await goOn.isDisabled()).toBe(true)
    await page.getByLabel(/It’s job_3dTf-002/).check()
    await goOn.click()
    expect((await calls(page, 'outbox.resolve'))[0]?.argument).toEqual({
      id: 'boat-trip.mp4',
      choice: { kind: 'adopt', jobId: 'job_3dTf-002' },
    })
  })

  it('shows one pane at a time in a narrow window, with a way back', async () => {
    const page = await openState('idle', NARROW)
    expect(await page.locator('.job-pane').isVisible()).toBe(false)
    await page.locator('.job-row').first().click()
    expect(await page.locator('.sidebar').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Back to jobs' }).click()
    expect(await page.locator('.sidebar').isVisible()).toBe(true)
  })

  itInLongSuite(
    'never shows more than 100%, and shows an indeterminate bar if the progress is unknown',
    async () => {
      const page = await openState('busy')
      const bar = page.locator('.job-row progress').first()
      const [job] = fixture('busy').script.state.jobs
      if (job === undefined) throw new Error('Nothing is running')
      const report = (share: number | null) =>
        change(page, { jobs: [{ ...job, progress: { ...job.progress, share } }] })
      await report(1.7)
      await expect.poll(() => bar.getAttribute('value')).toBe('1')
      expect(await page.locator('.percentage').textContent()).toBe('100%')
      await report(null)
      await expect.poll(() => bar.getAttribute('value')).toBeNull()
      expect(await page.locator('.percentage').count()).toBe(0)
    },
  )

  it('applies the language and the color scheme as soon as they are selected', async () => {
    const page = await openState('idle')
    await change(page, { settings: { ...standard.state.settings, language: 'de', appearance: 'dark' } })
    await expect.poll(() => page.locator('h1').textContent()).toBe('Neuer Auftrag')
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  })

  itInLongSuite(
    'lists languages by their own names, and announces a choice in the new language',
    async () => {
      const { script } = fixture('settings-general')
      const languages = [...script.facts.languages, 'zh-Hans', 'pt-BR']
      const page = await openScript({
        ...script,
        facts: { ...script.facts, locale: 'de-AT', languages },
        state: { ...script.state, settings: { ...script.state.settings, language: 'en' } },
      })
      await goTo(page, fixture('settings-general'))
      const language = page.locator('#language')
      expect(await language.locator('.option-label').allTextContents()).toEqual([
        'System (Deutsch)',
        'Deutsch',
        'English',
        'Português (Brasil)',
        '简体中文',
        'Help translate',
      ])
      expect(await language.locator('.option-reason').allTextContents()).toEqual([
        '50% translated',
        '50% translated',
      ])
      await language.focus()
      await language.selectOption('system')
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')
      await expect
        .poll(() => page.locator('[aria-live=polite]').allTextContents())
        .toContainEqual(expect.stringMatching(/: Deutsch$/))
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('language')
      await language.selectOption('help')
      await expect.poll(() => argumentsOf(page, 'app.openLink')).toEqual(['homePage'])
      expect(await language.inputValue()).toBe('system')
    },
  )

  it('starts a job immediately if files are dropped with Shift, unless a file needs attention', async () => {
    const page = await openState('idle')
    const drop = (draft: typeof standard.state.draft) =>
      page.evaluate((found) => {
        const files = new DataTransfer()
        files.items.add(new File(['abc'], 'photo.jpg'))
        window.strings.change({ draft: { ...found, source: { kind: 'files', items: [] } } })
        dispatchEvent(new DragEvent('drop', { dataTransfer: files, shiftKey: true }))
        window.strings.change({ draft: found })
      }, draft)
    await drop(fixture('compose-mixed').script.state.draft)
    await expect.poll(async () => (await calls(page, 'app.snapshot')).length).toBe(2)
    await settled(page)
    expect(await calls(page, 'draft.start')).toEqual([])
    await drop(fixture('compose').script.state.draft)
    await expect.poll(() => argumentsOf(page, 'draft.start')).toEqual([{ split: false }])
  })

  it('counts down in whole seconds, announces the countdown once, and keeps the app open on request', async () => {
    const page = await openState('ending-quit')
    const timer = page.getByRole('timer')
    const spoken = page.locator('.visually-hidden[aria-live]')
    expect(await timer.textContent()).toBe('Mediatray quits in 30 s.')
    expect(await spoken.textContent()).toBe('Mediatray quits in 30 s.')
    await page.evaluate(() => {
      window.strings.now += 12_000
    })
    await expect.poll(() => timer.textContent()).toBe('Mediatray quits in 18 s.')
    expect(await spoken.textContent()).toBe('Mediatray quits in 30 s.')
    await page.getByRole('button', { name: 'Stay open' }).click()
    await expect.poll(() => timer.count()).toBe(0)
    expect(await calls(page, 'app.stayOpen')).toHaveLength(1)
  })

  it('shows the progress of an update, and installs it on request', async () => {
    const page = await openState('update-none')
    const texts = page.locator('.setting', { hasText: 'Updates' }).getByRole('status')
    expect(await texts.textContent()).toContain('is the latest')
    await page.getByRole('button', { name: 'Check now' }).click()
    expect(await calls(page, 'updates.check')).toHaveLength(1)
    await change(page, { update: { status: 'available', version: '1.1.0' } })
    await expect.poll(() => texts.textContent()).toContain('downloads when no jobs are running')
    await change(page, { update: { status: 'failed', reason: 'badSignature', detail: 'checksum mismatch' } })
    await expect.poll(() => texts.textContent()).toContain('signature is invalid')
    await change(page, { update: { status: 'failed', reason: 'notReachable', detail: 'ENOTFOUND' } })
    await expect.poll(() => texts.textContent()).toContain('Couldn’t reach the update server')
    await change(page, { update: { status: 'ready', version: '1.1.0' } })
    await page.getByRole('button', { name: 'Restart and install 1.1.0' }).click()
    expect(await calls(page, 'updates.install')).toHaveLength(1)
    await page.getByRole('button', { name: 'Mediatray 1.1.0 is ready' }).waitFor()
  })

  itInLongSuite.each([
    ['a build has no update source', 'update-no-source', /^This build has no update source\.$/],
    ['a build is not signed', 'update-unsigned', /^This build isn’t signed, so it can’t update itself\./],
    ['the portable edition is replaced manually', 'update-portable', /^The portable edition can’t update/],
  ] as const)('shows that %s, and doesn’t offer to check for updates', async (_, name, said) => {
    const page = await openState(name)
    const says = page.locator('.setting', { hasText: 'Updates' }).getByRole('status')
    expect((await says.textContent())?.trim()).toMatch(said)
    expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0)
    expect(await page.getByText('Check for updates').count()).toBe(0)
    expect(await calls(page, 'updates.check')).toEqual([])
  })

  itInLongSuite('shows on Wayland that the desktop assigns the shortcut', async () => {
    const general = fixture('settings-general')
    const facts = { ...general.script.facts, desktopBindsShortcuts: true }
    const page = await openScript({ ...general.script, facts })
    await goTo(page, general)
    await page.getByText('On Wayland, the desktop assigns shortcuts').waitFor()
    expect(await page.getByText('Works in any app').count()).toBe(0)
    expect(await page.getByText('isn’t installed').count()).toBe(0)
  })

  itInLongSuite('says how to install the desktop file if the desktop may refuse the shortcut', async () => {
    const general = fixture('settings-general')
    const facts = { ...general.script.facts, desktopBindsShortcuts: true, desktopMayRefuseShortcuts: true }
    const page = await openScript({ ...general.script, facts })
    await goTo(page, general)
    await page.getByText('app.mediatray.Mediatray.desktop').waitFor()
  })

  it('shows the licenses of the package’s content', async () => {
    const page = await openState('settings-about')
    await page.getByText('Packages as a whole are GPL-3.0-or-later').waitFor()
    await page.getByRole('button', { name: 'Show licenses' }).click()
    expect(await calls(page, 'app.showLicences')).toHaveLength(1)
  })

  itInLongSuite('doesn’t link to a releases page if there is none', async () => {
    const failed = fixture('update-failed')
    const facts = { ...failed.script.facts, hasHomePage: false }
    const page = await openScript({ ...failed.script, facts })
    await goTo(page, failed)
    await page.getByText('signature is invalid').waitFor()
    expect(await page.getByRole('button', { name: 'View releases' }).count()).toBe(0)
  })

  itInLongSuite('names settings that can’t be read, until the user dismisses the notice', async () => {
    const page = await openState('settings-unread')
    await page.getByText('Couldn’t read 2 settings: quiet.from, newJob.done').waitFor()
    await page.locator('[data-region="notice"]').getByRole('button', { name: 'Continue' }).click()
    await expect.poll(() => argumentsOf(page, 'app.dismissNotice')).toEqual(['settingsUnread'])
  })

  itInLongSuite('accepts the key for this session in the notice about the missing keychain', async () => {
    const page = await openState('no-keychain')
    await page.getByRole('button', { name: 'Keep until I quit' }).click()
    await page.locator('#notice-key:focus').waitFor()
    await page.keyboard.type('the-key')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => argumentsOf(page, 'connection.replaceKey'))
      .toEqual([{ key: 'the-key', keep: 'session' }])
  })

  it('offers on first run to keep the key until the user quits if there is no keychain', async () => {
    const { script } = fixture('first-run')
    const page = await openScript({ ...script, keychainWorks: false })
    await page.getByLabel('API key').fill('the-key')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Keep until I quit' }).click()
    const asked = { baseUrl: 'http://127.0.0.1:3847/api', key: 'the-key' }
    await expect
      .poll(() => argumentsOf(page, 'connection.useExternal'))
      .toEqual([
        { ...asked, keep: 'keychain' },
        { ...asked, keep: 'session' },
      ])
  })

  itInLongSuite('keeps the choice on first run when a service is found late', async () => {
    const { script } = fixture('first-run')
    const page = await openScript({ ...script, found: null })
    const builtIn = page.getByRole('radio', { name: /built-in/i })
    await builtIn.click()
    await page.evaluate(() =>
      window.strings.find({ kind: 'service', baseUrl: 'http://127.0.0.1:3847/api', version: '1.0.81' }),
    )
    await page.getByText('127.0.0.1:3847').waitFor()
    expect(await builtIn.isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect.poll(() => argumentsOf(page, 'connection.useBuiltIn')).toHaveLength(1)
  })

  itInLongSuite('explains why it doesn’t check for updates while jobs are running', async () => {
    const page = await openState('update-none')
    const texts = page.locator('.setting', { hasText: 'Updates' }).getByRole('status')
    await change(page, { jobs: fixture('busy').script.state.jobs })
    await page.getByRole('button', { name: 'Check now' }).click()
    await expect.poll(() => texts.textContent()).toContain('Updates wait while jobs are running.')
    await change(page, { jobs: [] })
    await expect.poll(() => texts.textContent()).toContain('is the latest')
  })

  it('shows that a watched folder is being scanned before it shows that it is watched', async () => {
    const page = await openState('settings-watch-scanning')
    await page.getByText('Scanning the folder…').first().waitFor()
    expect(await page.getByText('Scanning the folder…').count()).toBe(2)
    await page.getByText('Off. Print A4 300 dpi, to ~/Scans/Print').waitFor()
  })

  it('names what is never processed in a watched folder', async () => {
    const page = await openState('settings-watch-left-out')
    const skipped = page.getByText(
      'Skipped: 3 links, 1 special file, 5 hidden or unfinished files, 2 empty files, 4 unreadable',
    )
    await skipped.waitFor()
    expect(await skipped.getAttribute('title')).toContain('link 1.jpg')
    await page.getByRole('link', { name: '~/Camera Uploads' }).click()
    await page.getByText('Watching, 128 sent so far').waitFor()
    await skipped.waitFor()
  })

  it('saves the settings of a watched folder without its state', async () => {
    const page = await openState('rules-none')
    await page.getByRole('button', { name: 'Folder options…' }).click()
    await expect.poll(() => page.getByLabel('Folder', { exact: true }).inputValue()).toBe('~/Camera Uploads')
    await page.getByRole('checkbox', { name: 'Include subfolders' }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    const [saved] = await argumentsOf(page, 'watch.save')
    expect(contract.watch.save.argument.parse(saved)).toMatchObject({ id: 'a', folder: { recursive: true } })
  })

  itInLongSuite('reloads the watched folders when one changes', async () => {
    const page = await openState('settings-automation')
    const before = (await calls(page, 'watch.list')).length
    await page.evaluate(() => window.strings.emit('watchChanged', null))
    await expect.poll(async () => (await calls(page, 'watch.list')).length).toBe(before + 1)
  })
}
