import { connectionLine } from '../../shared/i18n/sentences.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { Button } from '../ui/button.tsx'
import { useApp, useSettingsTranslation, type App, useSettingsView } from '../store/app.ts'
import { AssistantsRow } from './assistant-settings.tsx'
import { clipboardSummary } from './clipboard-settings.tsx'
import { Setting, SettingSegments } from './setting.tsx'
import { SettingsFileSetting } from './settings-file.tsx'
import { SubpageRow } from './subpage-row.tsx'
import { UpdatesSetting } from './updates-setting.tsx'

export function AdvancedSettings() {
  const { app, t } = useSettingsView()
  const { version } = app.facts
  return (
    <>
      <SubpageRow subpage="service" label={t.subpages.service} summary={serviceSummary(app, t)} />
      <AssistantsRow />
      <SubpageRow subpage="clipboard" label={t.subpages.clipboard} summary={clipboardSummary(app, t)} />
      <JobSettings />
      <UpdatesSetting />
      <SettingsFileSetting />
      <Setting label={t.connectionSettings.diagnostics} hint={t.connectionSettings.diagnosticsHint}>
        <Button
          id="diagnostics"
          label={t.diagnosticsDialog.saveReport}
          onPress={() => (app.overlays.dialog.value = { kind: 'diagnostics' })}
        />
      </Setting>
      <SubpageRow
        subpage="about"
        label={t.subpages.about}
        summary={t.generalSettings.aboutShort({ version })}
      />
    </>
  )
}

function JobSettings() {
  const t = useSettingsTranslation()
  const texts = t.jobsSettings
  return (
    <>
      <SettingSegments
        name="grouping"
        label={texts.several}
        options={{ together: t.newJob.together, separate: t.newJob.separate }}
      />
      <SettingSegments
        name="interrupted"
        label={texts.interrupted}
        options={{ resume: texts.resume, ask: texts.askFirst }}
      />
    </>
  )
}

/** "Built-in service is running. Drive: not set up" */
function serviceSummary({ state }: App, t: SettingsTranslation): string {
  const connection = state.connection.value
  const line = connectionLine(connection, t)
  const { drive, kind } = connection
  if (drive?.connected !== true)
    return kind === 'builtIn' ? t.summaries.both({ first: line, second: t.summaries.noDrive }) : line
  const email = typeof drive.email === 'string' ? drive.email : null
  const second = email === null ? t.summaries.drive : t.connectionSettings.driveAccount({ email })
  return t.summaries.both({ first: line, second })
}

export function AboutSettings() {
  const app = useApp()
  const texts = useSettingsTranslation().generalSettings
  return (
    <>
      <p class="hint intro">{texts.aboutHint({ version: app.facts.version })}</p>
      <Button
        id="licenses"
        label={texts.licences}
        onPress={() => void app.attempt(app.bridge.app.showLicences())}
      />
    </>
  )
}
