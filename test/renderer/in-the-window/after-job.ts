import { expect, it } from 'vitest'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { fixture } from '../harness/fixtures.ts'
import { argumentsOf, calls, focusedText, openScript, openState } from '../harness/open-state.ts'
import { goTo } from '../harness/go-to.ts'

/** Programs and URLs that run after jobs. */
export function checkAfterJob(): void {
  checkSettings()
  checkOutcomes()
  checkNote()
  checkReceivers()
  checkFolder()
}

function checkSettings(): void {
  it('shows how the program and the URL were used last, and tries the URL now', async () => {
    const page = await openState('settings-after')
    const results = page.locator('.last-result')
    await expect
      .poll(() => results.allTextContents())
      .toEqual([
        'Ended with exit code 0, today 12:04, after 0.3 s',
        'Returned 503 (Service Unavailable), today 12:29. Attempt 3 of 5 at 12:34.',
      ])
    await page.getByRole('button', { name: 'Try now' }).click()
    expect(await argumentsOf(page, 'afterJob.tryNow')).toEqual(['url'])
    await page.getByRole('button', { name: 'Test the program' }).click()
    expect(await argumentsOf(page, 'afterJob.test')).toEqual(['program'])
    await page.getByRole('button', { name: 'Copy signing key' }).click()
    await page.getByText('Signing key copied').waitFor()
    expect((await calls(page, 'afterJob.copyKey')).length).toBe(1)
  })

  itInLongSuite('says that a program runs, that Mediatray gave up, and what a program reported', async () => {
    const page = await openState('settings-after-gave-up')
    await expect
      .poll(() => page.locator('.last-result').allTextContents())
      .toEqual(['Running…', 'Returned 503 (Service Unavailable), today 12:29. Gave up after 5 attempts.'])
    const other = await openState('settings-after-program-failed')
    await other.getByText('rsync: connection refused (111)').waitFor()
  })

  it('takes a program only from the dialog, and removes it', async () => {
    const page = await openState('settings-after-unused')
    const field = page.getByRole('textbox', { name: 'Run a program' })
    expect(await field.getAttribute('readonly')).not.toBeNull()
    await page.getByRole('button', { name: 'Choose… Run a program' }).click()
    await expect.poll(() => field.inputValue()).toBe('/usr/local/bin/publish-photos')
    await page.getByText('Not used yet').waitFor()
    await page.getByRole('button', { name: 'Remove program' }).click()
    await expect.poll(() => field.inputValue()).toBe('')
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await argumentsOf(page, 'afterJob.set')).toEqual([
      { program: '/usr/local/bin/publish-photos' },
      { program: null },
    ])
  })

  itInLongSuite('explains an address that isn’t allowed, and takes a corrected one with Enter', async () => {
    const page = await openState('settings-after-unused')
    const field = page.getByRole('textbox', { name: 'Send to a URL' })
    await field.fill('http://hooks.example/x')
    await page.keyboard.press('Enter')
    const fault = page.locator('#hook-url-fault')
    expect(await fault.textContent()).toBe('Use https, or http only on this computer.')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.fill('hooks')
    expect(await fault.textContent()).toBe('This isn’t a URL.')
    await field.fill('https://ada:secret@hooks.example/')
    expect(await fault.textContent()).toBe('Remove the user name and password.')
    await field.fill('http://localhost:8000/x')
    expect(await fault.count()).toBe(0)
    await page.keyboard.press('Enter')
    await field.fill('')
    await field.blur()
    await expect
      .poll(() => argumentsOf(page, 'afterJob.set'))
      .toEqual([{ url: 'http://localhost:8000/x' }, { url: null }])
  })
}

function checkOutcomes(): void {
  it('runs only after the outcomes that are checked, and says when none is', async () => {
    const page = await openState('settings-after')
    const outcomes = page.getByRole('group', { name: 'Run if the job' })
    const checks = outcomes.getByRole('checkbox')
    await checks.first().waitFor()
    expect(await Promise.all((await checks.all()).map((check) => check.isChecked()))).toEqual([
      true,
      true,
      true,
    ])
    for (const name of ['is done', 'has problems', 'has failed'])
      await outcomes.getByRole('checkbox', { name }).uncheck()
    await outcomes.getByText('Nothing runs until you choose at least one.').waitFor()
    await outcomes.getByRole('checkbox', { name: 'has failed' }).check()
    expect(await argumentsOf(page, 'afterJob.set')).toMatchObject([
      { on: ['problems', 'failed'] },
      { on: ['failed'] },
      { on: [] },
      { on: ['failed'] },
    ])
  })
}

function checkNote(): void {
  itInLongSuite('a calm note says that a job’s result couldn’t be sent, and tries again', async () => {
    const page = await openState('after-job-failed')
    const note = page.locator('.callout.info').filter({ hasText: 'Couldn’t send' })
    expect(await note.textContent()).toContain(
      'Couldn’t send the result to hooks.harbour.example. Returned 503 (Service Unavailable) on the last of 5 attempts, today 12:24. The job itself is done.',
    )
    expect(await note.getAttribute('role')).toBe('status')
    await page.getByRole('button', { name: 'Try again' }).click()
    expect(await argumentsOf(page, 'afterJob.tryAgain')).toEqual([
      { id: 'DSC_4821.heic', action: 'url', receiver: '' },
    ])
    expect(await focusedText(page)).toContain('Couldn’t send the result')
  })
}

function checkReceivers(): void {
  it('adds a receiver with the keyboard, after the user has agreed to an unencrypted connection', async () => {
    const page = await openState('settings-after-unused')
    await page.getByRole('button', { name: 'Add receiver…' }).press('Enter')
    await page.getByRole('combobox', { name: 'Service' }).selectOption('apprise')
    expect(await page.getByLabel('Token').count()).toBe(0)
    const address = page.getByRole('textbox', { name: 'Address' })
    await address.fill('http://apprise.example/notify/key')
    await page.keyboard.press('Enter')
    const fault = page.locator('#receiver-fault')
    expect(await fault.textContent()).toBe('Use https. http works only on your own network.')
    await address.fill('http://192.168.1.10:8000/notify/key')
    await page.keyboard.press('Enter')
    expect(await fault.textContent()).toBe('Confirm this first, or use https.')
    await page.getByRole('checkbox', { name: 'Send without encryption' }).press('Space')
    await page.getByRole('dialog').getByRole('checkbox', { name: 'is done' }).uncheck()
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter')
    await page.getByText('Apprise, 192.168.1.10:8000').waitFor()
    const url = 'http://192.168.1.10:8000/notify/key'
    expect(await argumentsOf(page, 'receivers.save')).toEqual([
      {
        id: null,
        format: 'apprise',
        address: { url, token: '', mayBeUnencrypted: true },
        on: ['problems', 'failed'],
      },
    ])
  })

  itInLongSuite(
    'shows what a test returned, changes only the outcomes of a receiver, and removes it',
    async () => {
      const page = await openState('settings-after-messages')
      await page.getByText('Test: Returned 403 (Forbidden), today 12:29.').waitFor()
      await page.getByText('{"code":40301,"error":"forbidden"}').waitFor()
      await page.getByRole('button', { name: 'Test ntfy, ntfy.sh' }).click()
      expect(await argumentsOf(page, 'receivers.test')).toEqual(['phone'])
      await page.getByRole('button', { name: 'More options for ntfy, ntfy.sh' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Edit…' }).click()
      await page.getByRole('dialog', { name: 'Edit ntfy, ntfy.sh' }).waitFor()
      await page.getByRole('dialog').getByRole('checkbox', { name: 'is done' }).uncheck()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      expect(await argumentsOf(page, 'receivers.save')).toEqual([
        { id: 'phone', format: 'ntfy', address: null, on: ['problems', 'failed'] },
      ])
      await page.getByRole('button', { name: 'More options for ntfy, ntfy.sh' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Remove' }).click()
      await page.getByText('ntfy, ntfy.sh').waitFor({ state: 'detached' })
      expect(await focusedText(page)).toBe('Add receiver…')
    },
  )
}

function checkFolder(): void {
  itInLongSuite('keeps the fields of a watched folder while its URL is replaced by a program', async () => {
    const { script } = fixture('settings-automation')
    const afterJob = { program: null, url: 'https://hooks.example/scans' }
    const watch = script.watch.map((folder) => ({ ...folder, afterJob }))
    const page = await openScript({ ...script, watch })
    await goTo(page, fixture('settings-automation'))
    await page.getByRole('link', { name: '~/Camera Uploads' }).click()
    await page.getByRole('button', { name: 'More options for ~/Camera Uploads' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await page.getByRole('textbox', { name: 'Send to a URL' }).fill('')
    await page.getByRole('button', { name: 'Choose… Run a program' }).click()
    const program = page.getByRole('textbox', { name: 'Run a program' })
    await expect.poll(() => program.inputValue()).toBe('/usr/local/bin/publish-photos')
  })

  itInLongSuite('a watched folder can have other actions than all jobs, or none', async () => {
    const page = await openState('settings-watch-dialog')
    await page.getByLabel('Folder', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Choose…', exact: true }).first().click()
    const choice = page.getByRole('combobox', { name: 'After a job' })
    await choice.selectOption('other')
    const url = page.getByRole('textbox', { name: 'Send to a URL' })
    await url.fill('ftp://hooks.example/scans')
    const save = page.getByRole('button', { name: 'Watch folder' })
    await save.click()
    await page.locator('#watch-url-fault').waitFor()
    expect(await argumentsOf(page, 'watch.save')).toEqual([])
    await url.fill('https://hooks.example/scans')
    await page.getByRole('checkbox', { name: 'is done' }).uncheck()
    await save.click()
    await expect
      .poll(() => argumentsOf(page, 'watch.save'))
      .toMatchObject([
        {
          folder: {
            afterJob: { program: null, url: 'https://hooks.example/scans', on: ['problems', 'failed'] },
          },
        },
      ])
  })
}
