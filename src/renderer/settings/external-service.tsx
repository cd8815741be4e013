import { useSignal } from '@preact/signals'
import type { ConnectionTest } from '../../shared/model/connection.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useSettingsTranslation, useSettingsView } from '../store/app.ts'

export function ExternalService() {
  const t = useSettingsTranslation()
  const connection = useApp().state.connection.value
  const form = useServiceForm()
  const { address, key, replacing } = form
  return (
    <form
      class="choice-fields labeled"
      onSubmit={(event) => {
        event.preventDefault()
        if (key.value !== '') void form.connect()
      }}
    >
      <label class="hint" for="service-address">
        {t.firstRun.address}
      </label>
      <input
        id="service-address"
        class="field selectable mono"
        autocomplete="off"
        spellcheck={false}
        value={address.value}
        onInput={(event) => {
          address.value = event.currentTarget.value
          // A key is valid for one service only, so a new address needs a new key.
          if (event.currentTarget.value !== connection.baseUrl) replacing.value = true
        }}
      />
      <label class="hint" for="service-key">
        {t.firstRun.apiKey}
      </label>
      <KeyLine form={form} />
      {!replacing.value && (
        <p class="field-column hint with-icon">
          <Icon name="lock" />
          <span>
            {connection.key === 'session' ? t.connectionSettings.inSession : t.connectionSettings.inKeychain}
          </span>
        </p>
      )}
      <div id="service-key-hint" class="field-column" role="status">
        <Outcome form={form} />
      </div>
    </form>
  )
}

function useServiceForm() {
  const app = useApp()
  const connection = app.state.connection.value
  const saved = connection.kind === 'external' && connection.key !== 'none'
  const address = useSignal(connection.baseUrl)
  const key = useSignal('')
  /** Whether the user is entering a new key. The saved key is never shown. */
  const replacing = useSignal(!saved)
  const tested = useSignal<ConnectionTest | null>(null)
  return {
    address,
    key,
    replacing,
    tested,
    connect: async (forSession = false): Promise<void> => {
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
    },
    test: async (): Promise<void> => {
      tested.value =
        (await app.attempt(app.bridge.connection.test({ baseUrl: address.value, key: key.value }))) ?? null
    },
  }
}

function KeyLine({ form }: { readonly form: ReturnType<typeof useServiceForm> }) {
  const { app, t } = useSettingsView()
  const texts = t.connectionSettings
  const connection = app.state.connection.value
  const { address, key, replacing, tested, test } = form
  const isSame = connection.kind === 'external' && address.value === connection.baseUrl
  return (
    <div class="control-row wrap">
      <input
        id="service-key"
        class="field"
        type="password"
        autocomplete="off"
        readOnly={!replacing.value}
        placeholder={replacing.value ? t.notices.newKey : texts.keySaved}
        value={key.value}
        aria-invalid={tested.value?.ok === false}
        aria-describedby="service-key-hint"
        onInput={(event) => (key.value = event.currentTarget.value)}
      />
      {replacing.value ? (
        <>
          <Button label={texts.test} disabled={key.value === ''} onPress={() => void test()} />
          <Button
            submit
            label={isSame ? texts.keepKey : texts.use}
            kind="primary"
            disabled={key.value === ''}
          />
        </>
      ) : (
        <>
          <Button label={texts.replace} onPress={() => (replacing.value = true)} />
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
  )
}

/** The result of the last test or attempt to connect; before the first one, the current state of the connection. */
function Outcome({ form: { tested, connect } }: { readonly form: ReturnType<typeof useServiceForm> }) {
  const t = useSettingsTranslation()
  const texts = t.connectionSettings
  const result = tested.value
  if (result === null) return <StatusLine />
  return (
    <p class={`hint ${result.ok ? 'with-icon' : 'error'}`}>
      <Icon name={result.ok ? 'check' : 'warn'} class={result.ok ? 'status-icon success' : ''} />
      <span>
        {result.ok ? texts.testWorks({ version: result.version }) : t.keyTrouble[result.why]}
        {t.punctuation.betweenSentences}
        {!result.ok && result.why === 'noKeychain' && (
          <LinkButton label={t.notices.keepUntilQuit} onPress={() => void connect(true)} />
        )}
      </span>
    </p>
  )
}

function StatusLine() {
  const t = useSettingsTranslation()
  const texts = t.connectionSettings
  const connection = useApp().state.connection.value
  const { state, drive, kind } = connection
  if (kind !== 'external') return null
  const online = state.status === 'online'
  return (
    <p class="hint with-icon">
      <Icon name={online ? 'check' : 'warn'} class={`status-icon ${online ? 'success' : 'warning'}`} />
      <span>
        {online ? texts.works({ version: state.version }) : connectionLine(connection, t)}
        {t.punctuation.betweenSentences}
        {typeof drive?.email === 'string' && texts.driveAccount({ email: drive.email })}
      </span>
    </p>
  )
}
