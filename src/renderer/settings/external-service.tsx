import { useSignal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { ConnectionTest } from '../../shared/model/connection.ts'
import { connectionLine } from '../../shared/i18n/sentences.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useTranslation } from '../store/app.ts'

type ServiceForm = {
  readonly address: Signal<string>
  readonly key: Signal<string>
  /** The saved key is never shown: it stays, or another one is typed. */
  readonly replacing: Signal<boolean>
  readonly tested: Signal<ConnectionTest | null>
  readonly connect: (forSession?: boolean) => Promise<void>
  readonly test: () => Promise<void>
}

type FormProps = { readonly form: ServiceForm }

/** Address and key of a service that somebody else's app runs. */
export function ExternalService() {
  const t = useTranslation()
  const connection = useApp().state.connection.value
  const form = useServiceForm()
  const { address, key, replacing } = form
  return (
    <form
      class="more labelled"
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
      <KeyLine form={form} />
      {!replacing.value && (
        <p class="wide hint with">
          <Icon name="lock" />
          <span>
            {connection.key === 'session' ? t.connectionSettings.inSession : t.connectionSettings.inKeychain}
          </span>
        </p>
      )}
      <div id="service-key-hint" class="wide" role="status">
        <Outcome form={form} />
      </div>
    </form>
  )
}

function useServiceForm(): ServiceForm {
  const app = useApp()
  const connection = app.state.connection.value
  const saved = connection.kind === 'external' && connection.key !== 'none'
  const address = useSignal(connection.baseUrl)
  const key = useSignal('')
  const replacing = useSignal(!saved)
  const tested = useSignal<ConnectionTest | null>(null)
  return {
    address,
    key,
    replacing,
    tested,
    async connect(forSession = false) {
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
    async test() {
      tested.value =
        (await app.attempt(app.bridge.connection.test({ baseUrl: address.value, key: key.value }))) ?? null
    },
  }
}

function KeyLine({ form }: FormProps) {
  const app = useApp()
  const t = useTranslation()
  const texts = t.connectionSettings
  const connection = app.state.connection.value
  const { address, key, replacing, tested, test } = form
  return (
    <div class="line wraps">
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
  )
}

/** What came of the last try; before one, how it stands with the service in use. */
function Outcome({ form: { tested, connect } }: FormProps) {
  const t = useTranslation()
  const texts = t.connectionSettings
  const result = tested.value
  if (result === null) return <StatusLine />
  return (
    <p class={`hint ${result.ok ? 'with' : 'bad'}`}>
      <Icon name={result.ok ? 'check' : 'warn'} class={result.ok ? 'sign good' : ''} />
      <span>
        {result.ok ? texts.testWorks({ version: result.version }) : t.keyTrouble[result.why]}{' '}
        {!result.ok && result.why === 'noKeychain' && (
          <LinkButton label={t.notices.keepUntilQuit} onPress={() => void connect(true)} />
        )}
      </span>
    </p>
  )
}

function StatusLine() {
  const t = useTranslation()
  const texts = t.connectionSettings
  const connection = useApp().state.connection.value
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
