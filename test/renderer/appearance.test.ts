import { describe } from 'vitest'
import { shareBrowser } from './harness/open-state.ts'
import { checkAccessibility } from './in-the-window/accessibility.ts'
import { checkAccessibilityTree } from './in-the-window/accessibility-tree.ts'
import { checkLanguages } from './in-the-window/languages.ts'
import { checkLooks } from './in-the-window/looks.ts'

shareBrowser()

describe('the window in any appearance', checkLooks)
describe('the window in any language', checkLanguages)
describe('axe', checkAccessibility)
describe('the accessibility tree', checkAccessibilityTree)
