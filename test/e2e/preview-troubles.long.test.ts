/** Previews that are unavailable: what the window shows, and how they recover. */
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService } from '../conformance/running-service.ts'
import { childrenOf, isRunning } from '../child-processes.ts'
import { samplePhoto } from '../media/image/process-photo.ts'
import { sampled, testInLongSuite } from './support/long-suite.ts'
import { smallDisk } from './support/small-disk.ts'
import { CONNECT, picture, type RunningApp, startWithBuiltIn, WITHIN } from './support/start-app.ts'
import { isFine, openStudio, previewOf, resultLine } from './support/studio.ts'

let app: RunningApp
let page: Page

const failure = () => page.locator('.preview-error')
const tryAgain = () => page.getByRole('button', { name: 'Try again' })
const askAgain = (quality: number) => page.getByRole('slider', { name: 'Quality' }).fill(String(quality))

const SHOWS = 'worker.js previews'
const MAKES = 'worker.js trials'
const WORKERS = [SHOWS, MAKES]

/** The worker process itself, inside the processes that sandbox it. */
function workerOf(parent: number | undefined, name: string): number | undefined {
  const [child] = childrenOf(parent, name)
  return child === undefined ? undefined : (workerOf(child, name) ?? child)
}
function end(pid: number | undefined): void {
  if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL')
}

/**
 * The window doesn't show that an idle worker has ended, so this ends the worker during a preview. If the preview finishes first,
 * this requests another one.
 */
async function failWithout(name: string): Promise<void> {
  const until = Date.now() + WITHIN.timeout
  const fine = page.locator('.result-line.fine')
  for (let quality = 30; (await failure().count()) === 0; quality += 1) {
    // Until the request begins, the page shows the earlier result.
    const earlier = await resultLine(page).textContent()
    const isFine = async () => (await fine.count()) > 0 && (await resultLine(page).textContent()) !== earlier
    await askAgain(quality)
    while ((await failure().count()) === 0 && !(await isFine())) {
      expect(Date.now(), `${name} was ended in time`).toBeLessThan(until)
      end(workerOf(app.pid, name))
    }
  }
}

/** Ends the workers, because running ones don't see newly mounted disks. */
async function endWorkers(): Promise<void> {
  for (const name of WORKERS) {
    end(workerOf(app.pid, name))
    await expect.poll(() => workerOf(app.pid, name), WITHIN).toBeUndefined()
  }
}

describe('an unavailable preview shows', () => {
  beforeAll(async () => {
    app = await startWithBuiltIn()
    page = await app.page()
    await samplePhoto(1_600, 1_200).png().toFile(join(app.files.path, 'lake.png'))
    await openStudio(page, 'Web 2048')
    await app.dropFiles('.preview', [join(app.files.path, 'lake.png')])
    await isFine(page)
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test.each(
    sampled([
      { name: MAKES, role: 'encoding' },
      { name: SHOWS, role: 'viewing' },
    ]),
  )('that the $role process ended, and continues with the next process', async ({ name }) => {
    await failWithout(name)
    expect(await failure().textContent()).toBe(
      'Couldn’t create the previewThe encoder stopped without an error message.The preset is fine. Try again, or preview with another file.Try again',
    )
    expect(await resultLine(page).textContent()).toBe('Size unknownCouldn’t create the preview')
    expect(await previewOf(page, 'lake').locator('.after').count()).toBe(0)
    await tryAgain().click()
    await isFine(page)
  })

  testInLongSuite('that the disk is full, until space is available', async () => {
    const folder = join(app.files.data, 'previews')
    await endWorkers()
    using disk = smallDisk(folder, '64k')
    if (disk === undefined) chmodSync(folder, 0o500)
    await askAgain(60)
    await failure().getByText('Couldn’t create the preview').waitFor()
    if (disk !== undefined) expect(await failure().textContent()).toContain('The disk is full.')
    // The visible part doesn't need disk space, so the original is still shown, but without a result.
    expect(await previewOf(page, 'lake').locator('.before').count()).toBe(1)
    expect(await previewOf(page, 'lake').locator('.after').count()).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    await picture(page, 'preview-disk-full')
    if (disk === undefined) chmodSync(folder, 0o700)
    else disk.grow()
    await tryAgain().click()
    await isFine(page)
    await endWorkers()
  })

  test('that a file is damaged, or not a photo at all', async () => {
    const whole = readFileSync(app.files.photo('whole.jpg'))
    const half = app.files.file('half.jpg', whole.subarray(0, Math.floor(whole.length / 2)))
    await app.dropFiles('.preview', [half])
    await failure().getByText('Couldn’t create the preview').waitFor()
    expect(await failure().textContent()).toContain(
      'The file is damaged or incomplete: part of the image is missing.',
    )
    expect(await resultLine(page).textContent()).toBe('Size unknownCouldn’t create the preview')
    await picture(page, 'preview-damaged')
    await app.dropFiles('.preview', [join(app.files.path, 'lake.png')])
    await isFine(page)

    await app.dropFiles('.preview', [app.files.file('words.jpg', 'no picture at all')])
    await page.locator('.toast').getByText('This file isn’t a photo').waitFor()
    await previewOf(page, 'lake').waitFor()
  })

  testInLongSuite(
    'that another service is in use, and offers to switch back; the form can still be saved',
    async () => {
      await using service = await startService()
      await endWorkers()
      await app.dialogs.answerMessage(CONNECT)
      const { baseUrl, key } = service
      const choice = { baseUrl, key, keep: 'session' } as const
      await page.evaluate((chosen) => window.mediatray.connection.useExternal(chosen), choice)
      await page.getByRole('heading', { name: 'No preview with this service' }).waitFor()
      await page.getByText('Jobs go to another service that has its own presets.').waitFor()
      await picture(page, 'preview-other-service')
      await askAgain(70)
      await page.getByRole('button', { name: 'Save preset' }).click()
      await page.locator('.toast').getByText('Saved “Web 2048”').waitFor()
      expect(await resultLine(page).textContent()).toBe(
        'Size unknownAvailable only with the built-in service',
      )
      // A preview that can't succeed doesn't start a worker.
      for (const name of WORKERS) expect(workerOf(app.pid, name)).toBeUndefined()

      await page.getByRole('button', { name: 'Use built-in service' }).press('Enter')
      await isFine(page)
      expect(await previewOf(page, 'lake').count()).toBe(1)
    },
  )
})
