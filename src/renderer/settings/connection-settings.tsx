import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { API_VERSION } from '../../shared/api/limits.ts'
import type { ConnectionTest } from '../../shared/model/connection-test.ts'
import type { DriveSetup } from '../../shared/model/drive-setup.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Select } from '../ui/select.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { Setting, SwitchSetting } from './setting.tsx'

export function ConnectionSettings() {
  const app = useApp()
  const t = useTranslation()
  const texts = t.connectionSettings
  const connection = app.state.connection.value
  const settings = app.state.settings.value
  const wantsExternal = useSignal(connection.kind !== 'builtIn')
  const update = app.bridge.settings.update
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
              onChange={(seesFiles) => void app.attempt(update({ seesFiles }))}
            />
            <SwitchSetting
              id="strict-version"
              label={texts.strict({ known: API_VERSION })}
              hint={texts.strictHint}
              on={settings.strictVersion}
              onChange={(strictVersion) => void app.attempt(update({ strictVersion }))}
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

/** Address and key of a service that somebody else's app runs. A saved key is never shown. */
function ExternalService() {
  const app = useApp()
  const t = useTranslation()
  const texts = t.connectionSettings
  const connection = app.state.connection.value
  const saved = connection.kind === 'external' && connection.key !== 'none'
  const address = useSignal(connection.baseUrl)
  const key = useSignal('')
  const replacing = useSignal(!saved)
  const tested = useSignal<ConnectionTest | null>(null)

  const use = async (forSession = false): Promise<void> => {
    const keep = connection.keychainTrouble === null && !forSession ? 'keychain' : 'session'
    const moved = connection.kind !== 'external' || address.value !== connection.baseUrl
    const result = await app.attempt(
      moved
        ? app.bridge.connection.useExternal({ baseUrl: address.value, key: key.value, keep })
        : app.bridge.connection.replaceKey({ key: key.value, keep }),
    )
    tested.value = result ?? null
    if (result?.ok === true) {
      replacing.value = false
      key.value = ''
    }
  }
  const test = async (): Promise<void> => {
    tested.value =
      (await app.attempt(app.bridge.connection.test({ baseUrl: address.value, key: key.value }))) ?? null
  }
  const result = tested.value
  return (
    <form
      class="more labelled"
      onSubmit={(event) => {
        event.preventDefault()
        if (key.value !== '') void use()
      }}
    >
      <label class="hint" for="service-address">
        {t.firstRun.address}
      </label>
      <input
        id="service-address"
        class="field pick mono"
        autocomplete="off"
        spellcheck={false}
        value={address.value}
        onInput={(event) => {
          address.value = event.currentTarget.value
          // A key belongs to one service: another address needs its own.
          if (event.currentTarget.value !== connection.baseUrl) replacing.value = true
        }}
      />
      <label class="hint" for="service-key">
        {t.firstRun.apiKey}
      </label>
      <div class="line wraps">
        <input
          id="service-key"
          class="field"
          type="password"
          autocomplete="off"
          readOnly={!replacing.value}
          placeholder={replacing.value ? t.notices.newKey : texts.keySaved}
          value={key.value}
          aria-invalid={result?.ok === false}
          aria-describedby="service-key-hint"
          onInput={(event) => {
            key.value = event.currentTarget.value
          }}
        />
        {replacing.value ? (
          <>
            <Button label={texts.test} disabled={key.value === ''} onPress={() => void test()} />
            <button type="submit" class="btn main" disabled={key.value === ''}>
              {connection.kind === 'external' && address.value === connection.baseUrl
                ? texts.keepKey
                : texts.use}
            </button>
          </>
        ) : (
          <>
            <Button
              label={texts.replace}
              onPress={() => {
                replacing.value = true
              }}
            />
            <Button
              label={texts.forget}
              kind="quiet"
              onPress={() => {
                replacing.value = true
                void app.attempt(app.bridge.connection.forgetKey())
              }}
            />
          </>
        )}
      </div>
      {!replacing.value && (
        <p class="wide hint with">
          <Icon name="lock" />
          <span>{connection.key === 'session' ? texts.inSession : texts.inKeychain}</span>
        </p>
      )}
      <div id="service-key-hint" class="wide" role="status">
        {result === null ? (
          <StatusLine />
        ) : (
          <p class={`hint ${result.ok ? 'with' : 'bad'}`}>
            <Icon name={result.ok ? 'check' : 'warn'} class={result.ok ? 'sign good' : ''} />
            <span>
              {result.ok ? texts.testWorks({ version: result.version }) : t.keyTrouble[result.why]}{' '}
              {!result.ok && result.why === 'noKeychain' && (
                <LinkButton label={t.notices.keepUntilQuit} onPress={() => void use(true)} />
              )}
            </span>
          </p>
        )}
      </div>
    </form>
  )

  function StatusLine() {
    const { state, drive, kind } = connection
    if (kind !== 'external') return null
    const online = state.status === 'online'
    return (
      <p class="hint with">
        <Icon name={online ? 'check' : 'warn'} class={`sign ${online ? 'good' : 'warn'}`} />
        <span>
          {online ? texts.works({ version: state.version }) : connectionLine(connection, t)}{' '}
          {typeof drive?.email === 'string' && texts.driveAccount({ email: drive.email })}
        </span>
      </p>
    )
  }
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
            <LinkButton
              label={texts.getRclone}
              onPress={() => void app.attempt(app.bridge.app.openLink('rclone'))}
            />
          )}
        </p>
      )}
    </Setting>
  )
}
