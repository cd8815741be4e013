/** Failures of the built-in service, from the broken file to the message in the window. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { failure, reason, type Failure } from '../../src/shared/failure/failure.ts'
import { english } from '../../src/shared/i18n/english.ts'
import { describeFailure } from '../../src/shared/i18n/failures.ts'
import { createTranslation } from '../../src/node/translation.ts'
import { makeClip } from '../media/video/make-clip.ts'
import { draftNames, row, startWithBuiltIn, WITHIN, type RunningApp } from './support/start-app.ts'

/** Copies the H.264 video track into a container that doesn't support H.264. */
const PRESET = {
  name: 'Passthrough',
  image: { format: 'jpeg' },
  video: { codec: 'copy', container: 'webm' },
}

const damaged = (flaw: 'imagePartMissing' | 'rowsMissing' | 'indexMissing'): Failure =>
  failure('fileDamaged', { reason: reason(flaw) })

/** The content that replaces a file after it was added (null if the file is removed), and the failure that results. */
type Broken = { readonly content: Uint8Array | null; readonly failure: Failure }

async function brokenFiles(app: RunningApp): Promise<Readonly<Record<string, Broken>>> {
  const photo = readFileSync(app.files.photo('whole.jpg'))
  const video = readFileSync(app.files.video('whole.mp4'))
  const sound = join(app.files.path, 'sound.mp4')
  await makeClip(sound, { width: 64, height: 64, times: [], sound: 0.5 })
  return {
    'a-empty.jpg': { content: Buffer.alloc(0), failure: failure('fileEmpty') },
    'b-text.jpg': { content: Buffer.from('plain text'), failure: failure('photoHoldsOther') },
    'c-gone.jpg': { content: null, failure: failure('fileUnreadable', { reason: reason('missing') }) },
    'd-video.jpg': { content: video, failure: failure('photoHoldsVideo') },
    'e-photo.mp4': { content: photo, failure: failure('videoHoldsPhoto') },
    'f-cut.jpg': { content: photo.subarray(0, photo.length / 2), failure: damaged('imagePartMissing') },
    'g-short.bmp': { content: bitmap(100), failure: damaged('rowsMissing') },
    'h-huge.bmp': {
      content: bitmap(60_000),
      failure: failure('photoTooLarge', { width: 60_000, height: 60_000, megapixels: 3_600, limit: 134 }),
    },
    'i-broken.mp4': { content: video.subarray(0, 600), failure: damaged('indexMissing') },
    'j-sound.mp4': { content: readFileSync(sound), failure: failure('noVideoTrack') },
    'k-video.mp4': {
      content: video,
      failure: failure('passthroughImpossible', { container: 'WebM', codec: 'H264' }),
    },
  }
}

/** Returns a square bitmap with this side length, truncated after its first rows. */
function bitmap(side: number): Buffer {
  const header = Buffer.alloc(400)
  header.write('BM', 'latin1')
  header.writeUInt32LE(26, 10)
  header.writeUInt32LE(12, 14)
  header.writeUInt16LE(side, 18)
  header.writeUInt16LE(side, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt16LE(24, 24)
  return header
}

test('eleven files fail for eleven reasons, and every message is in German until the user chooses English', async () => {
  await using app = await startWithBuiltIn({ locale: 'de-DE', settings: { language: 'de' } })
  const page = await app.page()
  const saved = await page.evaluate(
    (text) => window.mediatray.presets.save({ text, replaces: null }),
    JSON.stringify(PRESET),
  )
  expect(saved).toMatchObject({ ok: true })
  const broken = await brokenFiles(app)
  const names = Object.keys(broken)
  const paths = names.map((name) => whole(app, name))
  await app.dropFiles('body', [app.files.photo('z-good.jpg'), ...paths])
  await expect.poll(async () => (await draftNames(app)).length, WITHIN).toBe(names.length + 1)
  await page.evaluate((preset) => window.mediatray.draft.update({ presets: [preset] }), PRESET.name)
  for (const [n, name] of names.entries()) breakFile(paths[n] ?? '', broken[name]?.content ?? null)
  await page.evaluate(() => window.mediatray.draft.start({ split: false }))

  await row(page, 'z-good.jpg')
    .or(row(page, 'a-empty.jpg'))
    .filter({ hasText: /11 Problem/ })
    .click()
  await page.locator('.job-pane li .hint.error').first().waitFor()
  const inGerman = createTranslation('de-DE')
  const sentences = (t: typeof inGerman) =>
    names.map((name) => describeFailure(broken[name]?.failure ?? failure('fileInternal'), t))
  await expect.poll(() => reasonsIn(page), WITHIN).toEqual(sentences(inGerman).toSorted())
  expect(englishIn(await page.locator('body').innerText())).toEqual([])

  await page.evaluate(() => window.mediatray.settings.update({ language: 'en' }))
  await expect.poll(() => reasonsIn(page), WITHIN).toEqual(sentences(createTranslation('en-GB')).toSorted())
})

/** Creates a valid file with this name, which the app accepts. */
function whole(app: RunningApp, name: string): string {
  if (name.endsWith('.mp4')) return app.files.video(name)
  const path = app.files.photo(name)
  if (name.endsWith('.bmp')) writeFileSync(path, bitmap(60_000))
  return path
}

function breakFile(path: string, content: Uint8Array | null): void {
  if (content === null) rmSync(path)
  else writeFileSync(path, content)
}

async function reasonsIn(page: Page): Promise<readonly string[]> {
  const shown = await page.locator('.job-pane li .hint.error').allInnerTexts()
  return shown.map((text) => text.trim()).toSorted()
}

/** Returns the parts of English failure messages that occur in the text, apart from placeholders and words that German shares. */
function englishIn(text: string): readonly string[] {
  const { failure, failureReason } = english.failures
  const parts = Object.values({ ...failure, ...failureReason }).flatMap((message) =>
    message.split(/\{\{\w+\}\}/),
  )
  return parts.filter((part) => part.trim().length > 12 && text.includes(part.trim()))
}
