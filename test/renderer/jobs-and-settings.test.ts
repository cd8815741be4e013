import { describe } from 'vitest'
import { shareBrowser } from './harness/open-state.ts'
import { checkAfterJob } from './in-the-window/after-job.ts'
import { checkAssistants } from './in-the-window/assistants.ts'
import { checkComposer } from './in-the-window/composer.ts'
import { checkDrivePicker } from './in-the-window/drive-picker.ts'
import { checkNewJobSettings } from './in-the-window/new-job-settings.ts'
import { checkPresets } from './in-the-window/presets.ts'
import { checkQuiet } from './in-the-window/quiet.ts'
import { checkReplacing } from './in-the-window/replacing.ts'
import { checkRules } from './in-the-window/rules.ts'
import { checkSettingsFile } from './in-the-window/settings-file.ts'
import { checkSettingsPages } from './in-the-window/settings-pages.ts'
import { checkSettingsSearch } from './in-the-window/settings-search.ts'
import { checkTiles } from './in-the-window/tiles.ts'
import { checkWatchedJobs } from './in-the-window/watched-jobs.ts'

shareBrowser()

describe('the new job', checkComposer)
describe('a tile of a new job', checkTiles)
describe('the Drive folder picker', checkDrivePicker)
describe('the settings of new jobs', checkNewJobSettings)
describe('originals that are replaced', checkReplacing)
describe('the pages of the settings', checkSettingsPages)
describe('the settings file', checkSettingsFile)
describe('the search over all settings', checkSettingsSearch)
describe('quiet mode', checkQuiet)
describe('what runs after a job', checkAfterJob)
describe('what assistants may do', checkAssistants)
describe('the presets page', checkPresets)
describe('the rules of a watched folder', checkRules)
describe('the jobs of a watched folder', checkWatchedJobs)
