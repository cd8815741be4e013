import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import type { Script } from '../harness/fake-bridge.ts'
import { NOW, standard } from '../harness/fixtures.ts'
import { argumentsOf, calls, fixture, focusedText, lookAt, NARROW, WIDE } from '../harness/look-at.ts'
import { goTo, settled } from '../harness/go-to.ts'
import type { Harness } from '../harness/open-window.ts'

const [sample] = standard.records
const longHistory: Script = {
  ...standard,
  records: Array.from({ length: 10_000 }, (_, index) => ({
    ...(sample ?? fail()),
    id: asRecordId(`record-${index}`),
    name: `photo_${index}.jpg`,
    endedAt: NOW - index * 3_600_000,
  })),
}
function fail(): never {
  throw new Error('The fixture has no record')
}

export function checkBehaviour(harness: () => Harness): void {
  const open = (name: string, size = WIDE): Promise<Page> => lookAt(harness(), name, size)

  it('has at most 60 rows in the page for 10 000 jobs, and keeps the focused one', async () => {
    const page = await harness().open(longHistory, { width: 880, height: 800 }, 'light')
    const first = page.getByRole('button', { name: /photo_0\.jpg/ })
    await first.click()
    const scroller = page.locator('.jobs')
    for (const top of [2_000, 100_000, 400_000, 522_000]) {
      await scroller.evaluate((element, to) => element.scrollTo(0, to), top)
      await settled(page)
      expect(await page.locator('.row').count()).toBeLessThanOrEqual(60)
    }
    expect(await focusedText(page)).toContain('photo_0')
    expect(await page.locator('.row-position[aria-setsize="10000"]').count()).toBeGreaterThan(0)
  })

  it('reaches the last of 10 000 jobs with End, and the stage follows', async () => {
    const page = await harness().open(longHistory, WIDE, 'light')
    await page.getByRole('button', { name: /photo_0\.jpg/ }).click()
    await page.keyboard.press('End')
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('photo_9999') === true)
    await expect.poll(() => page.locator('h1').textContent()).toContain('photo_9999')
  })

  it('lists 1 000 files with few rows, and its amber sum', async () => {
    const page = await open('compose-thousand')
    expect(await page.locator('.file').count()).toBeLessThan(40)
    await expect.poll(() => page.locator('#variations-sum').textContent()).toContain('2,000 results')
  })

  it('takes a snapshot again after a change was missed', async () => {
    const page = await open('idle')
    await page.evaluate(() => {
      window.strings.emit('stateChanged', { since: 8, version: 9, slices: { outboxPaused: true } })
    })
    await expect.poll(async () => (await calls(page, 'app.snapshot')).length).toBe(2)
  })

  it('does not reorder the list while the pointer is over it', async () => {
    const page = await open('queue-full')
    const names = () => page.locator('.row .name').allTextContents()
    await page.locator('.row').nth(1).hover()
    await page.mouse.move(150, 300)
    const before = await names()
    await page.evaluate(
      (jobs) => window.strings.change({ jobs: jobs.slice(1) }),
      fixture('queue-full').script.state.jobs,
    )
    await settled(page)
    expect(await names()).toEqual(before)
    await page.mouse.move(700, 300)
    await expect.poll(names).not.toEqual(before)
  })

  it('shows what ended just before the pointer came over the list', async () => {
    const page = await open('busy')
    const { state } = fixture('busy').script
    const [ended] = state.jobs
    if (!ended) throw new Error('Nothing runs in the fixture')
    const row = page.locator(`.row[data-record="${ended.id}"]`)
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
        strings.records = [{ ...sample, id, endedAt: strings.now }, ...strings.records]
        strings.change({
          jobs: strings.state().jobs.filter((job) => job.id !== id),
          historyVersion: version + 1,
        })
      },
      [ended.id, state.historyVersion] as const,
    )
    await row.waitFor({ state: 'detached' })
    await page.locator('.row').first().hover()
    await page.evaluate(() => dispatchEvent(new Event('answer')))
    await row.waitFor()
  })

  it('hands a result over to be dragged into another app', async () => {
    const page = await open('details')
    const result = page.locator('.item[draggable="true"]').first()
    await result.dispatchEvent('dragstart')
    expect((await calls(page, 'files.startDrag'))[0]?.argument).toEqual([
      '/home/ida/Pictures/Web/DSC_4821.webp',
    ])
    await result.focus()
    await page.keyboard.press('Enter')
    expect((await calls(page, 'files.open'))[0]?.argument).toBe('/home/ida/Pictures/Web/DSC_4821.webp')
  })

  it('compares by arrow and Page keys', async () => {
    const page = await open('details')
    const slider = page.getByRole('slider', { name: 'Divider, before and after' })
    await slider.press('ArrowRight')
    await slider.press('PageUp')
    expect(await slider.getAttribute('aria-valuetext')).toBe('61 % before')
    const split = await page
      .locator('.compare .pane')
      .evaluate((element) => getComputedStyle(element).getPropertyValue('--split'))
    expect(split).toBe('61%')
  })

  it('compares every pixel of any result: nearer, moved, in turn, and what differs', async () => {
    const page = await open('details')
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
    const page = await open('details-video')
    const pane = page.getByRole('group', { name: /^Preview of interview-a_take03_9x16.mp4/ })
    await pane.locator('.after canvas').waitFor()
    expect(await argumentsOf(page, 'preview.compare')).toMatchObject([{ start: null }])
    // Where a person wants less of it, nothing moves by itself.
    const button = page.locator('.film-controls').getByRole('button')
    expect(await button.getAttribute('aria-label')).toBe('Play (Space)')
    await pane.focus()
    await page.keyboard.press('Space')
    await expect.poll(() => button.getAttribute('aria-label')).toBe('Pause (Space)')
    await button.press('Space')
    await expect.poll(() => button.getAttribute('aria-label')).toBe('Play (Space)')
    const slider = page.getByRole('slider', { name: 'Where the sample begins' })
    await slider.press('Home')
    await expect
      .poll(() => argumentsOf(page, 'preview.compare'))
      .toMatchObject([{ start: null }, { start: 0 }])
  })

  it('takes dropped files by path and a pasted picture by its bytes', async () => {
    const page = await open('idle')
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

  it('expects files once for each drag of them, when it enters the window', async () => {
    const page = await open('idle')
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
    const page = await open('idle')
    await page.evaluate(() => {
      const text = new DataTransfer()
      text.setData('text/uri-list', 'file:///etc/passwd')
      dispatchEvent(new DragEvent('dragenter', { dataTransfer: text }))
      dispatchEvent(new DragEvent('drop', { dataTransfer: text, cancelable: true }))
    })
    expect(await page.locator('.drop-over').count()).toBe(0)
    expect(await calls(page, 'draft.expectFiles')).toEqual([])
    expect(await calls(page, 'draft.addPaths')).toEqual([])
  })

  it('says why a new key does not work', async () => {
    const page = await open('key-rejected')
    await page.getByLabel('API key').fill('wrong')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#notice-key-trouble').textContent()).toContain('rejected this key')
  })

  it('asks before it sends a lost submission again, with nothing chosen', async () => {
    const page = await open('unsure')
    const goOn = page.getByRole('button', { name: 'Continue' })
    expect(await page.locator('input[name="which"]:checked').count()).toBe(0)
    expect(await goOn.isDisabled()).toBe(true)
    await page.getByLabel(/It is job_3dTf-002/).check()
    await goOn.click()
    expect((await calls(page, 'outbox.resolve'))[0]?.argument).toEqual({
      id: 'boat-trip.mp4',
      choice: { kind: 'adopt', jobId: 'job_3dTf-002' },
    })
  })

  it('shows one pane at a time in a narrow window, with a way back', async () => {
    const page = await open('idle', NARROW)
    expect(await page.locator('.job-pane').isVisible()).toBe(false)
    await page.locator('.row').first().click()
    expect(await page.locator('.side').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Back to jobs' }).click()
    expect(await page.locator('.side').isVisible()).toBe(true)
  })

  it('never shows more than the whole, and an unknown share as unknown', async () => {
    const page = await open('busy')
    const bar = page.locator('.row progress').first()
    const [job] = fixture('busy').script.state.jobs
    if (job === undefined) throw new Error('Nothing runs')
    const report = (share: number | null) =>
      page.evaluate(
        ({ running, value }) =>
          window.strings.change({ jobs: [{ ...running, progress: { ...running.progress, share: value } }] }),
        { running: job, value: share },
      )
    await report(1.7)
    await expect.poll(() => bar.getAttribute('value')).toBe('1')
    expect(await page.locator('.share').textContent()).toBe('100 %')
    await report(null)
    await expect.poll(() => bar.getAttribute('value')).toBeNull()
    expect(await page.locator('.share').count()).toBe(0)
  })

  it('speaks German and follows the appearance as soon as they are chosen', async () => {
    const page = await open('idle')
    await page.evaluate((settings) => {
      window.strings.change({ settings: { ...settings, language: 'de', appearance: 'dark' } })
    }, standard.state.settings)
    await expect.poll(() => page.locator('h1').textContent()).toBe('Neuer Auftrag')
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
  })
  it('starts a dropped set at once with Shift, unless something has to be looked at', async () => {
    const page = await open('idle')
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

  it('counts down to the end in whole seconds, says so once, and stays open if told to', async () => {
    const page = await open('ending-quit')
    const timer = page.getByRole('timer')
    const spoken = page.locator('.sr[aria-live]')
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

  it('says where it stands with a new version, and installs it when told to', async () => {
    const page = await open('update-none')
    const texts = page.locator('.set', { hasText: 'Updates' }).getByRole('status')
    expect(await texts.textContent()).toContain('No newer version is known.')
    await page.getByRole('button', { name: 'Check now' }).click()
    expect(await calls(page, 'updates.check')).toHaveLength(1)
    const report = (update: typeof standard.state.update) =>
      page.evaluate((news) => window.strings.change({ update: news }), update)
    await report({ status: 'available', version: '1.1.0' })
    await expect.poll(() => texts.textContent()).toContain('is downloaded when there is no work')
    await report({ status: 'failed', reason: 'badSignature', detail: 'checksum mismatch' })
    await expect.poll(() => texts.textContent()).toContain('not from us')
    await report({ status: 'failed', reason: 'notReachable', detail: 'ENOTFOUND' })
    await expect.poll(() => texts.textContent()).toContain('can’t be reached')
    await report({ status: 'ready', version: '1.1.0' })
    await page.getByRole('button', { name: 'Restart and install 1.1.0' }).click()
    expect(await calls(page, 'updates.install')).toHaveLength(1)
    await page.getByRole('button', { name: 'Mediatray 1.1.0 is ready' }).waitFor()
  })

  it.each([
    ['a build has no update source', 'update-no-source', /^This build has no update source\.$/],
    ['a build is not signed', 'update-unsigned', /^This build is not signed, so it does not update itself\./],
    ['the portable edition is exchanged by hand', 'update-portable', /^The portable edition does not update/],
  ] as const)('says that %s, and offers nothing that would look for updates', async (_, name, said) => {
    const page = await open(name)
    const says = page.locator('.set', { hasText: 'Updates' }).getByRole('status')
    expect((await says.textContent())?.trim()).toMatch(said)
    expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0)
    expect(await page.getByText('Look for updates').count()).toBe(0)
    expect(await calls(page, 'updates.check')).toEqual([])
  })

  it('says under Wayland that the desktop decides about the shortcut', async () => {
    const general = fixture('settings-general')
    const facts = { ...general.script.facts, desktopBindsShortcuts: true }
    const page = await harness().open({ ...general.script, facts }, WIDE, 'light')
    await goTo(page, general)
    await page.getByText('Under Wayland the desktop binds them').waitFor()
    expect(await page.getByText('Works in every app').count()).toBe(0)
  })

  it('shows the licences of what the package carries', async () => {
    const page = await open('settings-general')
    await page.getByText('a package as a whole is under GPL-3.0-or-later').waitFor()
    await page.getByRole('button', { name: 'Show licences' }).click()
    expect(await calls(page, 'app.showLicences')).toHaveLength(1)
  })

  it('names no page for newer versions where there is none', async () => {
    const failed = fixture('update-failed')
    const facts = { ...failed.script.facts, hasHomePage: false }
    const page = await harness().open({ ...failed.script, facts }, WIDE, 'light')
    await goTo(page, failed)
    await page.getByText('not from us').waitFor()
    expect(await page.getByRole('button', { name: 'Get versions' }).count()).toBe(0)
  })

  it('takes the key for this session in the notice that there is no keychain', async () => {
    const page = await open('no-keychain')
    await page.getByRole('button', { name: 'Keep until I quit' }).click()
    await page.locator('#notice-key:focus').waitFor()
    await page.keyboard.type('the-key')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => argumentsOf(page, 'connection.replaceKey'))
      .toEqual([{ key: 'the-key', keep: 'session' }])
  })

  it('offers at the first run to keep the typed key until the end where there is no keychain', async () => {
    const { script } = fixture('first-run')
    const page = await harness().open({ ...script, keychainWorks: false }, WIDE, 'light')
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

  it('does not take the choice at the first run back when a service is found late', async () => {
    const { script } = fixture('first-run')
    const page = await harness().open({ ...script, found: null }, WIDE, 'light')
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

  it('says why it does not look for updates while there is work', async () => {
    const page = await open('update-none')
    const texts = page.locator('.set', { hasText: 'Updates' }).getByRole('status')
    const work = (jobs: typeof standard.state.jobs) =>
      page.evaluate((all) => window.strings.change({ jobs: all }), jobs)
    await work(fixture('busy').script.state.jobs)
    await page.getByRole('button', { name: 'Check now' }).click()
    await expect.poll(() => texts.textContent()).toContain('Not while there is work.')
    await work([])
    await expect.poll(() => texts.textContent()).toContain('No newer version is known.')
  })

  it('says of a watched folder that it is looked through before it says that it is watched', async () => {
    const page = await open('settings-watch-scanning')
    await page.getByText('Looking through the folder…').first().waitFor()
    expect(await page.getByText(/^Watching/).count()).toBe(0)
    expect(await page.getByText('Off', { exact: true }).count()).toBe(1)
  })

  it('reads the watched folders again when one has something to say', async () => {
    const page = await open('settings-watch')
    const before = (await calls(page, 'watch.list')).length
    await page.evaluate(() => window.strings.emit('watchChanged', null))
    await expect.poll(async () => (await calls(page, 'watch.list')).length).toBe(before + 1)
  })
}
