import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { argumentsOf, calls, openState, NARROW } from '../harness/open-state.ts'

const pane = (page: Page) => page.getByRole('group', { name: /^Preview of DSC_4821.heic/ })
const line = (page: Page) => page.locator('.result-line')
const words = (page: Page) => line(page).locator('p').allTextContents()
const zoom = (page: Page) => pane(page).getAttribute('data-zoom')
const left = (page: Page) =>
  pane(page)
    .locator('.after img')
    .evaluate((image) => image.getBoundingClientRect().left)

async function open(state: string): Promise<Page> {
  const page = await openState(state)
  await page.locator('.preview').waitFor()
  return page
}

export function checkPreviews(): void {
  it('shows before and after at 100%, with the size below the image', async () => {
    const page = await open('preview-fine')
    await pane(page).waitFor()
    expect(await zoom(page)).toBe('full')
    await expect
      .poll(() => words(page))
      .toEqual([
        'Quality 84: differences visible only when zoomed in',
        '15% of the original, about 0.3 s per photo',
      ])
    expect(await line(page).locator('.result-size').textContent()).toBe('612 kB')
    const image = pane(page).locator('.after img')
    expect(await image.evaluate((one) => one.getBoundingClientRect().width)).toBe(1_066)
    const [asked] = await argumentsOf(page, 'preview.part')
    expect(asked).toMatchObject({
      part: 'image',
      path: '/home/ida/Pictures/DSC_4821.heic',
      view: { middle: null },
    })
  })

  itInLongSuite.each([
    ['measuring', 'Measuring quality…'],
    ['lossless', 'Lossless'],
    ['unmeasured', 'Quality unknown'],
  ])('shows the size without a score: %s', async (state, expected) => {
    const page = await open(`preview-${state}`)
    await expect.poll(() => words(page)).toEqual([expected, '15% of the original, about 0.3 s per photo'])
    expect(await line(page).locator('.result-size').textContent()).toBe('612 kB')
  })

  itInLongSuite('announces the score with the size', async () => {
    const page = await open('preview-fine')
    await expect
      .poll(() => page.locator('.visually-hidden[aria-live]').textContent())
      .toContain('612 kB. Quality 84: differences visible only when zoomed in. 15%')
  })

  itInLongSuite('shows in which part of a video the score was measured', async () => {
    const page = await open('preview-video')
    await expect
      .poll(() => words(page))
      .toEqual([
        'Quality 75: differences visible only side by side',
        expect.stringMatching(/^32% of the original, about .*\. Measured in a 3 s sample\.$/),
      ])
  })

  it('updates when the form is stable, and marks the old preview as outdated until then', async () => {
    const page = await open('preview-fine')
    await expect.poll(() => line(page).getAttribute('class')).toContain('fine')
    const before = (await calls(page, 'preview.part')).length
    // Changes and checks within a single task, because no timer elapses in it, no matter how busy the machine is.
    const meanwhile = await page.getByRole('slider', { name: 'Quality' }).evaluate(async (slider) => {
      if (!(slider instanceof HTMLInputElement)) throw new Error('The quality isn’t a slider.')
      for (let step = 0; step < 4; step += 1) {
        slider.stepDown()
        slider.dispatchEvent(new Event('input', { bubbles: true }))
        // The page renders in microtasks.
        for (let tick = 0; tick < 20; tick += 1) await Promise.resolve()
      }
      const [shown, tag] = ['.result-line', '.preview .pane-label.result'].map((one) =>
        document.querySelector(one),
      )
      return { line: shown?.className, tag: tag?.textContent }
    })
    expect(meanwhile).toEqual({
      line: expect.stringContaining('stale'),
      tag: expect.stringContaining('older settings'),
    })
    await expect.poll(() => line(page).getAttribute('class')).toContain('fine')
    const asked = (await argumentsOf(page, 'preview.part')).slice(before)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ preset: { image: { quality: 78 } } })
  })

  itInLongSuite(
    'can be panned and zoomed with keys, wheel and pointer, while the divider moves only by its handle',
    async () => {
      const page = await open('preview-fine')
      await pane(page).focus()
      const start = await left(page)
      await page.keyboard.press('ArrowRight')
      expect(await left(page)).toBe(start - 40)
      await page.keyboard.press('2')
      expect(await zoom(page)).toBe('double')
      const box = await pane(page).boundingBox()
      if (box === null) throw new Error('The pane is missing.')
      await page.mouse.move(box.x + 100, box.y + 100)
      await page.mouse.wheel(0, 120)
      await expect.poll(() => zoom(page)).toBe('full')
      const resting = await left(page)
      await page.mouse.down()
      await page.mouse.move(box.x + 130, box.y + 100)
      await page.mouse.up()
      expect(await left(page)).toBe(resting + 30)
      const divider = pane(page).getByRole('slider', { name: 'Divider, before and after' })
      expect(await divider.getAttribute('aria-valuetext')).toBe('50% before')
      await page.mouse.move(box.x + box.width / 2, box.y + 50)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width / 4, box.y + 50)
      await page.mouse.up()
      expect(await divider.getAttribute('aria-valuetext')).toBe('25% before')
      expect(await left(page)).toBe(resting + 30)
    },
  )

  it('switches between before and after with P; Esc shows both again, and only then closes the editor', async () => {
    const page = await open('preview-fine')
    await pane(page).focus()
    await page.keyboard.press('p')
    expect(await pane(page).getAttribute('data-shown')).toBe('after')
    await page.keyboard.press('p')
    expect(await pane(page).getAttribute('data-shown')).toBe('before')
    await page.keyboard.press('Escape')
    expect(await pane(page).getAttribute('data-shown')).toBeNull()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.studio').count()).toBe(0)
    // The page stops the preview only after the editor's removal has been painted.
    await expect.poll(() => calls(page, 'preview.stop')).not.toEqual([])
  })

  itInLongSuite('leaves letter keys to a focused field', async () => {
    const page = await open('preview-fine')
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'Name' }).fill('P 120')
    expect(await pane(page).getAttribute('data-shown')).toBeNull()
    expect(await zoom(page)).toBe('full')
  })

  it('shows the failure, states that the preset is fine, and retries', async () => {
    const page = await open('preview-failed')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await page.locator('.preview-error').textContent()).toContain('The preset is fine.')
    expect(await line(page).textContent()).toBe('Size unknownCouldn’t create the preview')
    expect(await pane(page).locator('.after').count()).toBe(0)
    const before = (await calls(page, 'preview.part')).length
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(async () => (await calls(page, 'preview.part')).length).toBe(before + 1)
  })

  itInLongSuite(
    'warns next to the codec that the video’s HDR is lost, and offers a codec that keeps it',
    async () => {
      const page = await open('preview-video-hdr')
      const note = page.locator('.hint.warning')
      await expect
        .poll(() => note.textContent())
        .toBe('H.264 doesn’t support HDR. The video is converted to SDR. Use HEVC')
      expect(await page.getByLabel('Codec').getAttribute('aria-describedby')).toBe(
        await note.getAttribute('id'),
      )
      await page.getByRole('checkbox', { name: 'HDR' }).uncheck()
      await expect.poll(() => note.count()).toBe(0)
      await page.getByRole('checkbox', { name: 'HDR' }).check()
      expect(await page.getByRole('button', { name: 'Can’t save yet' }).count()).toBe(0)
      await note.getByRole('button', { name: 'Use HEVC' }).click()
      expect(await page.getByLabel('Codec').inputValue()).toBe('hevc')
      expect(await note.count()).toBe(0)
    },
  )

  itInLongSuite(
    'shows only the original of a video whose audio is saved, and explains that the result has no picture',
    async () => {
      const page = await open('preview-video-audio-only')
      await expect
        .poll(() => page.locator('.pane-label.audio-only').textContent())
        .toBe('Audio only. The result has no picture.')
      const shown = page.getByRole('group', { name: /^Preview of clip_0147.mov/ })
      expect([
        await shown.locator('.layer.before').count(),
        await shown.locator('.layer.after').count(),
      ]).toEqual([1, 0])
      expect(await page.locator('.split-slider').count()).toBe(0)
      await expect.poll(() => line(page).textContent()).toContain('About 68 MB')
    },
  )

  it('shows an audio result without a thumbnail or a comparison, and opens it', async () => {
    const page = await openState('details-audio')
    const row = page.locator('.file-row', { hasText: 'interview-a_take03.m4a' })
    await row.waitFor()
    expect([await row.locator('img').count(), await page.locator('.preview-pane').count()]).toEqual([0, 0])
    await row.getByRole('button', { name: 'Open', exact: true }).click()
    await expect.poll(() => argumentsOf(page, 'files.open')).toEqual([expect.stringContaining('.m4a')])
  })

  it('shows the average quality, and the results with the lowest, which a click compares above', async () => {
    const page = await openState('details-quality')
    await page.getByText('Quality 84 on average.').waitFor()
    const lowest = page.locator('section', {
      has: page.getByRole('heading', { name: 'Lowest quality 3 of 24' }),
    })
    expect(await lowest.locator('.row-text .hint').allTextContents()).toEqual([
      'Quality 61: a little softer than the original',
      'Quality 74: differences visible only side by side',
      'Quality 79: differences visible only side by side',
    ])
    const tag = page.locator('.compare .pane-label.result')
    await expect.poll(() => tag.textContent()).toContain('quality 88')
    const worst = lowest.getByRole('button', { name: /^Compare before and after/ }).first()
    await worst.press('Enter')
    await expect.poll(() => tag.textContent()).toContain('quality 61')
    expect(await worst.getAttribute('aria-pressed')).toBe('true')
  })

  it.each(firstOf(['details-kept-quality', 'details-replaced-quality']))(
    'says in %s why an original was kept',
    async (state) => {
      const page = await openState(state)
      await page.getByText('Kept, because the quality would be 61, below 70').waitFor()
      expect(await page.getByText(/on average/).count()).toBe(0)
    },
  )

  itInLongSuite('offers in the editor to keep the original below a quality', async () => {
    const page = await openState('studio-more')
    const box = page.getByRole('checkbox', { name: 'Keep the original if quality is below' })
    expect(await box.isChecked()).toBe(false)
    await box.press('Space')
    const number = page.getByRole('textbox', { name: 'Minimum quality' })
    expect(await number.inputValue()).toBe('70')
    const help = page.locator(`#${await box.getAttribute('aria-describedby')}`)
    expect(await help.textContent()).toBe(
      'Differences are visible only side by side. Copies the original instead, in its own format. Removed metadata stays removed.',
    )
    await number.fill('20')
    await page.getByRole('button', { name: 'Can’t save yet' }).waitFor()
    await box.uncheck()
    await expect.poll(() => number.count()).toBe(0)
  })

  itInLongSuite.each(['details', 'details-video'])(
    'shows no quality in %s, which has no scores',
    async (state) => {
      const page = await openState(state)
      await page.locator('.compare').waitFor()
      expect(await page.getByText(/Quality \d|Lowest quality|Minimum quality/).count()).toBe(0)
    },
  )

  itInLongSuite('doesn’t mention HDR if the video has none', async () => {
    const page = await open('preview-video')
    await page.locator('.video-controls').waitFor()
    expect(await page.locator('.hint.warning').count()).toBe(0)
  })

  itInLongSuite(
    'shows next to the size how small the file can be, and offers to reduce the dimensions',
    async () => {
      const page = await open('preview-least')
      const note = page.locator('.goal-fields .hint.warning')
      expect(await line(page).textContent()).toBe('148 kBCan’t get under 100 kB: this is the smallest')
      // The result stays visible, and nothing has failed.
      expect(await pane(page).locator('.after').count()).toBe(1)
      expect(await page.locator('.preview-error').count()).toBe(0)
      expect(await note.textContent()).toBe(
        '148 kB is the smallest possible at 1066 × 600 px. Reduce dimensions',
      )
      await note.getByRole('button', { name: 'Reduce dimensions' }).click()
      expect(await page.getByRole('checkbox', { name: 'Reduce dimensions if needed' }).isChecked()).toBe(true)
      await expect.poll(() => note.count()).toBe(1)
      expect(await note.getByRole('button').count()).toBe(0)
    },
  )

  it('shows that the original is kept if the result would be larger', async () => {
    const page = await open('preview-larger')
    await expect.poll(() => line(page).textContent()).toContain('Original kept: the result would be 21')
    expect(await pane(page).locator('.pane-label.result').textContent()).toContain('the original')
  })

  it('accepts a file from recent jobs, from a dialog, or dropped on the image', async () => {
    const page = await open('preview-no-file')
    expect(await line(page).textContent()).toBe('Size unknownChoose a file to see its size')
    await page.evaluate(() => {
      const box = document.querySelector('.preview')?.getBoundingClientRect()
      const files = new DataTransfer()
      files.items.add(new File(['abc'], 'photo.jpg'))
      dispatchEvent(
        new DragEvent('drop', {
          dataTransfer: files,
          clientX: (box?.left ?? 0) + 20,
          clientY: (box?.top ?? 0) + 20,
        }),
      )
    })
    await expect.poll(() => argumentsOf(page, 'preview.bring')).toEqual([['/home/ida/dropped']])
    expect(await calls(page, 'draft.addPaths')).toEqual([])
    await page.getByRole('button', { name: 'Choose file…' }).click()
    await expect.poll(async () => (await calls(page, 'preview.choose')).length).toBe(1)
    await page.getByRole('button', { name: /^IMG_7720/ }).click()
    await expect
      .poll(() => argumentsOf(page, 'preview.part'))
      .toMatchObject([{ path: '/home/ida/Pictures/IMG_7720.jpg' }])
  })

  itInLongSuite('overlays the file and zoom controls on the image in a narrow window', async () => {
    const page = await openState('preview-fine', NARROW)
    await pane(page).waitFor()
    const head = await page.locator('.preview-head').boundingBox()
    const picture = await pane(page).boundingBox()
    expect(head?.y).toBe(picture?.y)
    await page.getByRole('radio', { name: '200%' }).check({ force: true })
    expect(await zoom(page)).toBe('double')
  })
}
