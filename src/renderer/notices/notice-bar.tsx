import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { API_VERSION } from '../../shared/api/limits.ts'
import { type Dismissible, NOTICE_ORDER, type Notice } from '../../shared/model/notice.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { serviceNameOf, shortPath } from '../../shared/i18n/names.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { focusSoon, showSettings } from '../store/navigation.ts'
import { Button } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { endingLeft, endingSentence } from '../store/dates.ts'
import './notice-bar.css'

/** Shows the most urgent notice above both columns. */
export function NoticeBar() {
  const { state } = useApp()
  const notices = state.notices.value
  // Most jobs go to the main service.
  const own = notices.filter((notice) => serviceIn(notice) === undefined)
  const kind = NOTICE_ORDER.find((candidate) => own.some((notice) => notice.kind === candidate))
  const notice = own.find((candidate) => candidate.kind === kind) ?? notices[0]
  // The countdown is short, so other notices can wait.
  if (state.ending.value !== null) return <EndingBar />
  return notice === undefined ? null : <NoticeOf key={notice.kind} notice={notice} />
}

const serviceIn = (notice: Notice): string | undefined => ('service' in notice ? notice.service : undefined)

/** The trouble of another service than the main one. */
function OtherService({ notice, service }: { readonly notice: Notice; readonly service: string }) {
  const app = useApp()
  const t = useTranslation()
  const name = serviceNameOf(service, app.state.settings.value, t)
  const trouble = troubleOf(notice, t)
  const namesItself = notice.kind === 'builtInFailed' || notice.kind === 'noKeychain'
  return (
    <Bar icon="off" text={namesItself ? trouble : t.connection.ofService({ name, text: trouble })} hint="">
      {notice.kind === 'otherVersion' ? (
        <Button
          label={t.notices.goOn}
          onPress={() => void app.attempt(app.bridge.connection.acceptVersion(notice.version))}
        />
      ) : (
        <Button
          label={t.notices.tryAgain}
          kind="quiet"
          onPress={() => void app.attempt(app.bridge.services.check(service))}
        />
      )}
      <Button label={t.notices.openSettings} kind="quiet" onPress={() => showSettings(app, 'connection')} />
    </Bar>
  )
}

function troubleOf(notice: Notice, { notices }: WindowTranslation): string {
  switch (notice.kind) {
    case 'keyRejected':
      return notices.keyRejected
    case 'otherVersion':
      return notices.otherVersion({ version: notice.version })
    case 'noKeychain':
      return notice.trouble === 'locked' ? notices.keychainLocked : notices.noKeychain
    case 'builtInFailed':
      return notices.builtInFailed
    default:
      return notices.notRunning
  }
}

function NoticeOf({ notice }: { readonly notice: Notice }) {
  const service = serviceIn(notice)
  return service === undefined ? <OwnNotice notice={notice} /> : <OtherService {...{ notice, service }} />
}

function OwnNotice({ notice }: { readonly notice: Notice }) {
  const app = useApp()
  const t = useTranslation()
  const { bridge } = app
  const useBuiltIn = (quiet: boolean) => (
    <Button
      label={t.notices.useBuiltIn}
      kind={quiet ? 'quiet' : 'plain'}
      onPress={() => void app.attempt(bridge.connection.useBuiltIn())}
    />
  )
  const isBuiltIn = app.state.connection.value.kind === 'builtIn'
  switch (notice.kind) {
    case 'keyRejected':
      return (
        <Bar icon="key" bad text={t.notices.keyRejected} hint={t.notices.keyRejectedHint}>
          <KeyForm verb={t.notices.connect} />
        </Bar>
      )
    case 'notRunning':
      return (
        <Bar
          icon="off"
          text={t.notices.notRunning}
          hint={
            notice.waiting === 0 ? t.notices.startIt : t.notices.notRunningHint({ count: notice.waiting })
          }
        >
          {!isBuiltIn && useBuiltIn(false)}
          <Button
            label={t.notices.tryAgain}
            kind="quiet"
            onPress={() => void app.attempt(bridge.connection.retry())}
          />
        </Bar>
      )
    case 'otherVersion':
      return (
        <Bar
          icon="warn"
          text={t.notices.otherVersion({ version: notice.version })}
          hint={t.notices.otherVersionHint({ known: API_VERSION })}
        >
          <Button
            label={t.notices.goOn}
            onPress={() => void app.attempt(bridge.connection.acceptVersion(notice.version))}
          />
          {useBuiltIn(true)}
        </Bar>
      )
    case 'noKeychain':
      return (
        <Bar
          icon="lock"
          text={notice.trouble === 'locked' ? t.notices.keychainLocked : t.notices.noKeychain}
          hint={t.notices.noKeychainHint}
        >
          <SessionKey />
          {!isBuiltIn && useBuiltIn(true)}
        </Bar>
      )
    case 'dataGone':
      return (
        <Bar
          icon="warn"
          text={t.notices.dataGone}
          hint={t.notices.dataGoneHint({ folder: shortPath(notice.folder, app.facts.homeFolder) })}
        />
      )
    case 'dataNotWritten':
      return (
        <Bar
          icon="warn"
          text={t.notices.dataNotWritten}
          hint={t.dataNotWrittenHint[notice.why]({
            folder: shortPath(notice.folder, app.facts.homeFolder),
          })}
        />
      )
    case 'diskFull':
      return (
        <Bar
          icon="folder"
          text={t.notices.diskFull}
          hint={t.notices.diskFullHint({ folder: shortPath(notice.folder, app.facts.homeFolder) })}
        >
          <Button
            label={t.notices.showFolder}
            onPress={() => void app.attempt(bridge.files.reveal(notice.folder))}
          />
        </Bar>
      )
    case 'settingsDamaged':
    case 'settingsUnread':
    case 'memoryDamaged':
    case 'presetsDamaged':
      return (
        <Bar icon="warn" {...damageText(t, notice)}>
          <Button
            label={t.notices.goOn}
            onPress={() => void app.attempt(bridge.app.dismissNotice(notice.kind))}
          />
        </Bar>
      )
    case 'builtInFailed':
      return (
        <Bar
          icon="off"
          text={t.notices.builtInFailed}
          hint={notice.reason === '' ? '' : t.notices.builtInFailedHint({ reason: notice.reason })}
        >
          <Button label={t.notices.tryAgain} onPress={() => void app.attempt(bridge.connection.retry())} />
        </Bar>
      )
  }
}

type DamageNotice = Extract<Notice, { kind: Dismissible }>

/** Returns the text about damaged data, and what Mediatray does about it. */
function damageText(
  { notices, damaged, damagedHint }: WindowTranslation,
  notice: DamageNotice,
): { readonly text: string; readonly hint: string } {
  switch (notice.kind) {
    case 'settingsDamaged':
      return { text: notices.settingsDamaged, hint: notices.settingsDamagedHint({ file: notice.keptAs }) }
    case 'settingsUnread':
      return {
        text: notices.settingsUnread({ count: notice.names.length, names: notice.names.join(', ') }),
        hint: notices.settingsUnreadHint,
      }
    case 'presetsDamaged':
      return {
        text: notices.presetsDamaged({ count: notice.files.length, names: notice.files.join(', ') }),
        hint: notices.presetsDamagedHint,
      }
    case 'memoryDamaged':
      return {
        text: damaged[notice.what],
        hint: damagedHint[notice.what]({ file: notice.keptAs }),
      }
  }
}

function Bar(props: {
  readonly icon: IconName
  readonly text: string
  readonly hint: string
  /** Red, and announced immediately by screen readers. */
  readonly bad?: boolean
  readonly children?: ComponentChildren
}) {
  const { icon, text, hint, bad = false, children } = props
  const t = useTranslation()
  return (
    <section class={`notice ${bad ? 'error' : ''}`} data-region="notice" aria-label={t.notices.region}>
      <Icon name={icon} />
      <p role={bad ? 'alert' : 'status'}>
        <b>{text}</b> <span>{hint}</span>
      </p>
      {children && <div class="notice-actions">{children}</div>}
    </section>
  )
}

/** Asks for the key and keeps it only for this session, because no keychain is available. */
function SessionKey() {
  const t = useTranslation()
  const asks = useSignal(false)
  if (asks.value) return <KeyForm verb={t.notices.keepUntilQuit} forSession />
  return (
    <Button
      label={t.notices.keepUntilQuit}
      onPress={() => {
        asks.value = true
        focusSoon('#notice-key')
      }}
    />
  )
}

/** The form for a new key, shown inside the notice. */
function KeyForm({ verb, forSession = false }: { readonly verb: string; readonly forSession?: boolean }) {
  const app = useApp()
  const t = useTranslation()
  const key = useSignal('')
  const trouble = useSignal<string | null>(null)

  const connect = async (): Promise<void> => {
    if (key.value === '') {
      trouble.value = t.notices.enterKey
      return
    }
    const usable = app.state.connection.value.keychainTrouble === null
    const keep = usable && !forSession ? 'keychain' : 'session'
    const test = await app.attempt(app.bridge.connection.replaceKey({ key: key.value, keep }))
    if (test?.ok === false) trouble.value = t.keyTrouble[test.why]
  }

  return (
    <form
      class="notice-actions"
      onSubmit={(event) => {
        event.preventDefault()
        void connect()
      }}
    >
      <label class="visually-hidden" for="notice-key">
        {t.notices.keyField}
      </label>
      <input
        id="notice-key"
        class="field"
        type="password"
        autocomplete="off"
        placeholder={t.notices.newKey}
        value={key.value}
        aria-invalid={trouble.value !== null}
        aria-describedby={trouble.value === null ? undefined : 'notice-key-trouble'}
        onInput={(event) => {
          key.value = event.currentTarget.value
          trouble.value = null
        }}
      />
      <Button submit label={verb} kind="primary" />
      {trouble.value !== null && (
        <p id="notice-key-trouble" class="hint error">
          {trouble.value}
        </p>
      )}
    </form>
  )
}

/** Counts down to the action chosen for when all jobs are done. The announcer reads it only once. */
function EndingBar() {
  const app = useApp()
  const t = useTranslation()
  const { ending } = app.state
  const [second, setSecond] = useState(0)
  useEffect(() => {
    const left = endingLeft(app)
    if (left === 0) return undefined
    // Aligns to whole seconds, so that the countdown doesn't skip any.
    const timer = setTimeout(() => setSecond(second + 1), left % 1000 || 1000)
    return () => clearTimeout(timer)
  }, [second, ending.value])
  if (ending.value === null) return null
  return (
    <section class="notice info" data-region="notice" aria-label={t.notices.region}>
      <Icon name="check" />
      <p>
        <b role="timer">{endingSentence(app)}</b> <span>{t.ending.why}</span>
      </p>
      <div class="notice-actions">
        <Button
          label={ending.value.action === 'sleep' ? t.ending.stayAwake : t.ending.stayOpen}
          onPress={() => void app.attempt(app.bridge.app.stayOpen())}
        />
      </div>
    </section>
  )
}
