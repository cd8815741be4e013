import { useSignal } from '@preact/signals'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import type { HookOutcome } from '../../shared/model/after-job.ts'
import { FORMAT_NAMES, MESSAGE_FORMATS, type MessageFormat } from '../../shared/model/message-formats.ts'
import { addressFault, isUnencrypted, receiverName, type AddressFault } from '../../shared/model/receiver.ts'
import { useApp, useSettingsTranslation } from '../store/app.ts'
import { FormDialog } from '../pickers/form-dialog.tsx'
import { Check, Select } from '../ui/form-controls.tsx'
import { Fault } from '../ui/fault.tsx'
import { OutcomeChecks } from './hook-fields.tsx'

/**
 * Adds or changes a receiver of messages. The window never gets the receiver's address and token, so both stay unchanged if both fields are
 * empty.
 */
export function ReceiverDialog(props: {
  /** null for a new one. */
  readonly id: string | null
  readonly onClose: () => void
}) {
  const { id, onClose } = props
  const t = useSettingsTranslation()
  const texts = t.receivers
  const form = useReceiverForm(id, onClose)
  const { known, format, url, token, on, mayBeUnencrypted, fault } = form
  const { token: tokens, example } = MESSAGE_FORMATS[format.value]
  const kept = known === undefined ? undefined : texts.kept
  return (
    <FormDialog
      title={known === undefined ? texts.addTitle : texts.changeTitle({ name: receiverName(known, t) })}
      submit={known === undefined ? texts.saveNew : texts.save}
      onSubmit={() => void form.save()}
      onClose={onClose}
    >
      <div class="dialog-body labeled">
        {known === undefined && (
          <>
            <label for="receiver-format">{texts.service}</label>
            <Select
              id="receiver-format"
              value={format.value}
              options={FORMAT_NAMES.map((value) => ({ value, label: MESSAGE_FORMATS[value].name }))}
              onChoose={(value) => form.choose(value)}
            />
          </>
        )}
        <label for="receiver-url">{texts.address}</label>
        <input
          id="receiver-url"
          class="field mono selectable"
          type="url"
          autocomplete="off"
          spellcheck={false}
          placeholder={kept ?? example}
          value={url.value}
          aria-invalid={fault.value !== null}
          aria-describedby={fault.value === null ? undefined : 'receiver-fault'}
          onInput={(event) => form.type(event.currentTarget.value)}
        />
        {tokens !== 'none' && (
          <>
            <label for="receiver-token">{tokens === 'required' ? texts.token : texts.optionalToken}</label>
            <input
              id="receiver-token"
              class="field mono selectable"
              type="password"
              autocomplete="off"
              placeholder={url.value === '' ? kept : undefined}
              value={token.value}
              onInput={(event) => (token.value = event.currentTarget.value)}
            />
          </>
        )}
        {isUnencrypted(url.value) && (
          <Check
            id="receiver-unencrypted"
            class="field-column"
            label={texts.unencrypted}
            checked={mayBeUnencrypted.value}
            onChange={(checked) => (mayBeUnencrypted.value = checked)}
          />
        )}
        <Fault id="receiver-fault" class="field-column" text={fault.value && faultWords(fault.value, t)} />
        <span>{texts.when}</span>
        <OutcomeChecks
          id="receiver"
          hooks={on.value === undefined ? {} : { on: on.value }}
          onChange={(change) => (on.value = change.on)}
          label={texts.when}
          none={texts.never}
        />
      </div>
    </FormDialog>
  )
}

type Fault = AddressFault | 'confirmFirst'

function faultWords(fault: Fault, t: SettingsTranslation): string {
  return fault === 'notAUrl' || fault === 'credentials' ? t.hookResult[fault] : t.receivers[fault]
}

function useReceiverForm(id: string | null, onClose: () => void) {
  const app = useApp()
  const known = app.state.settings.value.receivers.find((receiver) => receiver.id === id)
  const format = useSignal<MessageFormat>(known?.format ?? 'ntfy')
  const url = useSignal('')
  const token = useSignal('')
  const mayBeUnencrypted = useSignal(false)
  const on = useSignal<HookOutcome[] | undefined>(known?.on)
  const fault = useSignal<Fault | null>(null)

  function faultOf(text: string): Fault | null {
    const found = addressFault(format.value, text, token.value.trim())
    if (found !== undefined) return found
    return isUnencrypted(text) && !mayBeUnencrypted.value ? 'confirmFirst' : null
  }

  async function save(): Promise<void> {
    const text = url.value.trim()
    const isKept = known !== undefined && text === '' && token.value === ''
    fault.value = isKept ? null : faultOf(text)
    if (fault.value !== null) return
    const address = isKept
      ? null
      : { url: text, token: token.value.trim(), mayBeUnencrypted: mayBeUnencrypted.value }
    const change = { id, format: format.value, address, ...(on.value && { on: on.value }) }
    if (await app.succeeds(app.bridge.receivers.save(change))) onClose()
  }

  return {
    known,
    format,
    url,
    token,
    mayBeUnencrypted,
    on,
    fault,
    save,
    type(text: string): void {
      url.value = text
      fault.value = null
      mayBeUnencrypted.value = false
    },
    choose(chosen: MessageFormat): void {
      format.value = chosen
      fault.value = null
      token.value = ''
    },
  }
}
