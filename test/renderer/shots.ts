/** Captures every state of the design: `node test/renderer/shots.ts [part of a name] [part of a file name]`. */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { fixtures } from './harness/fixtures.ts'
import { goTo } from './harness/go-to.ts'
import { startHarness } from './harness/open-window.ts'

const OUT = fileURLToPath(new URL('../../test-results/shots', import.meta.url))
const SIZES = [
  { width: 880, height: 640 },
  { width: 420, height: 560 },
  { width: 1_280, height: 800 },
] as const
const THEMES = ['light', 'dark'] as const

const wanted = process.argv[2] ?? ''
const only = process.argv[3]
await mkdir(OUT, { recursive: true })
const harness = await startHarness()
for (const [name, fixture] of Object.entries(fixtures)) {
  if (!name.includes(wanted)) continue
  for (const size of SIZES) {
    for (const theme of THEMES) {
      const label = `${name}-${size.width}x${size.height}-${theme}`
      if (only !== undefined && !label.includes(only)) continue
      const page = await harness.open(fixture.script, size, theme)
      await goTo(page, fixture).catch((reason: unknown) => console.error(label, String(reason).slice(0, 300)))
      await page.screenshot({ path: join(OUT, `${label}.png`) })
      for (const complaint of harness.complaints()) console.error(label, complaint)
    }
  }
}
await harness.close()
