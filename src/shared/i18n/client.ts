/** Texts of a command's terminal, which loads no other texts, so that it starts fast. */
import { client as german } from './de/client.ts'
import { client as english } from './en/client.ts'
import type { Language } from './format.ts'
import { translate } from './translate.ts'

export const createClientTranslation = (language: Language) =>
  translate<typeof english>(language === 'de' ? german : english, language)
