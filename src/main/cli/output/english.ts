import { english } from '../../../shared/i18n/english.ts'
import { createTerminalTranslation } from '../../../shared/i18n/i18n.ts'

/** Commands, options and output are always in English, because scripts and web searches depend on them. */
export const t = createTerminalTranslation(english, { language: 'en', locale: 'en' })
