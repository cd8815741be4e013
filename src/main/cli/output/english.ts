import { createWindowTranslation, loadWindowTexts } from '../../../shared/i18n/i18n.ts'

/** Commands and their options are English, and so is what they say: scripts and searches of the web depend on it. */
export const t = createWindowTranslation(await loadWindowTexts('en'), 'en')
