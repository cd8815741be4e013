import { useSignal } from '@preact/signals'
import { API_VERSION } from '../../shared/api/limits.ts'
import { LinkButton } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Select } from '../ui/form-controls.tsx'
import { useSettingsView } from '../store/app.ts'
import { useRead } from '../store/use-read.ts'
import { ExternalService } from './external-service.tsx'
import { OtherServices } from './other-services.tsx'
import { Setting, SettingSwitch } from './setting.tsx'

export function ServiceSettings() {
  const { app, t } = useSettingsView()
  const texts = t.connectionSettings
  const connection = app.state.connection.value
  const wantsExternal = useSignal(connection.kind !== 'builtIn')
  return (
    <>
      <fieldset>
        <legend class="visually-hidden">{t.firstRun.choices}</legend>
        <Choice
          name="connection"
          label={texts.onThisComputer}
          hint={texts.onThisComputerHint}
          checked={wantsExternal.value}
          onChoose={() => (wantsExternal.value = true)}
        >
          {wantsExternal.value && <ExternalService />}
        </Choice>
        <Choice
          name="connection"
          label={t.connection.builtIn}
          hint={texts.builtInHint}
          checked={!wantsExternal.value}
          onChoose={() => {
            if (!wantsExternal.value) return
            wantsExternal.value = false
            void app.attempt(app.bridge.connection.useBuiltIn())
          }}
        />
      </fieldset>
      <div class="connection-options">
        <OtherServices />
        {wantsExternal.value && (
          <>
            <SettingSwitch name="seesFiles" label={texts.seesFiles} hint={texts.seesFilesHint} />
            <SettingSwitch
              name="strictVersion"
              label={texts.strict({ known: API_VERSION })}
              hint={texts.strictHint}
            />
          </>
        )}
        {connection.kind === 'builtIn' && <BuiltInDrive />}
      </div>
    </>
  )
}

/** Sets up Drive for the built-in service, which uses rclone. */
function BuiltInDrive() {
  const { app, t } = useSettingsView()
  const texts = t.connectionSettings
  const [setup, read] = useRead(() => app.bridge.drive.setup(), [])
  async function choose(): Promise<void> {
    setup.value = (await app.attempt(app.bridge.drive.chooseRclone())) ?? setup.value
  }
  if (setup.value === undefined) return null
  const { rclone, remotes, chosen } = setup.value
  return (
    <Setting label={texts.drive} hint={texts.driveHint} for="drive-remote">
      {rclone.found && remotes.length > 0 ? (
        <Select
          id="drive-remote"
          value={chosen ?? ''}
          options={[
            { value: '', label: texts.noRemote },
            ...remotes.map(({ name }) => ({ value: name, label: name, icon: 'drive' as const })),
          ]}
          onChoose={(value) =>
            void app.attempt(app.bridge.drive.useRemote(value === '' ? null : value)).then(read)
          }
        />
      ) : (
        <p class="hint" id="drive-remote">
          {rclone.found ? texts.noRemotes : texts.rcloneMissing}
          {t.punctuation.betweenSentences}
          {rclone.found ? (
            <LinkButton label={texts.lookAgain} onPress={() => void read()} />
          ) : (
            <>
              <LinkButton
                label={texts.getRclone}
                onPress={() => void app.attempt(app.bridge.app.openLink('rclone'))}
              />
              <span aria-hidden="true"> · </span>
              <LinkButton label={texts.chooseRclone} onPress={() => void choose()} />
            </>
          )}
        </p>
      )}
    </Setting>
  )
}
