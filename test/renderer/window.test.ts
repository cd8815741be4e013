import { describe } from 'vitest'
import { shareBrowser } from './harness/open-state.ts'
import { checkAccessibility } from './in-the-window/accessibility.ts'
import { checkAccessibilityTree } from './in-the-window/accessibility-tree.ts'
import { checkBehavior } from './in-the-window/behavior.ts'
import { checkComparedQualities } from './in-the-window/comparing-qualities.ts'
import { checkSaved } from './in-the-window/drive-picker.ts'
import { checkFocus, checkKeyboard } from './in-the-window/keyboard.ts'
import { checkLanguages } from './in-the-window/languages.ts'
import { checkLooks } from './in-the-window/looks.ts'
import { checkPassingRows } from './in-the-window/passing-rows.ts'
import { checkPreviews } from './in-the-window/previews.ts'
import { checkQueue } from './in-the-window/queue.ts'
import { checkSeveralParts } from './in-the-window/several-parts.ts'

shareBrowser()

describe('the window', checkBehavior)
describe('a job with several presets', checkSeveralParts)
describe('the space saved', checkSaved)
describe('every row of the keyboard table', checkKeyboard)
describe('the keyboard focus', checkFocus)
describe('the preview', checkPreviews)
describe('comparing qualities', checkComparedQualities)
describe('the queue', checkQueue)
describe('the window in any appearance', checkLooks)
describe('the window in any language', checkLanguages)
describe('axe', checkAccessibility)
describe('the accessibility tree', checkAccessibilityTree)
describe('the thumbnails of passing rows', checkPassingRows)
