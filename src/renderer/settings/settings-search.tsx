import type { ComponentChildren } from 'preact'
import { useApp, useSettingsTranslation, type App, useSettingsView } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { showSetting, showSettings } from '../store/navigation.ts'
import { usesBuiltIn } from '../store/services.ts'
import { IconButton, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page } from './page.tsx'
import { findSettings, folded, type FoundSetting } from './find-settings.ts'
import './settings-search.css'

/** Returns the settings that match the search; null if there is no search, or while the texts are loading. */
export function useFoundSettings(): readonly FoundSetting[] | null {
  const app = useApp()
  const t = app.settingsWords()
  const query = app.route.settingsSearch.value
  return t === null || query.trim() === '' ? null : findSettings(app, t, query)
}

const clear = (app: App): void => {
  app.route.settingsSearch.value = ''
  focusOnceShown('#settings-search')
}

const open = (app: App, { place, control }: FoundSetting): void => showSetting(app, place, control)

export function SearchField({ found }: { readonly found: readonly FoundSetting[] | null }) {
  const app = useApp()
  const texts = useSettingsTranslation().settingSearch
  const query = app.route.settingsSearch.value
  const onKeyDown = (event: KeyboardEvent): void => {
    const [first] = found ?? []
    if (first === undefined || (event.key !== 'ArrowDown' && event.key !== 'Enter')) return
    event.preventDefault()
    if (event.key === 'Enter') open(app, first)
    else document.querySelector<HTMLElement>('.found-setting')?.focus()
  }
  return (
    <div class="settings-search">
      <label class="field-with-icon">
        <span class="visually-hidden">{texts.label}</span>
        <Icon name="search" />
        <input
          id="settings-search"
          class="field"
          type="search"
          autocomplete="off"
          placeholder={texts.label}
          value={query}
          onInput={(event) => (app.route.settingsSearch.value = event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {query !== '' && <IconButton icon="close" label={texts.clear} onPress={() => clear(app)} />}
      </label>
      <p class="visually-hidden" role="status">
        {found === null ? '' : <Heading found={found} />}
      </p>
    </div>
  )
}

function Heading({ found }: { readonly found: readonly FoundSetting[] }) {
  const { settingSearch: texts } = useSettingsTranslation()
  const query = useApp().route.settingsSearch.value.trim()
  return <>{found.length === 0 ? texts.none({ query }) : texts.found({ count: found.length, query })}</>
}

/** The results, shown instead of a page. A narrow window shows them instead of the list of pages. */
export function FoundPane({ found }: { readonly found: readonly FoundSetting[] }) {
  return (
    <Page title={<Heading found={found} />}>
      <FoundSettings found={found} />
    </Page>
  )
}

export function FoundSettings({ found }: { readonly found: readonly FoundSetting[] }) {
  const { app, t } = useSettingsView()
  const texts = t.settingSearch
  if (found.length === 0)
    return (
      <p class="hint nothing-found">
        {app.route.narrow.value && (
          <b>
            <Heading found={found} />
            {t.punctuation.period}
            {t.punctuation.betweenSentences}
          </b>
        )}
        {texts.noneHint}
        {usesBuiltIn(app) && (
          <>
            {t.punctuation.betweenSentences}
            {texts.inPresets}{' '}
            <LinkButton label={texts.showPresets} onPress={() => showSettings(app, 'presets')} />
          </>
        )}
      </p>
    )
  return (
    <ul class="found-settings" aria-label={texts.results} onKeyDown={(event) => moveIn(app, event)}>
      {found.map((setting) => (
        <li key={setting.name}>
          <button type="button" class="found-setting" onClick={() => open(app, setting)}>
            <span class="found-text">
              <span>
                <Marked text={setting.label} query={app.route.settingsSearch.value} locale={t.locale} />
              </span>
              <span class="hint">
                {setting.foundBy === null
                  ? setting.path
                  : texts.foundBy({ path: setting.path, words: setting.foundBy })}
              </span>
            </span>
            <span class="hint numeric truncate">{setting.value}</span>
            <Icon name="forward" />
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Moves between the results. Up from the first one returns to the field, and Escape clears it. */
function moveIn(app: App, event: KeyboardEvent): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.found-setting')]
  const at = rows.findIndex((row) => row === document.activeElement)
  if (event.key === 'Escape') clear(app)
  else if (event.key === 'ArrowDown') rows[at + 1]?.focus()
  else if (event.key === 'ArrowUp') (rows[at - 1] ?? document.getElementById('settings-search'))?.focus()
  else return
  event.preventDefault()
  event.stopPropagation()
}

/** Text with the search words highlighted, if they appear in the same order. */
function Marked(props: { readonly text: string; readonly query: string; readonly locale: string }) {
  const { text, query, locale } = props
  const plain = folded(text, locale)
  const parts: ComponentChildren[] = []
  let end = 0
  for (const word of folded(query, locale).trim().split(/\s+/)) {
    const at = word === '' ? -1 : plain.indexOf(word, end)
    // Some letters change their length when folded, which would shift the mark.
    if (at === -1 || plain.length !== text.length) continue
    parts.push(text.slice(end, at), <mark key={at}>{text.slice(at, at + word.length)}</mark>)
    end = at + word.length
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  )
}
