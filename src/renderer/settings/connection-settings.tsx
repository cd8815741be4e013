import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { API_VERSION } from '../../shared/api/limits.ts'
import type { DriveSetup } from '../../shared/model/built-in-service.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Select } from '../ui/form-controls.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { ExternalService } from './external-service.tsx'
import { Setting, SwitchSetting } from './setting.tsx'

export function ConnectionSettings() {
  const app = useApp()
  const t = useTranslation()
  const texts = t.connectionSettings
  const connection = app.state.connection.value
  const settings = app.state.settings.value
  const wantsExternal = useSignal(connection.kind !== 'builtIn')
  return (
    <>
      <fieldset>
        <legend class="sr">{t.firstRun.choices}</legend>
        <div class="choice">
          <label class="check">
            <input
              type="radio"
              name="connection"
              checked={wantsExternal.value}
              onChange={() => {
                wantsExternal.value = true
              }}
            />
            <span>
              <b>{texts.onThisComputer}</b>
              <span class="hint">{texts.onThisComputerHint}</span>
            </span>
          </label>
          {wantsExternal.value && <ExternalService />}
        </div>
        <div class="choice">
          <label class="check">
            <input
              type="radio"
              name="connection"
              checked={!wantsExternal.value}
              onChange={() => {
                wantsExternal.value = false
                void app.attempt(app.bridge.connection.useBuiltIn())
              }}
            />
            <span>
              <b>{texts.builtIn}</b>
              <span class="hint">{texts.builtInHint}</span>
            </span>
          </label>
        </div>
      </fieldset>
      <div class="settings-more">
        {wantsExternal.value && (
          <>
            <SwitchSetting
              id="sees-files"
              label={texts.seesFiles}
              hint={texts.seesFilesHint}
              on={settings.seesFiles}
              onChange={(seesFiles) => app.choose({ seesFiles })}
            />
            <SwitchSetting
              id="strict-version"
              label={texts.strict({ known: API_VERSION })}
              hint={texts.strictHint}
              on={settings.strictVersion}
              onChange={(strictVersion) => app.choose({ strictVersion })}
            />
          </>
        )}
        {connection.kind === 'builtIn' && <BuiltInDrive />}
        <Setting label={texts.diagnostics} hint={texts.diagnosticsHint}>
          <Button
            label={texts.saveReport}
            onPress={() => {
              app.overlays.dialog.value = { kind: 'diagnostics' }
            }}
          />
        </Setting>
      </div>
    </>
  )
}

/** The built-in service reaches Drive through rclone, if that is there. */
function BuiltInDrive() {
  const app = useApp()
  const t = useTranslation()
  const texts = t.connectionSettings
  const setup = useSignal<DriveSetup | null>(null)
  const read = async (): Promise<void> => {
    setup.value = (await app.attempt(app.bridge.drive.setup())) ?? null
  }
  async function choose(): Promise<void> {
    setup.value = (await app.attempt(app.bridge.drive.chooseRclone())) ?? setup.value
  }
  useEffect(() => void read(), [])
  const known = setup.value
  if (known === null) return null
  const { rclone, remotes, chosen } = known
  return (
    <Setting label={texts.drive} hint={texts.driveHint} for="drive-remote">
      {rclone.found && remotes.length > 0 ? (
        <div class="narrowish">
          <Select
            id="drive-remote"
            value={chosen ?? ''}
            groups={[
              {
                options: [
                  { value: '', label: texts.noRemote },
                  ...remotes.map(({ name }) => ({ value: name, label: name, icon: 'drive' as const })),
                ],
              },
            ]}
            onChoose={(value) =>
              void app.attempt(app.bridge.drive.useRemote(value === '' ? null : value)).then(read)
            }
          />
        </div>
      ) : (
        <p class="hint" id="drive-remote">
          {rclone.found ? texts.noRemotes : texts.rcloneMissing}{' '}
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
