import { useEffect, useState } from 'preact/hooks'
import type { Language } from '../../shared/i18n/catalog.ts'
import { spokenFor } from '../../shared/i18n/format.ts'
import { useApp, useSettingsView } from '../store/app.ts'
import { useRead } from '../store/use-read.ts'
import { Select } from '../ui/form-controls.tsx'
import { Setting } from './setting.tsx'

/** The option that opens the page about translating. */
const HELP = 'help'

export function LanguageSetting() {
  const { app, t } = useSettingsView()
  const texts = t.generalSettings
  const { languages, locale, hasHomePage } = app.facts
  const [{ value: shares = {} }] = useRead(() => app.bridge.app.translated(), [])
  const chosen = languages.find((language) => language === app.state.settings.value.language) ?? 'system'
  useAnnouncement(t.language, t.announcements.language({ language: languageName(t.language) }))

  return (
    <Setting label={texts.language} for="language">
      <Select
        id="language"
        value={chosen}
        groups={[
          {
            options: [
              {
                value: 'system',
                label: texts.systemLanguage({
                  language: languageName(spokenFor(locale, languages).language),
                }),
              },
              ...inOrder(languages).map((value) => ({
                value,
                label: languageName(value),
                ...noteOf(shares[value] ?? 1, (share) => texts.translated({ share: t.percent(share) })),
              })),
            ],
          },
          ...(hasHomePage ? [{ options: [{ value: HELP, label: texts.helpTranslate }] }] : []),
        ]}
        onChoose={(language) => {
          if (language === HELP) void app.attempt(app.bridge.app.openLink('homePage'))
          else app.choose({ language })
        }}
      />
    </Setting>
  )
}

/** Announces a new language in that language. Screen readers announce the choice itself, but in the previous language. */
function useAnnouncement(language: Language, words: string): void {
  const app = useApp()
  const [announced, setAnnounced] = useState(language)
  useEffect(() => {
    if (language === announced) return
    setAnnounced(language)
    app.announcer.say(words)
  }, [app, language, announced, words])
}

/** Returns the capitalized name of a language in that language. Within sentences, some languages write it in lower case. */
export function languageName(language: Language): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}

/** Sorts languages by their names, Latin letters first. */
function inOrder(languages: readonly Language[]): readonly Language[] {
  const { compare } = new Intl.Collator('en')
  return languages.toSorted((one, other) => compare(languageName(one), languageName(other)))
}

const noteOf = (share: number, describe: (share: number) => string) =>
  share < 1 ? { why: describe(share) } : {}
