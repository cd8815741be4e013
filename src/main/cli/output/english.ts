import { createWindowTranslation, loadWindowTexts } from '../../../shared/i18n/i18n.ts'

/** Commands, options and output are always in English, because scripts and web searches depend on them. */
export const t = createWindowTranslation(await loadWindowTexts('en'), 'en')
