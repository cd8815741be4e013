import { expect, it } from 'vitest'
import { findWithAxe } from '../harness/find-with-axe.ts'
import { overhanging } from '../harness/overhanging.ts'
import { openState, NARROW, WIDE } from '../harness/open-state.ts'
import { sampled } from './check-states.ts'

/** Together, these states contain every kind of component. `shots.ts --axe` checks all states in all color schemes. */
const STATES = [
  ['first-run', WIDE, 'light'],
  ['empty', NARROW, 'dark'],
  ['compose-mixed', WIDE, 'dark'],
  ['compose-drive', NARROW, 'light'],
  ['busy', WIDE, 'dark'],
  ['queue-full', NARROW, 'dark'],
  ['key-rejected', WIDE, 'light'],
  ['ending-quit', WIDE, 'dark'],
  ['unsure', WIDE, 'light'],
  ['filter', WIDE, 'light'],
  ['details', WIDE, 'dark'],
  ['details-problems', NARROW, 'light'],
  ['parts-running', NARROW, 'dark'],
  ['parts-cancel', WIDE, 'light'],
  ['parts-problems', WIDE, 'dark'],
  ['parts-problems', NARROW, 'light'],
  ['parts-unsure', WIDE, 'light'],
  ['drive-picker', WIDE, 'light'],
  ['drive-picker', NARROW, 'dark'],
  ['drive-loading', WIDE, 'dark'],
  ['drive-error', NARROW, 'light'],
  ['saved', WIDE, 'dark'],
  ['confirm-clear', WIDE, 'light'],
  ['settings-service-external', WIDE, 'light'],
  ['settings-automation', WIDE, 'dark'],
  ['rules', WIDE, 'light'],
  ['rule-editor', NARROW, 'dark'],
  ['rules-try', WIDE, 'dark'],
  ['settings-presets', WIDE, 'light'],
  ['presets-mac', WIDE, 'dark'],
  ['presets-german', NARROW, 'light'],
  ['presets-unsupported', NARROW, 'dark'],
  ['presets-imported', WIDE, 'dark'],
  ['presets-rename', NARROW, 'light'],
  ['studio', WIDE, 'dark'],
  ['studio-size', NARROW, 'light'],
  ['studio-more', WIDE, 'light'],
  ['studio-video-more', WIDE, 'dark'],
  ['studio-video-conflict', NARROW, 'dark'],
  ['studio-json-bad', WIDE, 'light'],
  ['studio-name-taken', WIDE, 'dark'],
  ['studio-external', WIDE, 'light'],
  ['preview-fine', WIDE, 'light'],
  ['details-lost', WIDE, 'light'],
  ['details-lost', NARROW, 'dark'],
  ['details-lost-replaced', NARROW, 'light'],
  ['details-kept-quality', WIDE, 'dark'],
  ['details-quality', WIDE, 'dark'],
  ['details-quality', NARROW, 'light'],
  ['preview-fine-german', NARROW, 'dark'],
  ['preview-compared', WIDE, 'light'],
  ['preview-video-compared', NARROW, 'light'],
  ['preview-video', NARROW, 'dark'],
  ['preview-video', WIDE, 'light'],
  ['studio-variations', NARROW, 'light'],
  ['preview-compared-german', NARROW, 'dark'],
  ['preview-measuring', WIDE, 'dark'],
  ['preview-rendering', WIDE, 'dark'],
  ['preview-larger', NARROW, 'dark'],
  ['preview-failed', WIDE, 'light'],
  ['preview-no-file', WIDE, 'dark'],
  ['update-failed', WIDE, 'dark'],
] as const

export function checkAccessibility(): void {
  it.each(sampled(STATES))(
    'finds nothing in %s, and nothing overflows a narrow window',
    async (name, size, look) => {
      const page = await openState(name, size, look)
      expect(await findWithAxe(page)).toEqual([])
      if (size === NARROW) expect(await overhanging(page)).toEqual([])
    },
  )
}
