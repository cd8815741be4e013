import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { startHarness } from './harness/open-window.ts'
import type { Harness } from './harness/open-window.ts'
import { checkAccessibility } from './in-the-window/accessibility.ts'
import { checkBehaviour } from './in-the-window/behaviour.ts'
import { checkKeyboard } from './in-the-window/keyboard.ts'
import { checkPreviews } from './in-the-window/previews.ts'
import { checkLooks } from './in-the-window/looks.ts'
import { checkPresets } from './in-the-window/presets.ts'

// One browser for all of it: starting one takes longer than most of what is done with it.
let running: Harness | null = null
const harness = (): Harness => {
  if (running === null) throw new Error('There is no browser')
  return running
}
beforeAll(async () => {
  running = await startHarness()
})
afterEach(() => {
  expect(harness().complaints()).toEqual([])
})
afterAll(() => running?.close())

describe('the window', () => checkBehaviour(harness))
describe('the presets', () => checkPresets(harness))
describe('every row of the keyboard table', () => checkKeyboard(harness))
describe('however it is looked at', () => checkLooks(harness))
describe('the preview', () => checkPreviews(harness))
describe('with axe', () => checkAccessibility(harness))
