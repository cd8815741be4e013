import { useSignal } from '@preact/signals'
import { IconButton } from '../ui/button.tsx'
import { useApp, useTranslation } from '../store/app.ts'

const SHOWN = { type: 'text' } as const
const HIDDEN = { type: 'password' } as const

type KeyFieldProps = {
  readonly value: string
  readonly trouble: string | null
  readonly onInput: (value: string) => void
}

/** Shown or hidden while it is typed; below it where it is kept, or what is wrong with it. */
export function KeyField({ value, trouble, onInput }: KeyFieldProps) {
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
