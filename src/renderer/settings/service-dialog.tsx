import { useSignal } from '@preact/signals'
import type { ConnectionTest } from '../../shared/model/connection.ts'
import { serviceNameOf } from '../../shared/i18n/names.ts'
import { LinkButton } from '../ui/button.tsx'
import { Check } from '../ui/form-controls.tsx'
import { FormDialog } from '../pickers/form-dialog.tsx'
import { useApp, useSettingsView } from '../store/app.ts'

export function ServiceDialog(props: {
  /** ID of the service; null for a new one. */
  readonly service: string | null
  readonly onClose: () => void
}) {
  const { service, onClose } = props
  const { app, t } = useSettingsView()
  const texts = t.connectionSettings
  const form = useServiceForm(service, onClose)
  const { address, name, key, seesFiles, refused } = form
  const title =
    service === null
      ? texts.addTitle
      : texts.changeTitle({ name: serviceNameOf(service, app.state.settings.value, t) })
  return (
    <FormDialog
      title={title}
      submit={service === null ? texts.add : texts.save}
      onSubmit={() => void form.save('keychain')}
      onClose={onClose}
    >
      <div class="dialog-body labeled">
        {service === null && <Field id="other-address" label={t.firstRun.address} value={address} mono />}
        {service !== 'builtIn' && (
          <Field
            id="other-key"
            label={t.firstRun.apiKey}
            value={key}
            isSecret
            hint={service === null ? undefined : texts.keySaved}
            isFaulty={refused.value !== null}
          />
        )}
        {refused.value !== null && (
          <p id="other-key-trouble" class="field-column hint error" role="alert">
            {t.keyTrouble[refused.value]}
            {t.punctuation.betweenSentences}
            {refused.value === 'noKeychain' && (
              <LinkButton label={t.notices.keepUntilQuit} onPress={() => void form.save('session')} />
            )}
          </p>
        )}
        <Field id="other-name" label={texts.name} value={name} hint={texts.nameHint} />
        {service !== null && service !== 'builtIn' && (
          <Check
            class="field-column"
            label={texts.seesFiles}
            checked={seesFiles.value}
            onChange={(checked) => (seesFiles.value = checked)}
          />
        )}
      </div>
    </FormDialog>
  )
}

const NO_KEY = { ok: false, why: 'badKey' } as const

type Refusal = Extract<ConnectionTest, { readonly ok: false }>['why']

function useServiceForm(service: string | null, onClose: () => void) {
  const app = useApp()
  const { serviceNames, otherServices } = app.state.settings.value
  const listed = otherServices.find((one) => one.service === service)
  const address = useSignal('')
  const key = useSignal('')
  const name = useSignal(serviceNames[service ?? ''] ?? '')
  const seesFiles = useSignal(listed?.seesFiles ?? true)
  const refused = useSignal<Refusal | null>(null)
  const { services } = app.bridge

  async function save(keep: 'keychain' | 'session'): Promise<void> {
    const chosen = { name: name.value, key: key.value }
    if (service === null || chosen.key !== '') {
      const added = { baseUrl: service ?? address.value, keep, ...chosen }
      const result = chosen.key === '' ? NO_KEY : await app.attempt(services.add(added))
      refused.value = result?.ok === false ? result.why : null
      if (result?.ok !== true) return
    } else await app.attempt(services.rename({ service, name: chosen.name }))
    if (listed !== undefined && seesFiles.value !== listed.seesFiles)
      await app.attempt(services.setSeesFiles({ service: listed.service, seesFiles: seesFiles.value }))
    onClose()
  }

  return { address, key, name, seesFiles, refused, save }
}

function Field(props: {
  readonly id: string
  readonly label: string
  readonly value: { value: string }
  readonly isSecret?: boolean
  readonly mono?: boolean
  readonly hint?: string | undefined
  readonly isFaulty?: boolean
}) {
  const { id, label, value, isSecret = false, mono = false, hint, isFaulty = false } = props
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        class={`field selectable ${mono ? 'mono' : ''}`}
        {...(isSecret ? { type: 'password' } : { type: 'text' })}
        autocomplete="off"
        spellcheck={false}
        placeholder={hint}
        value={value.value}
        aria-invalid={isFaulty}
        aria-describedby={isFaulty ? `${id}-trouble` : undefined}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </>
  )
}
