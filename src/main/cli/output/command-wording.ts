import { createWording } from '../../../shared/i18n/index.ts'

/** Commands and their options are English, and so is what they say: scripts and searches of the web depend on it. */
export const wording = createWording('en')
