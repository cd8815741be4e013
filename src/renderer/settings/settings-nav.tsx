import { useApp, useWords } from '../store/app.ts'
import { leaveSettings, showSettings } from '../store/navigation.ts'
import { SETTINGS_SECTIONS } from '../store/route.ts'
import type { SettingsSection } from '../store/route.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon.tsx'
import type { WindowWords } from '../../shared/i18n/window-i18n.ts'

const ICONS: Readonly<Record<SettingsSection, IconName>> = {
  connection: 'link',
  jobs: 'tray',
  presets: 'sliders',
  watch: 'folder',
  notifications: 'bell',
  general: 'window',
}

export const sectionName = (section: SettingsSection, w: WindowWords): string =>
  w.settings[section === 'jobs' ? 'newJobs' : section]

export function SettingsNav() {
  const app = useApp()
  const listOnly = app.place.listOnly.value
  const { w } = useWords()
  const update = app.state.update.value
  const builtIn = app.state.connection.value.kind === 'builtIn'
  const sections = SETTINGS_SECTIONS.filter((section) => section !== 'presets' || builtIn)
  return (
    <section class="side" role={listOnly ? 'main' : undefined} aria-label={w.settings.region}>
      {listOnly && <h1 class="sr">{w.settings.region}</h1>}
      <header class="bar nav-bar">
        <button type="button" class="btn quiet to-jobs" onClick={() => leaveSettings(app)}>
          <Icon name="back" />
          {w.settings.jobs}
        </button>
      </header>
      <nav class="nav" aria-label={w.settings.region}>
        {sections.map((section) => (
          <button
            key={section}
            type="button"
            aria-current={app.place.section.value === section ? 'page' : undefined}
            onClick={() => showSettings(app, section)}
          >
            <Icon name={ICONS[section]} />
            {sectionName(section, w)}
          </button>
        ))}
      </nav>
      <div class="pushes" />
      <footer class="foot">
        {update.status === 'ready' ? (
          <LinkButton
            label={w.settings.newVersion({ version: update.version })}
            onPress={() => showSettings(app, 'general')}
          />
        ) : (
          w.settings.version({ version: app.facts.version })
        )}
      </footer>
    </section>
  )
}
