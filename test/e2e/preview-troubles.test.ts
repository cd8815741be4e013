/** What a person is told where a preview can't be had, and how it comes back. */
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { API_KEY, startService } from '../conformance/running-service.ts'
import { childrenOf, isRunning } from '../child-processes.ts'
import { madePhoto } from '../media/image/process-photo.ts'
import { smallDisk } from './support/small-disk.ts'
import { picture, type RunningApp, startWithBuiltIn, WITHIN } from './support/start-app.ts'
import { axeFindsNothing, isFine, openStudio, previewOf, resultLine } from './support/studio.ts'

let app: RunningApp
let page: Page

const failure = () => page.locator('.say')
const tryAgain = () => page.getByRole('button', { name: 'Try again' })
const askAnew = (quality: number) => page.getByRole('slider', { name: 'Quality' }).fill(String(quality))

const SHOWS = 'preview-worker'
const MAKES = 'service/worker'
const WORKERS = [SHOWS, MAKES]

/** The process itself, where others around it keep it from the rest of the computer. */
function workerOf(parent: number | undefined, name: string): number | undefined {
  const [child] = childrenOf(parent, name)
  return child === undefined ? undefined : (workerOf(child, name) ?? child)
}
function end(pid: number | undefined): void {
  if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL')
}

/**
 * One that is at rest is missed by nobody; the one that is started for a preview is ended on its way. Where a busy machine let it
 * finish before that was seen, another preview is asked for.
 */
async function failWithout(name: string): Promise<void> {
  const until = Date.now() + WITHIN.timeout
  for (let quality = 30; (await failure().count()) === 0; quality += 1) {
    expect(Date.now(), `${name} was ended in time`).toBeLessThan(until)
    await askAnew(quality)
    const isFine = resultLine(page).and(page.locator('.fine'))
    while ((await failure().count()) === 0 && (await isFine.count()) === 0) end(workerOf(app.pid, name))
  }
}

/** Those that are running see the disks as they were when they were started. */
async function endWorkers(): Promise<void> {
  for (const name of WORKERS) {
    end(workerOf(app.pid, name))
    await expect.poll(() => workerOf(app.pid, name), WITHIN).toBeUndefined()
  }
}

describe('where a preview can’t be had, a person is told', () => {
  beforeAll(async () => {
    app = await startWithBuiltIn()
    page = await app.page()
    await madePhoto(1_600, 1_200).png().toFile(join(app.files.path, 'lake.png'))
    await openStudio(page, 'Web 2048')
    await app.dropFiles('.preview', [join(app.files.path, 'lake.png')])
    await isFine(page)
  })
  afterAll(() => app[Symbol.asyncDispose]())

  test.each([
    { name: SHOWS, role: 'shows' },
    { name: MAKES, role: 'makes' },
  ])('that the process that $role it was ended, and the next one goes on', async ({ name }) => {
    await failWithout(name)
    expect(await failure().textContent()).toBe(
      'The preview failedIt ended without saying why.The preset is fine. Try again, or preview with another file.Try again',
    )
    expect(await resultLine(page).textContent()).toBe('No sizeThe preview could not be made')
    expect(await previewOf(page, 'lake').locator('.after').count()).toBe(0)
    await tryAgain().click()
    await isFine(page)
  })

  test('that the disk is full, until there is room', async () => {
    const folder = join(app.files.data, 'previews')
    await endWorkers()
    using disk = smallDisk(folder, '64k')
    if (disk === undefined) chmodSync(folder, 0o500)
    await askAnew(60)
    await failure().getByText('The preview failed').waitFor()
    if (disk !== undefined)
      expect(await failure().textContent()).toContain('There is no room left on the disk for the result.')
    // The part in view needs no disk; what is shown of it is the original alone.
    expect(await previewOf(page, 'lake').locator('.before').count()).toBe(1)
    expect(await previewOf(page, 'lake').locator('.after').count()).toBe(0)
    expect(readdirSync(folder)).toEqual([])
    await picture(page, 'preview-disk-full')
    await axeFindsNothing(page)
    if (disk === undefined) chmodSync(folder, 0o700)
    else disk.grow()
    await tryAgain().click()
    await isFine(page)
    await endWorkers()
  })

  test('that a file is damaged, or no photo at all', async () => {
    const whole = readFileSync(app.files.photo('whole.jpg'))
    const half = app.files.file('half.jpg', whole.subarray(0, Math.floor(whole.length / 2)))
    await app.dropFiles('.preview', [half])
    await failure().getByText('The preview failed').waitFor()
    expect(await failure().textContent()).toContain(
      'The file is damaged or incomplete: a part of the picture is missing.',
    )
    expect(await resultLine(page).textContent()).toBe('No sizeThe preview could not be made')
    await picture(page, 'preview-damaged')
    await axeFindsNothing(page)
    await app.dropFiles('.preview', [join(app.files.path, 'lake.png')])
    await isFine(page)

    await app.dropFiles('.preview', [app.files.file('words.jpg', 'no picture at all')])
    await page.locator('.toast').getByText('That is no photo').waitFor()
    await previewOf(page, 'lake').waitFor()
  })

  test('that another service is in use by now; the form still saves, and there is a way back', async () => {
    const service = await startService()
    onTestFinished(async () => void (await service.stop()))
    await endWorkers()
    await page.evaluate((chosen) => window.mediatray.connection.useExternal(chosen), {
      baseUrl: service.baseUrl,
      key: API_KEY,
      keep: 'session' as const,
    })
    await page.getByRole('heading', { name: 'No preview with this service' }).waitFor()
    await page.getByText('Jobs go to another service, which has presets of its own.').waitFor()
    await picture(page, 'preview-other-service')
    await axeFindsNothing(page)
    await askAnew(70)
    await page.getByRole('button', { name: 'Save preset' }).click()
    await page.locator('.toast').getByText('Saved “Web 2048”').waitFor()
    expect(await resultLine(page).textContent()).toBe('No sizeKnown with the built-in service only')
    // What nothing can come of costs nothing.
    for (const name of WORKERS) expect(workerOf(app.pid, name)).toBeUndefined()

    await page.getByRole('button', { name: 'Use built-in service' }).press('Enter')
    await isFine(page)
    expect(await previewOf(page, 'lake').count()).toBe(1)
  })
})
