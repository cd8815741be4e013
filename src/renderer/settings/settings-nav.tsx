import { useApp, useTranslation } from '../store/app.ts'
import { leaveSettings, showSettings } from '../store/navigation.ts'
import { SETTINGS_SECTIONS } from '../store/route.ts'
import type { SettingsSection } from '../store/route.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon.tsx'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'

const ICONS: Readonly<Record<SettingsSection, IconName>> = {
  connection: 'link',
  jobs: 'tray',
  presets: 'sliders',
  watch: 'folder',
  notifications: 'bell',
  general: 'window',
}

export const sectionName = (section: SettingsSection, t: WindowTranslation): string =>
  t.settings[section === 'jobs' ? 'newJobs' : section]

export function SettingsNav() {
  const app = useApp()
  const listOnly = app.place.listOnly.value
  const t = useTranslation()
  const update = app.state.update.value
  const builtIn = app.state.connection.value.kind === 'builtIn'
  const sections = SETTINGS_SECTIONS.filter((section) => section !== 'presets' || builtIn)
  return (
    <section class="side" role={listOnly ? 'main' : undefined} aria-label={t.settings.region}>
      {listOnly && <h1 class="sr">{t.settings.region}</h1>}
      <header class="bar nav-bar">
        <button type="button" class="btn quiet to-jobs" onClick={() => leaveSettings(app)}>
          <Icon name="back" />
          {t.settings.jobs}
        </button>
      </header>
      <nav class="nav" aria-label={t.settings.region}>
        {sections.map((section) => (
          <button
            key={section}
            type="button"
            aria-current={app.place.section.value === section ? 'page' : undefined}
            onClick={() => showSettings(app, section)}
          >
            <Icon name={ICONS[section]} />
            {sectionName(section, t)}
          </button>
        ))}
      </nav>
      <div class="pushes" />
      <footer class="foot">
        {update.status === 'ready' ? (
          <LinkButton
            label={t.settings.newVersion({ version: update.version })}
            onPress={() => showSettings(app, 'general')}
          />
        ) : (
          t.settings.version({ version: app.facts.version })
        )}
      </footer>
    </section>
  )
}
