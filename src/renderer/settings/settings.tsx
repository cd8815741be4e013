import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { useApp, useSettingsTranslation, useTranslation } from '../store/app.ts'
import { leaveSettings, showSettings } from '../store/navigation.ts'
import { usesBuiltIn } from '../store/services.ts'
import { SETTINGS_SECTIONS, type SettingsSection } from '../store/route.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { AfterJobSettings } from './after-job-settings.tsx'
import { AssistantSettings } from './assistant-settings.tsx'
import { ConnectionSettings } from './connection-settings.tsx'
import { GeneralSettings } from './general-settings.tsx'
import { JobsSettings } from './jobs-settings.tsx'
import { PresetSettings } from './preset-settings.tsx'
import { QuietSettings } from './quiet-settings.tsx'
import { WatchSettings } from './watch-settings.tsx'
import { SwitchSetting } from './setting.tsx'
import './settings.css'

const ICONS: Readonly<Record<SettingsSection, IconName>> = {
  connection: 'link',
  jobs: 'tray',
  presets: 'sliders',
  watch: 'folder',
  quiet: 'moon',
  afterJob: 'terminal',
  assistants: 'chat',
  notifications: 'bell',
  general: 'window',
}

const sectionName = (section: SettingsSection, t: WindowTranslation): string =>
  t.settings[section === 'jobs' ? 'newJobs' : section]

export function SettingsNav() {
  const app = useApp()
  const t = useTranslation()
  const update = app.state.update.value
  const sections = SETTINGS_SECTIONS.filter((section) => section !== 'presets' || usesBuiltIn(app))
  return (
    <>
      <header class="pane-header settings-header">
        <button type="button" class="button quiet back-to-jobs" onClick={() => leaveSettings(app)}>
          <Icon name="back" />
          {t.settings.jobs}
        </button>
      </header>
      <nav class="settings-nav" aria-label={t.settings.region}>
        {sections.map((section) => (
          <button
            key={section}
            type="button"
            aria-current={app.route.section.value === section ? 'page' : undefined}
            onClick={() => showSettings(app, section)}
          >
            <Icon name={ICONS[section]} />
            {sectionName(section, t)}
          </button>
        ))}
      </nav>
      <div class="spacer" />
      <footer class="sidebar-footer">
        {update.status === 'ready' ? (
          <LinkButton
            label={t.settings.newVersion({ version: update.version })}
            onPress={() => showSettings(app, 'general')}
          />
        ) : (
          t.settings.version({ version: app.facts.version })
        )}
      </footer>
    </>
  )
}

export function SettingsPane() {
  return useApp().settingsWords() === null ? null : <OpenSection />
}

function OpenSection() {
  const app = useApp()
  const t = useTranslation()
  const section = app.route.section.value
  if (section === 'presets') return <PresetSettings />
  if (section === 'watch') return <WatchSettings />
  return (
    <>
      <PaneHeader title={sectionName(section, t)} inSettings />
      <div class="scroll-area">
        <div class="pane-content">
          {section === 'connection' && <ConnectionSettings />}
          {section === 'jobs' && <JobsSettings />}
          {section === 'quiet' && <QuietSettings />}
          {section === 'afterJob' && <AfterJobSettings />}
          {section === 'assistants' && <AssistantSettings />}
          {section === 'notifications' && <NotificationSettings />}
          {section === 'general' && <GeneralSettings />}
        </div>
      </div>
    </>
  )
}

const KINDS = ['done', 'problems', 'failed', 'drive', 'service', 'watch'] as const

function NotificationSettings() {
  const app = useApp()
  const t = useSettingsTranslation()
  const texts = t.notificationSettings
  const { notifications } = app.state.settings.value
  const hints: Partial<Record<(typeof KINDS)[number], string>> = {
    done: texts.doneHint,
    service: texts.serviceHint,
  }
  return (
    <>
      {KINDS.map((kind) => (
        <SwitchSetting
          key={kind}
          id={`notify-${kind}`}
          label={texts[kind]}
          hint={hints[kind]}
          on={notifications[kind]}
          onChange={(on) => app.choose({ notifications: { ...notifications, [kind]: on } })}
        />
      ))}
      <p class="callout info spaced">
        <Icon name="bell" />
        <span>{texts.silent}</span>
      </p>
    </>
  )
}
