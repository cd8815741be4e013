import { useApp, useTranslation } from '../store/app.ts'
import { StageHeader } from '../ui/stage-header.tsx'
import { ConnectionSettings } from './connection-settings.tsx'
import { GeneralSettings } from './general-settings.tsx'
import { JobsSettings } from './jobs-settings.tsx'
import { NotificationSettings } from './notification-settings.tsx'
import { PresetSettings } from './preset-settings.tsx'
import { sectionName } from './settings-nav.tsx'
import { WatchSettings } from './watch-settings.tsx'

export function SettingsStage() {
  const app = useApp()
  const t = useTranslation()
  const section = app.place.section.value
  if (section === 'presets') return <PresetSettings />
  if (section === 'watch') return <WatchSettings />
  return (
    <>
      <StageHeader title={sectionName(section, t)} inSettings />
      <div class="scroll">
        <div class="content">
          {section === 'connection' && <ConnectionSettings />}
          {section === 'jobs' && <JobsSettings />}
          {section === 'notifications' && <NotificationSettings />}
          {section === 'general' && <GeneralSettings />}
        </div>
      </div>
    </>
  )
}
