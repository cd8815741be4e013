import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { API_VERSION } from '../../shared/api/limits.ts'
import { NOTICE_ORDER } from '../../shared/model/notice.ts'
import type { Notice } from '../../shared/model/notice.ts'
import { shortPath } from '../../shared/i18n/index.ts'
import { useApp, useWords } from '../store/app.ts'
import { focusSoon } from '../store/navigation.ts'
import { Button } from '../ui/button.tsx'
import { EndingBar } from './ending-bar.tsx'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon.tsx'

/** Over both columns, one at a time: the first in the order of urgency. */
export function NoticeBar() {
  const { state } = useApp()
  const notices = state.notices.value
  const kind = NOTICE_ORDER.find((candidate) => notices.some((notice) => notice.kind === candidate))
  const notice = notices.find((candidate) => candidate.kind === kind)
  // It is short and passes by; what else there is to say comes after it.
  if (state.ending.value !== null) return <EndingBar />
  return notice === undefined ? null : <NoticeOf key={notice.kind} notice={notice} />
}

function NoticeOf({ notice }: { readonly notice: Notice }) {
  const app = useApp()
  const { w } = useWords()
  const { bridge } = app
  const useBuiltIn = (quiet: boolean) => (
    <Button
      label={w.notices.useBuiltIn}
      kind={quiet ? 'quiet' : 'plain'}
      onPress={() => void app.attempt(bridge.connection.useBuiltIn())}
    />
  )
  const isBuiltIn = app.state.connection.value.kind === 'builtIn'
  switch (notice.kind) {
    case 'keyRejected':
      return (
        <Bar icon="key" bad says={w.notices.keyRejected} hint={w.notices.keyRejectedHint}>
          <KeyForm verb={w.notices.connect} />
        </Bar>
      )
    case 'notRunning':
      return (
        <Bar
          icon="off"
          says={w.notices.notRunning}
          hint={
            notice.waiting === 0 ? w.notices.startIt : w.notices.notRunningHint({ count: notice.waiting })
          }
        >
          {!isBuiltIn && useBuiltIn(false)}
          <Button
            label={w.notices.tryAgain}
            kind="quiet"
            onPress={() => void app.attempt(bridge.connection.retry())}
          />
        </Bar>
      )
    case 'otherVersion':
      return (
        <Bar
          icon="warn"
          says={w.notices.otherVersion({ version: notice.version })}
          hint={w.notices.otherVersionHint({ known: API_VERSION })}
        >
          <Button
            label={w.notices.goOn}
            onPress={() => void app.attempt(bridge.connection.acceptVersion(notice.version))}
          />
          {useBuiltIn(true)}
        </Bar>
      )
    case 'noKeychain':
      return (
        <Bar
          icon="lock"
          says={notice.trouble === 'locked' ? w.notices.keychainLocked : w.notices.noKeychain}
          hint={w.notices.noKeychainHint}
        >
          <SessionKey />
          {!isBuiltIn && useBuiltIn(true)}
        </Bar>
      )
    case 'diskFull':
      return (
        <Bar
          icon="folder"
          says={w.notices.diskFull}
          hint={w.notices.diskFullHint({ folder: shortPath(notice.folder, app.facts.homeFolder) })}
        >
          <Button
            label={w.notices.showFolder}
            onPress={() => void app.attempt(bridge.files.reveal(notice.folder))}
          />
        </Bar>
      )
    case 'memoryDamaged':
      return (
        <Bar
          icon="warn"
          says={w.notices.memoryDamaged}
          hint={w.notices.memoryDamagedHint({ file: notice.keptAs })}
        >
          <Button
            label={w.notices.goOn}
            onPress={() => void app.attempt(bridge.app.dismissNotice('memoryDamaged'))}
          />
        </Bar>
      )
    case 'builtInFailed':
      return (
        <Bar icon="off" says={w.notices.builtInFailed} hint={notice.reason}>
          <Button label={w.notices.tryAgain} onPress={() => void app.attempt(bridge.connection.retry())} />
        </Bar>
      )
  }
}

type BarProps = {
  readonly icon: IconName
  readonly says: string
  readonly hint: string
  /** Red, and said at once by a screen reader. */
  readonly bad?: boolean
  readonly children?: ComponentChildren
}

function Bar({ icon, says, hint, bad = false, children }: BarProps) {
  const { w } = useWords()
  return (
    <section class={`notice ${bad ? 'bad' : ''}`} aria-label={w.notices.region}>
      <Icon name={icon} />
      <p role={bad ? 'alert' : 'status'}>
        <b>{says}</b> <span>{hint}</span>
      </p>
      {children && <div class="act">{children}</div>}
    </section>
  )
}

/** Without a keychain the key is asked for where that is said, and kept for this session. */
function SessionKey() {
  const { w } = useWords()
  const asks = useSignal(false)
  if (asks.value) return <KeyForm verb={w.notices.keepUntilQuit} forSession />
  return (
    <Button
      label={w.notices.keepUntilQuit}
      onPress={() => {
        asks.value = true
        focusSoon('#notice-key')
      }}
    />
  )
}

type KeyFormProps = { readonly verb: string; readonly forSession?: boolean }

/** The place for the new key is in the notice itself. */
function KeyForm({ verb, forSession = false }: KeyFormProps) {
  const app = useApp()
  const { w } = useWords()
  const key = useSignal('')
  const trouble = useSignal<string | null>(null)

  const connect = async (): Promise<void> => {
    if (key.value === '') {
      trouble.value = w.firstRun.enterKey
      return
    }
    const usable = app.state.connection.value.keychainTrouble === null
    const keep = usable && !forSession ? 'keychain' : 'session'
    const test = await app.attempt(app.bridge.connection.replaceKey({ key: key.value, keep }))
    if (test?.ok === false) trouble.value = w.keyTrouble[test.why]
  }

  return (
    <form
      class="act"
      onSubmit={(event) => {
        event.preventDefault()
        void connect()
      }}
    >
      <label class="sr" for="notice-key">
        {w.notices.keyField}
      </label>
      <input
        id="notice-key"
        class="field"
        type="password"
        autocomplete="off"
        placeholder={w.notices.newKey}
        value={key.value}
        aria-invalid={trouble.value !== null}
        aria-describedby={trouble.value === null ? undefined : 'notice-key-trouble'}
        onInput={(event) => {
          key.value = event.currentTarget.value
          trouble.value = null
        }}
      />
      <button type="submit" class="btn main">
        {verb}
      </button>
      {trouble.value !== null && (
        <p id="notice-key-trouble" class="hint bad">
          {trouble.value}
        </p>
      )}
    </form>
  )
}
