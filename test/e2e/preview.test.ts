import { choosePreset } from '../renderer/harness/choose-option.ts'
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { corpusFile } from '../media-corpus.ts'
import { makeHeic, turned } from '../media/image/make-heic.ts'
import { samplePhoto } from '../media/image/process-photo.ts'
import { evenTimes, makeClip } from '../media/video/make-clip.ts'
import { isLongRun, testInLongSuite } from './support/long-suite.ts'
import { tabTo } from './support/keyboard.ts'
import {
  doneRow,
  picture,
  type RunningApp,
  startButton,
  startWithBuiltIn,
  WITHIN,
} from './support/start-app.ts'
import { axeFindsNothing, isFine, openStudio, previewOf, resultLine } from './support/studio.ts'

let app: RunningApp
let page: Page
let photo: string
let video: string

beforeAll(async () => {
  app = await startWithBuiltIn()
  page = await app.page()
  photo = join(app.files.path, 'lake.png')
  await samplePhoto(400, 300).png().toFile(photo)
})
afterAll(() => app[Symbol.asyncDispose]())

const pane = () => previewOf(page, 'lake')
const line = () => resultLine(page)

const sizeIn = (text: string | null): number => Number.parseFloat(text ?? '')

/** Returns the results of a comparison, once all are measured, with their bands of quality and in kB. */
async function comparedResults() {
  const facts = page.locator('.compared-facts')
  await expect.poll(() => facts.count(), WITHIN).toBe(3)
  await expect.poll(() => page.locator('.compared-picture progress').count(), WITHIN).toBe(0)
  const texts = await facts.allInnerTexts()
  expect(texts).not.toContainEqual(expect.stringContaining('Couldn’t'))
  const bands = texts.map((text) => text.split('\n')[2])
  expect(new Set(bands).size, bands.join(' ')).toBe(3)
  return texts.map((text) => ({
    bytes: sizeIn(text.replace('About ', '')) * (text.includes('MB') ? 1_000 : 1),
    look: Number(/Quality (\d+)/.exec(text)?.[1]),
  }))
}

describe('the preview of a preset', () => {
  test('shows a photo that is dropped on it, and its size after processing', async () => {
    await openStudio(page, 'Web 2048')
    await page.getByText('Drop a photo here').waitFor()
    await app.dropFiles('.preview', [photo])
    await pane().waitFor()
    await isFine(page)
    await expect
      .poll(() => line().textContent(), WITHIN)
      .toMatch(/^\d.*kBQuality \d+: \D+\d+% of the original, about [\d.]+ s per photo$/)
    expect(
      await pane()
        .locator('.after img')
        .evaluate((image) => [image.clientWidth, image.clientHeight]),
    ).toEqual([400, 300])
    // If the drop had landed outside the preview, the file would be in the draft.
    expect((await page.evaluate(() => window.mediatray.app.snapshot())).state.draft.source).toMatchObject({
      items: [],
    })
    await picture(page, 'preview')
  })

  test('is updated when the form changes', async () => {
    const before = await line().textContent()
    await page.getByRole('slider', { name: 'Quality' }).fill('20')
    await isFine(page)
    expect(sizeIn(await line().textContent())).toBeLessThan(sizeIn(before))
  })

  testInLongSuite('compares three qualities of the photo, and uses one of them', async () => {
    await page.getByRole('radio', { name: 'Visual quality' }).check()
    await page.getByRole('slider', { name: 'Visual quality' }).fill('84')
    await isFine(page)
    await page.getByRole('button', { name: 'Compare qualities' }).click()
    const results = await comparedResults()
    expect(results.map(({ look }) => look)).toEqual([68, 84, 92])
    expect(results.map(({ bytes }) => bytes)).toEqual(
      results.map(({ bytes }) => bytes).toSorted((one, other) => one - other),
    )
    const images = page.locator('.compared-quality .after img')
    expect(await images.evaluateAll((all) => all.map(({ clientWidth }) => clientWidth))).toEqual([
      400, 400, 400,
    ])
    await picture(page, 'compared-qualities')
    if (isLongRun) await axeFindsNothing(page)
    await page.locator('.compared-quality').first().getByRole('radio').check()
    await page.getByRole('button', { name: 'Use quality 68' }).click()
    await isFine(page)
    // The same result as in the comparison.
    expect(sizeIn(await line().locator('.result-size').textContent())).toBe(results[0]?.bytes)
    await page.getByRole('radio', { name: 'Fixed quality' }).check()
    await isFine(page)
  })

  test('shows an error for a missing file, and states that the preset is fine', async () => {
    rmSync(photo)
    await page.getByRole('slider', { name: 'Quality' }).fill('30')
    await page.getByRole('region', { name: 'Preview' }).getByText('Couldn’t create the preview').waitFor()
    expect(await page.locator('.preview-error').textContent()).toContain('The preset is fine.')
    await samplePhoto(400, 300).png().toFile(photo)
    await page.getByRole('button', { name: 'Try again' }).click()
    await isFine(page)
  })

  testInLongSuite(
    'shows next to the control that the maximum size can’t be reached, and still allows saving',
    async () => {
      await page.getByRole('radio', { name: 'Maximum file size' }).check()
      await page.getByRole('textbox', { name: 'Maximum file size' }).fill('1')
      await page.getByText(/^[\d.]+ kB is the smallest possible at 400 × 300 px\./).waitFor()
      expect(await line().textContent()).toContain('Can’t get under 1.0 kB: this is the smallest')
      await picture(page, 'preview-least')
      await axeFindsNothing(page)
      expect(await page.getByRole('button', { name: 'Save preset' }).isEnabled()).toBe(true)
      await page.getByRole('button', { name: 'Reduce dimensions' }).press('Enter')
      await isFine(page)
      // Less than 1 kB is shown in bytes.
      expect(await line().textContent()).toMatch(/^\d{1,3} B/)
      expect(await page.getByText('is the smallest possible at').count()).toBe(0)
      await page.getByRole('radio', { name: 'Fixed quality' }).check()
      await isFine(page)
    },
  )

  const phonePhoto = {
    tile: { width: 256, height: 256 },
    columns: 3,
    rows: 2,
    width: 700,
    height: 500,
    properties: [turned(1)],
  }
  test.each([
    {
      name: 'made.heic',
      size: [500, 700],
      write: (path: string) => writeFileSync(path, makeHeic(phonePhoto)),
    },
    ...(isLongRun ? corpusFile('arrow-iPhone8Plus-rotated.heic') : []).map(({ path }) => ({
      name: 'phone.heic',
      size: [1_536, 2_048],
      write: (copy: string) => copyFileSync(path, copy),
    })),
  ])('shows $name upright, although the window itself can’t decode it', async ({ name, size, write }) => {
    write(join(app.files.path, name))
    await app.dropFiles('.preview', [join(app.files.path, name)])
    await previewOf(page, name).waitFor()
    await expect.poll(() => line().getAttribute('class'), WITHIN).toMatch(/fine|larger/)
    const sides = previewOf(page, name).locator('.layer img')
    expect(
      await sides.evaluateAll((images) => images.map((one) => [one.clientWidth, one.clientHeight])),
    ).toEqual([size, size])
    await picture(page, `preview-${name}`)
  })

  test('leaves no files in its folder', async () => {
    await expect.poll(() => readdirSync(join(app.files.data, 'previews')), WITHIN).toEqual([])
  })
})

const videoPreview = () => previewOf(page, 'walk')
/** Returns a thumbnail of the current frame of each side. */
const shown = (pictures: Locator) =>
  pictures.locator('canvas').evaluateAll((canvases) =>
    canvases.map((canvas) => {
      const small = new OffscreenCanvas(16, 9)
      const context = small.getContext('2d')
      if (!(canvas instanceof HTMLCanvasElement) || context === null) return []
      context.drawImage(canvas, 0, 0, 16, 9)
      return [...context.getImageData(0, 0, 16, 9).data]
    }),
  )
const apart = ([after = [], before = []]: number[][]): number =>
  after.reduce((sum, value, index) => sum + Math.abs(value - (before[index] ?? 0)), 0) / after.length

describe('the preview of a video', () => {
  beforeAll(async () => {
    video = join(app.files.path, 'walk.mp4')
    // Each moment has a different brightness, so that two sides that are out of sync differ.
    const flashing = 'hue=b=4*sin(2*PI*t/2)'
    await makeClip(video, { width: 640, height: 360, times: evenTimes(200, 25), picture: flashing })
    await page.keyboard.press('Escape')
    await openStudio(page, 'Web 1080p')
    await page
      .locator('[aria-label="Settings for"]')
      .getByRole('radio', { name: 'Videos' })
      .check({ force: true })
    await page.getByText('Drop a video here').waitFor()
    await app.dropFiles('.preview', [video])
    await videoPreview().waitFor()
  })

  test('plays before and after in sync, and shows the size of the whole result', async () => {
    await isFine(page)
    expect(await line().textContent()).toMatch(
      /^About \d.*Quality \d+: \D+\d+% of the original, about \d+ s\. Measured in a \d s sample\.$/,
    )
    const moments: string[] = []
    await expect
      .poll(async () => {
        const sides = await shown(videoPreview())
        expect(sides).toHaveLength(2)
        expect(apart(sides)).toBeLessThan(6)
        moments.push(JSON.stringify(sides[0]))
        return new Set(moments).size
      }, WITHIN)
      .toBeGreaterThan(3)
    await picture(page, 'preview-video')
  })

  testInLongSuite('pauses with Space and seeks with the keyboard alone', async () => {
    await videoPreview().focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Play (Space)' }).waitFor()
    const still = await shown(videoPreview())
    await page.keyboard.press('p')
    expect(await videoPreview().getAttribute('data-shown')).toBe('after')
    await page.keyboard.press('Escape')
    // The side that was hidden is painted again in the page's next frame.
    await expect.poll(() => shown(videoPreview())).toEqual(still)
    await page.keyboard.press('2')
    expect(
      await videoPreview()
        .locator('.after canvas')
        .evaluate((canvas) => canvas.clientWidth),
    ).toBe(1_280)
    await page.getByRole('slider', { name: 'Sample start' }).focus()
    await page.keyboard.press('Home')
    await page.getByText('0:00 to 0:03').waitFor()
    await isFine(page)
    await page.getByRole('button', { name: 'Play (Space)' }).press('Enter')
    await page.getByRole('button', { name: 'Pause (Space)' }).waitFor()
  })

  testInLongSuite('compares three qualities of the video, in sync, and uses one of them', async () => {
    await page.getByRole('radio', { name: 'Visual quality' }).check()
    await page.getByRole('slider', { name: 'Visual quality' }).fill('84')
    await isFine(page)
    await page.getByRole('button', { name: 'Compare qualities' }).press('Enter')
    const results = await comparedResults()
    for (const values of [results.map(({ look }) => look), results.map(({ bytes }) => bytes)])
      expect(values).toEqual(values.toSorted((one, other) => one - other))
    const afters = page.locator('.compared-quality .after')
    await expect
      .poll(async () => {
        const [first = [], ...others] = await shown(afters)
        expect(others).toHaveLength(2)
        return Math.max(...others.map((other) => apart([first, other])))
      }, WITHIN)
      .toBeLessThan(6)
    await picture(page, 'compared-video-qualities')
    await page.keyboard.press('ArrowUp')
    await page.getByRole('button', { name: `Use quality ${results[0]?.look}` }).press('Enter')
    await isFine(page)
    // The same result as in the comparison.
    expect(await line().textContent()).toContain(`Quality ${results[0]?.look}:`)
  })

  testInLongSuite('has no axe findings in either theme', () => axeFindsNothing(page))
})

const compared = (name: string) =>
  page.locator('.compare').getByRole('group', { name: new RegExp(`^Preview of ${name}`) })
const resultOf = (name: string): string =>
  join(app.files.output, readdirSync(app.files.output).find((file) => file.startsWith(name)) ?? '')

describe('the comparison after a job', () => {
  beforeAll(async () => {
    await page.keyboard.press('Escape')
    await page.locator('.studio').waitFor({ state: 'detached' })
    await app.dropFiles('body', isLongRun ? [photo, video] : [photo])
    await choosePreset(page, 'Web 1080p')
    await startButton(page).click()
    await doneRow(page, 'lake.png').click()
  })

  test('shows a photo at full resolution', async () => {
    await compared('lake').waitFor()
    const source = await compared('lake').locator('.after img').getAttribute('src')
    const shown = await page.evaluate(async (url) => {
      const image = new Image()
      image.src = url
      await image.decode()
      return [image.naturalWidth, image.naturalHeight]
    }, source ?? '')
    const { width, height } = await sharp(resultOf('lake')).metadata()
    expect(shown).toEqual([width, height])
    await compared('lake').focus()
    await page.keyboard.press('2')
    expect(
      await compared('lake')
        .locator('.after img')
        .evaluate((image) => image.clientWidth),
    ).toBe(2 * width)
    await picture(page, 'compare')
  })

  testInLongSuite(
    'shows a video of the same job, chosen with the keyboard, and plays both sides in sync',
    async () => {
      await page.getByRole('radio', { name: /^lake/ }).focus()
      await page.keyboard.press('ArrowRight')
      await compared('walk').waitFor()
      await page.getByRole('button', { name: 'Pause (Space)' }).waitFor()
      await compared('walk').focus()
      await page.keyboard.press('Space')
      await page.getByRole('button', { name: 'Play (Space)' }).waitFor()
      expect(apart(await shown(compared('walk')))).toBeLessThan(6)
      await picture(page, 'compare-video')
    },
  )

  testInLongSuite('has no axe findings in either theme while it shows a video', () => axeFindsNothing(page))

  test.each(isLongRun ? ['walk', 'lake'] : [])('works with the keyboard alone (%s)', async (name) => {
    const compare = page.locator('.compare')
    await doneRow(page, 'lake.png').focus()
    await page.keyboard.press('Enter')
    const chosen = compare.getByRole('radio', { checked: true, name: new RegExp(`^(lake|walk)`) })
    await tabTo(chosen)
    if (!(await compared(name).isVisible())) await page.keyboard.press('ArrowLeft')
    await tabTo(compared(name))
    await page.keyboard.press('2')
    expect(await compared(name).getAttribute('data-zoom')).toBe('double')
    const left = () =>
      compared(name)
        .locator('.after :is(img, canvas)')
        .evaluate((picture) => picture.getBoundingClientRect().left)
    const before = await left()
    await page.keyboard.press('ArrowRight')
    expect(await left()).toBeLessThan(before)
    await page.keyboard.press('p')
    expect(await compared(name).getAttribute('data-shown')).toBe('after')
    await page.keyboard.press('Escape')
    const divider = compare.getByRole('slider', { name: 'Divider, before and after' })
    await tabTo(divider)
    await page.keyboard.press('Home')
    expect(await divider.getAttribute('aria-valuetext')).toBe('0% before')
    await tabTo(compare.getByRole('button', { name: 'Difference' }))
    await page.keyboard.press('Space')
    expect(await compared(name).getAttribute('data-differs')).toBe('')
    await picture(page, `compare-difference-${name}`)
    await page.keyboard.press('Space')
    expect(await compared(name).getAttribute('data-differs')).toBeNull()
  })

  testInLongSuite('has no axe findings in either theme while it shows a photo', () => axeFindsNothing(page))
})
