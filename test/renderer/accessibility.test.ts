import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixtures } from './harness/fixtures.ts'
import { goTo } from './harness/go-to.ts'
import { startHarness } from './harness/open-window.ts'
import type { Harness } from './harness/open-window.ts'

const NARROW = { width: 420, height: 560 }
const WIDE = { width: 880, height: 640 }

describe('every state of the window', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await startHarness()
  })
  afterAll(() => harness.close())

  // Each state once, in turns light and dark, wide and narrow; together they cover the four.
  it.each(Object.entries(fixtures).map(([name, fixture], index) => ({ name, fixture, index })))(
    'axe finds nothing in $name',
    async ({ fixture, index }) => {
      const narrow = index % 4 > 1 && fixture.act === undefined
      const page = await harness.open(
        fixture.script,
        narrow ? NARROW : WIDE,
        index % 2 === 0 ? 'light' : 'dark',
      )
      await goTo(page, fixture)
      const { violations } = await new AxeBuilder({ page }).analyze()
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
      )
      expect(found).toEqual([])
      expect(harness.complaints()).toEqual([])
    },
  )
})
