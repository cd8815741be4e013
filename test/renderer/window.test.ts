import { describe } from 'vitest'
import { shareBrowser } from './harness/open-state.ts'
import { checkAccessibility } from './in-the-window/accessibility.ts'
import { checkAssistants } from './in-the-window/assistants.ts'
import { checkAfterJob } from './in-the-window/after-job.ts'
import { checkBehavior } from './in-the-window/behavior.ts'
import { checkDrivePicker, checkSaved } from './in-the-window/drive-picker.ts'
import { checkGroups } from './in-the-window/groups.ts'
import { checkComposer } from './in-the-window/composer.ts'
import { checkNewJobSettings } from './in-the-window/new-job-settings.ts'
import { checkKeyboard } from './in-the-window/keyboard.ts'
import { checkPreviews } from './in-the-window/previews.ts'
import { checkLooks } from './in-the-window/looks.ts'
import { checkPresets } from './in-the-window/presets.ts'
import { checkQuiet } from './in-the-window/quiet.ts'
import { checkReplacing } from './in-the-window/replacing.ts'
import { checkRules } from './in-the-window/rules.ts'

shareBrowser()

describe('the window', checkBehavior)
describe('a job with several presets', checkGroups)
describe('the new job', checkComposer)
describe('the Drive folder picker', checkDrivePicker)
describe('the space saved', checkSaved)
describe('originals that are replaced', checkReplacing)
describe('quiet mode', checkQuiet)
describe('what runs after a job', checkAfterJob)
describe('what assistants may do', checkAssistants)
describe('the settings of new jobs', checkNewJobSettings)
describe('the presets page', checkPresets)
describe('the rules of a watched folder', checkRules)
describe('every row of the keyboard table', checkKeyboard)
describe('the window in any appearance', checkLooks)
describe('the preview', checkPreviews)
describe('axe', checkAccessibility)
