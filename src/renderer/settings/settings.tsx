import type { FunctionComponent } from 'preact'
import { useApp, useSettingsTranslation, useSettingsView, useWindow } from '../store/app.ts'
import { leaveSettings, showSettings } from '../store/navigation.ts'
import { usesBuiltIn } from '../store/services.ts'
import { SETTINGS_PAGES, type NamedSubpage, type SettingsPage } from '../store/route.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Page } from './page.tsx'
import { AboutSettings, AdvancedSettings } from './advanced-settings.tsx'
import { AfterJobSettings } from './after-job-settings.tsx'
import { AssistantSettings } from './assistant-settings.tsx'
import { AutomationSettings } from './automation-settings.tsx'
import { ClipboardSettings } from './clipboard-settings.tsx'
import { GeneralSettings } from './general-settings.tsx'
import { HistorySettings } from './history-settings.tsx'
import { JobsSettings } from './jobs-settings.tsx'
import { NotificationSettings } from './notification-settings.tsx'
import { PresetSettings } from './preset-settings.tsx'
import { QuietSettings } from './quiet-settings.tsx'
import { FoundPane, FoundSettings, SearchField, useFoundSettings } from './settings-search.tsx'
import { SettingsImportPage } from './settings-file.tsx'
import { ServiceSettings } from './service-settings.tsx'
import { VaultSettings } from './vault-settings.tsx'
import './settings.css'

const ICONS: Readonly<Record<SettingsPage, IconName>> = {
  general: 'window',
  jobs: 'tray',
  presets: 'sliders',
  automation: 'bolt',
  originals: 'vault',
  advanced: 'gear',
}

const OriginalsSettings = () => (
  <>
    <VaultSettings />
    <HistorySettings />
  </>
)

/** The contents of pages that don't render their own headers. */
const PAGES: Readonly<Partial<Record<SettingsPage, FunctionComponent>>> = {
  general: GeneralSettings,
  jobs: JobsSettings,
  originals: OriginalsSettings,
  advanced: AdvancedSettings,
}

const SUBPAGES: Readonly<Partial<Record<NamedSubpage, FunctionComponent>>> = {
  notifications: NotificationSettings,
  quiet: QuietSettings,
  afterJob: AfterJobSettings,
  service: ServiceSettings,
  assistants: AssistantSettings,
  clipboard: ClipboardSettings,
  about: AboutSettings,
}

export function SettingsNav() {
  const { app, t } = useWindow()
  const found = useFoundSettings()
  const update = app.state.update.value
  const pages = SETTINGS_PAGES.filter((page) => page !== 'presets' || usesBuiltIn(app))
  return (
    <>
      <header class="pane-header settings-header">
        <button type="button" class="button quiet back-to-jobs" onClick={() => leaveSettings(app)}>
          <Icon name="back" />
          {t.settings.backToJobs}
        </button>
      </header>
      {app.settingsWords() !== null && <SearchField found={found} />}
      {found !== null && app.route.narrow.value ? (
        <FoundSettings found={found} />
      ) : (
        <nav class="settings-nav" aria-label={t.settings.region}>
          {pages.map((page) => (
            <button
              key={page}
              type="button"
              aria-current={found === null && app.route.settingsPage.value === page ? 'page' : undefined}
              onClick={() => showSettings(app, page)}
            >
              <Icon name={ICONS[page]} />
              <span class="truncate">{t.settings[page]}</span>
              {found !== null && <Hits count={found.filter((setting) => setting.page === page).length} />}
            </button>
          ))}
        </nav>
      )}
      <div class="spacer" />
      <footer class="sidebar-footer">
        {update.status === 'ready' ? (
          <LinkButton
            label={t.settings.newVersion({ version: update.version })}
            onPress={() => showSettings(app, 'advanced')}
          />
        ) : (
          t.settings.version({ version: app.facts.version })
        )}
      </footer>
    </>
  )
}

function Hits({ count }: { readonly count: number }) {
  const t = useSettingsTranslation()
  if (count === 0) return null
  return (
    <span class="settings-hits numeric">
      <span aria-hidden="true">{t.number(count)}</span>
      <span class="visually-hidden">{t.settingSearch.hits({ count })}</span>
    </span>
  )
}

export function SettingsPane() {
  const app = useApp()
  const found = useFoundSettings()
  if (app.settingsWords() === null) return null
  return found === null || app.route.narrow.value ? <OpenPage /> : <FoundPane found={found} />
}

function OpenPage() {
  const { app, t } = useSettingsView()
  const page = app.route.settingsPage.value
  const subpage = app.route.subpage.value
  const Content = SUBPAGES[subpage as NamedSubpage] ?? PAGES[page]
  if (subpage === 'importSettings') return <SettingsImportPage />
  if (Content === undefined) return page === 'presets' ? <PresetSettings /> : <AutomationSettings />
  return subpage === null ? (
    <Page title={t.settings[page]}>
      <Content />
    </Page>
  ) : (
    <Page title={t.subpages[subpage as NamedSubpage]} subpageOf={page}>
      <Content />
    </Page>
  )
}
