import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { argumentsOf, calls, lookAt, NARROW } from '../harness/look-at.ts'
import type { Harness } from '../harness/open-window.ts'

const pane = (page: Page) => page.getByRole('group', { name: /^Preview of DSC_4821.heic/ })
const line = (page: Page) => page.locator('.result-line')
const zoom = (page: Page) => pane(page).getAttribute('data-zoom')
const left = (page: Page) =>
  pane(page)
    .locator('.after img')
    .evaluate((image) => image.getBoundingClientRect().left)

export function checkPreviews(harness: () => Harness): void {
  const open = async (state: string): Promise<Page> => {
    const page = await lookAt(harness(), state)
    await page.locator('.preview').waitFor()
    return page
  }

  it('shows before and after at 100 %, and says the size below the picture', async () => {
    const page = await open('preview-fine')
    await pane(page).waitFor()
    expect(await zoom(page)).toBe('100')
    await expect.poll(() => line(page).textContent()).toBe('612 kB15 % of the original, about 0.3 s a photo')
    const image = pane(page).locator('.after img')
    expect(await image.evaluate((one) => one.getBoundingClientRect().width)).toBe(1_066)
    const [asked] = await argumentsOf(page, 'preview.part')
    expect(asked).toMatchObject({
      part: 'image',
      path: '/home/ida/Pictures/DSC_4821.heic',
      view: { middle: null },
    })
  })

  it('follows the form once it stands still, and marks what is older until then', async () => {
    const page = await open('preview-fine')
    await expect.poll(() => line(page).getAttribute('class')).toContain('fine')
    const before = (await calls(page, 'preview.part')).length
    // In one breath, and looked at in the same: how long it has to stand still passes between two calls on a busy machine.
    const meanwhile = await page.getByRole('slider', { name: 'Quality' }).evaluate(async (slider) => {
      if (!(slider instanceof HTMLInputElement)) throw new Error('The quality is no slider.')
      for (let step = 0; step < 4; step += 1) {
        slider.stepDown()
        slider.dispatchEvent(new Event('input', { bubbles: true }))
        // It is drawn before the next one comes.
        await new Promise((resolve) => setTimeout(resolve))
      }
      const [shown, tag] = ['.result-line', '.preview .tag.is'].map((one) => document.querySelector(one))
      return { line: shown?.className, tag: tag?.textContent }
    })
    expect(meanwhile).toEqual({
      line: expect.stringContaining('old'),
      tag: expect.stringContaining('older settings'),
    })
    await expect.poll(() => line(page).getAttribute('class')).toContain('fine')
    const asked = (await argumentsOf(page, 'preview.part')).slice(before)
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ preset: { image: { quality: 78 } } })
  })

  it('is moved and brought nearer by keys, wheel and hand, and the divider by its strip alone', async () => {
    const page = await open('preview-fine')
    await pane(page).focus()
    const start = await left(page)
    await page.keyboard.press('ArrowRight')
    expect(await left(page)).toBe(start - 40)
    await page.keyboard.press('2')
    expect(await zoom(page)).toBe('200')
    const box = await pane(page).boundingBox()
    if (box === null) throw new Error('There is no pane.')
    await page.mouse.move(box.x + 100, box.y + 100)
    await page.mouse.wheel(0, 120)
    await expect.poll(() => zoom(page)).toBe('100')
    const resting = await left(page)
    await page.mouse.down()
    await page.mouse.move(box.x + 130, box.y + 100)
    await page.mouse.up()
    expect(await left(page)).toBe(resting + 30)
    const divider = pane(page).getByRole('slider', { name: 'Divider, before and after' })
    expect(await divider.getAttribute('aria-valuetext')).toBe('50 % before')
    await page.mouse.move(box.x + box.width / 2, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width / 4, box.y + 50)
    await page.mouse.up()
    expect(await divider.getAttribute('aria-valuetext')).toBe('25 % before')
    expect(await left(page)).toBe(resting + 30)
  })

  it('shows both in turn with P, and goes back with Esc before the studio is left', async () => {
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
    // Once its absence has been painted.
    await expect.poll(() => calls(page, 'preview.stop')).not.toEqual([])
  })

  it('types letters in a field, and takes no key from it', async () => {
    const page = await open('preview-fine')
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'Name' }).fill('P 120')
    expect(await pane(page).getAttribute('data-shown')).toBeNull()
    expect(await zoom(page)).toBe('100')
  })

  it('says what failed, that the preset is fine, and tries again', async () => {
    const page = await open('preview-failed')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    expect(await page.locator('.say').textContent()).toContain('The preset is fine.')
    expect(await line(page).textContent()).toBe('No sizeThe preview could not be made')
    expect(await pane(page).locator('.after').count()).toBe(0)
    const before = (await calls(page, 'preview.part')).length
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(async () => (await calls(page, 'preview.part')).length).toBe(before + 1)
  })

  it('says at the codec that the HDR of the film is lost, and which codec keeps it', async () => {
    const page = await open('preview-video-hdr')
    const note = page.locator('.hint.warn')
    await expect
      .poll(() => note.textContent())
      .toBe('H.264 can’t hold HDR. It becomes ordinary colour. Use HEVC')
    expect(await page.getByLabel('Codec').getAttribute('aria-describedby')).toBe(
      await note.getAttribute('id'),
    )
    await page.getByRole('checkbox', { name: 'HDR' }).uncheck()
    await expect.poll(() => note.count()).toBe(0)
    await page.getByRole('checkbox', { name: 'HDR' }).check()
    expect(await page.getByRole('button', { name: 'Can’t be saved yet' }).count()).toBe(0)
    await note.getByRole('button', { name: 'Use HEVC' }).click()
    expect(await page.getByLabel('Codec').inputValue()).toBe('hevc')
    expect(await note.count()).toBe(0)
  })

  it('says nothing of HDR where the film has none', async () => {
    const page = await open('preview-video')
    await page.locator('.film-controls').waitFor()
    expect(await page.locator('.hint.warn').count()).toBe(0)
  })

  it('says at the size how small the file can be, and lets it get smaller', async () => {
    const page = await open('preview-least')
    const note = page.locator('.under .hint.warn')
    expect(await line(page).textContent()).toBe('148 kBNot under 100 kB: this is the least')
    // What it would look like stays on show, and nothing has failed.
    expect(await pane(page).locator('.after').count()).toBe(1)
    expect(await page.locator('.say').count()).toBe(0)
    expect(await note.textContent()).toBe('148 kB is the least at 1066 × 600 px. Make it smaller')
    await note.getByRole('button', { name: 'Make it smaller' }).click()
    expect(
      await page.getByRole('checkbox', { name: 'Make it smaller where that is needed' }).isChecked(),
    ).toBe(true)
    await expect.poll(() => note.count()).toBe(1)
    expect(await note.getByRole('button').count()).toBe(0)
  })

  it('says that the original is kept where the result would be larger', async () => {
    const page = await open('preview-larger')
    await expect.poll(() => line(page).textContent()).toContain('Kept as it is: the result would be 21')
    expect(await pane(page).locator('.tag.is').textContent()).toContain('the original')
  })

  it('takes a file of the last jobs, one from a dialog, or one that is dropped on the picture', async () => {
    const page = await open('preview-no-file')
    expect(await line(page).textContent()).toBe('No sizeChoose a file to see one')
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

  it('lies over the picture in a narrow window: the file and how near', async () => {
    const page = await lookAt(harness(), 'preview-fine', NARROW)
    await pane(page).waitFor()
    const head = await page.locator('.preview-head').boundingBox()
    const picture = await pane(page).boundingBox()
    expect(head?.y).toBe(picture?.y)
    await page.getByRole('radio', { name: '200 %' }).check({ force: true })
    expect(await zoom(page)).toBe('200')
  })
}
