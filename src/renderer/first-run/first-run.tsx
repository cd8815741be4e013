import { useSignal, type ReadonlySignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { DEFAULT_BASE_URL } from '../../shared/api/limits.ts'
import type { FoundService } from '../../shared/model/connection.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { LinkButton, IconButton } from '../ui/button.tsx'
import { useApp, useTranslation } from '../store/app.ts'

type Service = 'external' | 'builtIn'

type FirstRunForm = {
  /** null: still being looked for. */
  readonly found: Signal<FoundService | null>
  readonly choice: ReadonlySignal<Service>
  readonly choose: (service: Service) => void
  /** The address is typed instead of the one where something was looked for. */
  readonly ownAddress: Signal<boolean>
  readonly baseUrl: Signal<string>
  readonly key: Signal<string>
  readonly trouble: Signal<string | null>
  /** The key that was typed could not be put into a keychain: whether it is kept without one is asked. */
  readonly unkept: Signal<boolean>
  readonly busy: Signal<boolean>
  readonly look: () => Promise<void>
  readonly goOn: (forSession: boolean) => Promise<void>
}

type FormProps = { readonly form: FirstRunForm }

/** Who does the work? The only question that is asked before anything can be done. */
export function FirstRun() {
  const t = useTranslation()
  const form = useFirstRun()
  const { found, choose, ownAddress, busy } = form
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
          <legend class="sr">{t.firstRun.choices}</legend>
          <ExternalChoice form={form} />
          <BuiltInChoice form={form} />
        </fieldset>
        <div class="end">
          {found.value?.kind === 'service' ? (
            <LinkButton
              label={t.firstRun.otherAddress}
              onPress={() => {
                ownAddress.value = true
                choose('external')
              }}
            />
          ) : (
            <LinkButton label={t.firstRun.lookAgain} onPress={() => void form.look()} />
          )}
          <button type="submit" class="btn main large" disabled={busy.value}>
            {t.firstRun.goOn}
          </button>
        </div>
      </form>
    </main>
  )
}

function useFirstRun(): FirstRunForm {
  const app = useApp()
  const t = useTranslation()
  const found = useSignal<FoundService | null>(null)
  const choice = useSignal<Service>('builtIn')
  const isChosenByHand = useRef(false)
  const ownAddress = useSignal(false)
  const baseUrl = useSignal(DEFAULT_BASE_URL)
  const key = useSignal('')
  const trouble = useSignal<string | null>(null)
  const unkept = useSignal(false)
  const busy = useSignal(false)

  const look = async (): Promise<void> => {
    found.value = null
    isChosenByHand.current = false
    const answer = await app.attempt(app.bridge.connection.discover())
    if (!answer) return
    found.value = answer
    // Looking takes up to two seconds: what the person chose or typed meanwhile stands.
    if (isChosenByHand.current) return
    baseUrl.value = answer.baseUrl
    choice.value = answer.kind === 'service' ? 'external' : 'builtIn'
  }

  const choose = (service: Service): void => {
    isChosenByHand.current = true
    choice.value = service
  }
  useEffect(() => void look(), [])

  async function takeExternal(forSession: boolean): Promise<void> {
    const usable = app.state.connection.value.keychainTrouble === null
    const keep = usable && !forSession ? 'keychain' : 'session'
    const test = await app.attempt(
      app.bridge.connection.useExternal({ baseUrl: baseUrl.value, key: key.value, keep }),
    )
    if (test?.ok !== false) return
    trouble.value = t.keyTrouble[test.why]
    unkept.value = test.why === 'noKeychain'
  }

  const goOn = async (forSession: boolean): Promise<void> => {
    trouble.value = null
    unkept.value = false
    busy.value = true
    choose(choice.value)
    if (choice.value === 'builtIn') await app.attempt(app.bridge.connection.useBuiltIn())
    else if (key.value === '') trouble.value = t.firstRun.enterKey
    else await takeExternal(forSession)
    busy.value = false
  }

  return { found, choice, choose, ownAddress, baseUrl, key, trouble, unkept, busy, look, goOn }
}

function ExternalChoice({ form }: FormProps) {
  const t = useTranslation()
  const { found, choice, choose, ownAddress } = form
  const isThere = found.value?.kind === 'service'
  const isChosen = choice.value === 'external'
  return (
    <div class="choice">
      <label class="check">
        <input
          type="radio"
          name="service"
          checked={isChosen}
          onChange={() => {
            choose('external')
            ownAddress.value ||= !isThere
          }}
        />
        <span>
          <b>{isThere ? t.firstRun.running : t.firstRun.another}</b>
          <span class="hint num" role="status">
            {foundSentence(found.value, t)}
          </span>
        </span>
      </label>
      {(isChosen || isThere) && <ExternalFields form={form} />}
    </div>
  )
}

function ExternalFields({ form }: FormProps) {
  const t = useTranslation()
  const { choose, ownAddress, baseUrl, key, trouble, unkept } = form
  return (
    <div class="more">
      {ownAddress.value && (
        <>
          <label for="address" class="hint">
            {t.firstRun.address}
          </label>
          <input
            id="address"
            class="field tall mono pick"
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
          unkept.value = false
          choose('external')
        }}
      />
      {unkept.value && <LinkButton label={t.notices.keepUntilQuit} onPress={() => void form.goOn(true)} />}
    </div>
  )
}

function BuiltInChoice({ form }: FormProps) {
  const t = useTranslation()
  return (
    <div class="choice">
      <label class="check">
        <input
          type="radio"
          name="service"
          checked={form.choice.value === 'builtIn'}
          // It is checked from the beginning: a click says that it shall stay so, and changes nothing.
          onClick={() => form.choose('builtIn')}
        />
        <span>
          <b>{t.firstRun.builtIn}</b>
          <span class="hint">{t.firstRun.builtInHint}</span>
        </span>
      </label>
    </div>
  )
}

function foundSentence(service: FoundService | null, t: WindowTranslation): string {
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

const addressOf = (baseUrl: string): string => (URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl)

/** The sign of the app: a photo above the tray. */
function AppMark() {
  return (
    <svg class="mark app-mark" viewBox="100 100 824 824" aria-hidden="true">
      <rect class="ground" x="100" y="100" width="824" height="824" rx="186" />
      <rect class="photo" x="382" y="250" width="260" height="260" rx="44" />
      <path
        class="hill"
        d="M420 452l72-92a18 18 0 0 1 28 0l34 43 20-24a18 18 0 0 1 28 0l30 37v32a24 24 0 0 1-24 24H444a24 24 0 0 1-24-20z"
      />
      <circle class="hill" cx="586" cy="322" r="26" />
      <path class="u" d="M216 478h76v160a92 92 0 0 0 92 92h256a92 92 0 0 0 92-92V478h76" />
    </svg>
  )
}

const SHOWN = { type: 'text' } as const
const HIDDEN = { type: 'password' } as const

type KeyFieldProps = {
  readonly value: string
  readonly trouble: string | null
  readonly onInput: (value: string) => void
}

/** Shown or hidden while it is typed; below it where it is kept, or what is wrong with it. */
function KeyField({ value, trouble, onInput }: KeyFieldProps) {
  const app = useApp()
  const t = useTranslation()
  const shown = useSignal(false)
  const session = app.state.connection.value.keychainTrouble !== null
  return (
    <>
      <label for="first-key" class="hint">
        {t.firstRun.apiKey}
      </label>
      <div class="with-icon">
        <input
          id="first-key"
          class="field tall"
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
          onPress={() => {
            shown.value = !shown.value
          }}
        />
      </div>
      <p id="first-key-hint" class={`hint ${trouble === null ? '' : 'bad'}`}>
        {trouble ?? (session ? t.firstRun.keyHintSession : t.firstRun.keyHint)}
      </p>
    </>
  )
}
