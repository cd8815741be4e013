import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    readonly axe?: { run(options: object): Promise<AxeResults> }
  }
}

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What axe objects to in the page as it stands, a line for each rule. The page has no frames, so that axe can be run in it
 * directly: through its package for browsers, all that it does not object to would be written down and sent too, which takes
 * three times as long.
 */
export async function findWithAxe(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => window.axe !== undefined))) await page.evaluate(SOURCE)
  return page.evaluate(async () => {
    // A colour that is on its way to another one has the contrast of neither.
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish()
    const results = await window.axe?.run({ resultTypes: ['violations'] })
    if (results === undefined || results.passes.length === 0) throw new Error('axe has looked at nothing.')
    return results.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    )
  })
}
