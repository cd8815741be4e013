import { addressOf } from '../../shared/model/connection.ts'
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { DEFAULT_BASE_URL } from '../../shared/api/limits.ts'
import type { FoundService } from '../../shared/model/connection.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { Button, LinkButton, IconButton } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { useApp, useSettingsTranslation, useSettingsView } from '../store/app.ts'
import './first-run.css'

type Service = 'external' | 'builtIn'
/** Asks a new user which service to use. Mediatray can't be used before the user has chosen one. */
export function FirstRun() {
  return useApp().settingsWords() === null ? null : <FirstQuestion />
}

function FirstQuestion() {
  const t = useSettingsTranslation()
  const form = useFirstRun()
  const { found, choice, choose, customAddress, busy } = form
  return (
    <main class="first-run">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void form.goOn(false)
        }}
      >
        <AppMark />
        <h1>{t.firstRun.title}</h1>
        <p>{t.firstRun.intro}</p>
        <fieldset>
          <legend class="visually-hidden">{t.firstRun.choices}</legend>
          <ExternalChoice form={form} />
          <Choice
            name="service"
            label={t.firstRun.builtIn}
            hint={t.firstRun.builtInHint}
            checked={choice.value === 'builtIn'}
            // The built-in service is selected initially. Confirming it counts as the user's choice, too.
            onChoose={() => choose('builtIn')}
          />
        </fieldset>
        <div class="first-run-actions">
          {found.value?.kind === 'service' ? (
            <LinkButton
              label={t.firstRun.otherAddress}
              onPress={() => {
                customAddress.value = true
                choose('external')
              }}
            />
          ) : (
            <LinkButton label={t.firstRun.lookAgain} onPress={() => void form.look()} />
          )}
          <Button submit label={t.firstRun.goOn} kind="primary" large busy={busy.value} />
        </div>
      </form>
    </main>
  )
}

function useFirstRun() {
  const { app, t } = useSettingsView()
  /** null while the search is running. */
  const found = useSignal<FoundService | null>(null)
  const choice = useSignal<Service>('builtIn')
  const isChosenByHand = useRef(false)
  /** Whether the user enters an address. Otherwise, the form uses the default address, where the search looked for a service. */
  const customAddress = useSignal(false)
  const baseUrl = useSignal(DEFAULT_BASE_URL)
  const key = useSignal('')
  const trouble = useSignal<string | null>(null)
  /** Whether the key couldn't be stored in a keychain. The form then offers to keep the key for this session. */
  const keychainFailed = useSignal(false)
  const busy = useSignal(false)

  const look = async (): Promise<void> => {
    found.value = null
    isChosenByHand.current = false
    const answer = await app.attempt(app.bridge.connection.discover())
    if (!answer) return
    found.value = answer
    // The search takes up to two seconds. Keep what the user has chosen or typed meanwhile.
    if (isChosenByHand.current) return
    baseUrl.value = answer.baseUrl
    choice.value = answer.kind === 'service' ? 'external' : 'builtIn'
  }

  const choose = (service: Service): void => {
    isChosenByHand.current = true
    choice.value = service
  }
  // Search before the first paint, because a new search discards what the user has already chosen.
  useLayoutEffect(() => void look(), [])

  async function takeExternal(forSession: boolean): Promise<void> {
    const usable = app.state.connection.value.keychainTrouble === null
    const keep = usable && !forSession ? 'keychain' : 'session'
    const test = await app.attempt(
      app.bridge.connection.useExternal({ baseUrl: baseUrl.value, key: key.value, keep }),
    )
    if (test?.ok !== false) return
    trouble.value = t.keyTrouble[test.why]
    keychainFailed.value = test.why === 'noKeychain'
  }

  const goOn = async (forSession: boolean): Promise<void> => {
    if (busy.peek()) return
    trouble.value = null
    keychainFailed.value = false
    busy.value = true
    choose(choice.value)
    if (choice.value === 'builtIn') await app.attempt(app.bridge.connection.useBuiltIn())
    else if (key.value === '') trouble.value = t.notices.enterKey
    else await takeExternal(forSession)
    busy.value = false
  }

  return { found, choice, choose, customAddress, baseUrl, key, trouble, keychainFailed, busy, look, goOn }
}

function ExternalChoice({ form }: { readonly form: ReturnType<typeof useFirstRun> }) {
  const t = useSettingsTranslation()
  const { found, choice, choose, customAddress } = form
  const isThere = found.value?.kind === 'service'
  const isChosen = choice.value === 'external'
  return (
    <Choice
      name="service"
      label={isThere ? t.firstRun.running : t.firstRun.another}
      hint={<span role="status">{foundSentence(found.value, t)}</span>}
      checked={isChosen}
      onChoose={() => {
        choose('external')
        customAddress.value ||= !isThere
      }}
    >
      {(isChosen || isThere) && <ExternalFields form={form} />}
    </Choice>
  )
}

function ExternalFields({ form }: { readonly form: ReturnType<typeof useFirstRun> }) {
  const t = useSettingsTranslation()
  const { choose, customAddress, baseUrl, key, trouble, keychainFailed } = form
  return (
    <div class="choice-fields">
      {customAddress.value && (
        <>
          <label for="address" class="hint">
            {t.firstRun.address}
          </label>
          <input
            id="address"
            class="field large mono selectable"
            autocomplete="off"
            spellcheck={false}
            value={baseUrl.value}
            onInput={(event) => {
              baseUrl.value = event.currentTarget.value
              choose('external')
            }}
          />
        </>
      )}
      <KeyField
        value={key.value}
        trouble={trouble.value}
        onInput={(value) => {
          key.value = value
          trouble.value = null
          keychainFailed.value = false
          choose('external')
        }}
      />
      {keychainFailed.value && (
        <LinkButton label={t.notices.keepUntilQuit} onPress={() => void form.goOn(true)} />
      )}
    </div>
  )
}

function foundSentence(service: FoundService | null, t: SettingsTranslation): string {
  if (service === null) return t.firstRun.looking
  const address = addressOf(service.baseUrl)
  switch (service.kind) {
    case 'service':
      return t.firstRun.foundAt({ address, version: service.version })
    case 'nothing':
      return t.firstRun.nothingAt({ address })
    case 'somethingElse':
      return t.firstRun.somethingElse({ address })
  }
}

/** The app's logo: a photo above the tray. */
function AppMark() {
  return (
    <svg class="logo" viewBox="100 100 824 824" aria-hidden="true">
      <rect class="logo-background" x="100" y="100" width="824" height="824" rx="186" />
      <rect class="logo-photo" x="382" y="250" width="260" height="260" rx="44" />
      <path
        class="logo-hill"
        d="M420 452l72-92a18 18 0 0 1 28 0l34 43 20-24a18 18 0 0 1 28 0l30 37v32a24 24 0 0 1-24 24H444a24 24 0 0 1-24-20z"
      />
      <circle class="logo-hill" cx="586" cy="322" r="26" />
      <path class="logo-tray" d="M216 478h76v160a92 92 0 0 0 92 92h256a92 92 0 0 0 92-92V478h76" />
    </svg>
  )
}

const SHOWN = { type: 'text' } as const
const HIDDEN = { type: 'password' } as const

/** A key field that can show its text, with a hint or an error below. */
function KeyField(props: {
  readonly value: string
  readonly trouble: string | null
  readonly onInput: (value: string) => void
}) {
  const { value, trouble, onInput } = props
  const { app, t } = useSettingsView()
  const shown = useSignal(false)
  const session = app.state.connection.value.keychainTrouble !== null
  return (
    <>
      <label for="first-key" class="hint">
        {t.firstRun.apiKey}
      </label>
      <div class="field-with-icon">
        <input
          id="first-key"
          class="field large"
          {...(shown.value ? SHOWN : HIDDEN)}
          autocomplete="off"
          spellcheck={false}
          value={value}
          aria-invalid={trouble !== null}
          aria-describedby="first-key-hint"
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        <IconButton
          icon="eye"
          label={shown.value ? t.firstRun.hideKey : t.firstRun.showKey}
          pressed={shown.value}
          onPress={() => (shown.value = !shown.value)}
        />
      </div>
      <p id="first-key-hint" class={`hint ${trouble === null ? '' : 'error'}`}>
        {trouble ?? (session ? t.firstRun.keyHintSession : t.firstRun.keyHint)}
      </p>
    </>
  )
}
