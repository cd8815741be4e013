import { loadTerminalTranslation } from '../../../shared/i18n/terminal.ts'

/** Commands, options and output are always in English, because scripts and web searches depend on them. */
export const t = await loadTerminalTranslation('en')
