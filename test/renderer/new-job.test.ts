import { describe } from 'vitest'
import { shareBrowser } from './harness/open-state.ts'
import { checkComposer } from './in-the-window/composer.ts'
import { checkDrivePicker } from './in-the-window/drive-picker.ts'
import { checkNewJobSettings } from './in-the-window/new-job-settings.ts'
import { checkReplacing } from './in-the-window/replacing.ts'
import { checkTiles } from './in-the-window/tiles.ts'

shareBrowser()

describe('the new job', checkComposer)
describe('a tile of a new job', checkTiles)
describe('the Drive folder picker', checkDrivePicker)
describe('the settings of new jobs', checkNewJobSettings)
describe('originals that are replaced', checkReplacing)
