/**
 * Captures every state of the design: `node test/renderer/shots.ts [part of a name] [part of a file name]`.
 *
 * `--language LANGUAGE` captures the states in another language, also in those of `pseudo-languages.ts`. `--axe` also checks each state with axe. `--more` captures them in high contrast, right
 * to left, with the macOS header and at twice the size instead.
 */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { languages } from '../../src/node/translation.ts'
import { findWithAxe } from './harness/find-with-axe.ts'
import { fixtures, type Fixture } from './harness/fixtures.ts'
import { goTo, settled } from './harness/go-to.ts'
import { LONGER, MIRRORED } from './harness/pseudo-languages.ts'
import { takeStep } from './harness/steps.ts'
import { startHarness, type Look, type Size } from './harness/open-window.ts'

type Variant = {
  readonly label: string
  readonly size: Size
  readonly look: Look
  readonly rtl?: boolean
  readonly mac?: boolean
}

const OUT = fileURLToPath(new URL('../../test-results/shots', import.meta.url))
const WIDE = { width: 880, height: 640 }
const SIZES = [WIDE, { width: 420, height: 560 }, { width: 1_280, height: 800 }]
const LOOKS = ['light', 'dark'] as const
const VARIANTS: readonly Variant[] = SIZES.flatMap((size) =>
  LOOKS.map((look) => ({ label: `${size.width}x${size.height}-${look}`, size, look })),
)
const MORE: readonly Variant[] = [
  { label: 'forced', size: WIDE, look: 'forced' },
  { label: 'rtl', size: WIDE, look: 'light', rtl: true },
  { label: 'mac', size: WIDE, look: 'light', mac: true },
  // The default window at 200% zoom.
  { label: 'zoomed', size: { width: 440, height: 320 }, look: 'light' },
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    axe: { type: 'boolean', default: false },
    language: { type: 'string', default: 'en' },
    more: { type: 'boolean', default: false },
  },
})
const [wanted = '', only = ''] = positionals

const scriptFor = ({ script }: Fixture, mac: boolean): Fixture['script'] => ({
  ...script,
  facts: {
    ...script.facts,
    languages: [...languages(), LONGER, MIRRORED],
    ...(mac ? { platform: 'darwin' as const } : {}),
  },
})

await mkdir(OUT, { recursive: true })
const harness = await startHarness()
let found = 0
for (const [name, fixture] of Object.entries(fixtures)) {
  if (!name.includes(wanted)) continue
  for (const { label, size, look, rtl = false, mac = false } of values.more ? MORE : VARIANTS) {
    const file = `${name}-${label}${values.language === 'en' ? '' : `-${values.language}`}`
    if (!file.includes(only)) continue
    const page = await harness.open(scriptFor(fixture, mac), size, look)
    if (rtl) await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'))
    await goTo(page, fixture).catch((reason: unknown) => console.error(file, String(reason).slice(0, 300)))
    if (values.language !== 'en') await speak(page, fixture, values.language)
    await settled(page)
    await page.screenshot({ path: join(OUT, `${file}.png`) })
    const complaints = [...harness.complaints(), ...(values.axe ? await findWithAxe(page) : [])]
    for (const complaint of complaints) console.error(file, complaint)
    found += complaints.length
  }
}
await harness.close()
console.log(found === 0 ? 'Nothing to complain of' : `${found} complaints`)
process.exitCode = found === 0 ? 0 : 1

/** Switches to a language. Call it last, because the steps to a state search for English labels. */
async function speak(page: Page, { script, step }: Fixture, language: string): Promise<void> {
  const settings = { ...script.state.settings, language }
  await page.evaluate((changed) => window.strings.change({ settings: changed }), settings)
  await page.waitForFunction((wanted) => document.documentElement.lang === wanted, language)
  // A toast keeps the language in which it appeared.
  if (step === 'toast') await takeStep(page, step)
  // An open menu keeps the language in which it was opened.
  const menu = page.locator('.menu')
  if ((await menu.count()) === 0) return
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await menu.waitFor()
}
