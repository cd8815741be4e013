import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { API_VERSION } from '../../shared/api/limits.ts'
import { type Dismissible, NOTICE_ORDER, type Notice } from '../../shared/model/notice.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { serviceNameOf, shortPath } from '../../shared/i18n/names.ts'
import { type App, useApp, useTranslation, useWindow } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { showSetting } from '../store/navigation.ts'
import { Button } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { endingLeft, endingSentence } from '../store/dates.ts'
import './notice-bar.css'

/** Shows the countdown, if there is one, or the most urgent notice above both columns. */
export function NoticeBar() {
  const { state } = useApp()
  const notices = state.notices.value
  // Notices about other services come last, because most jobs go to the main service.
  const own = notices.filter((notice) => serviceIn(notice) === undefined)
  const kind = NOTICE_ORDER.find((candidate) => own.some((notice) => notice.kind === candidate))
  const notice = own.find((candidate) => candidate.kind === kind) ?? notices[0]
  // The countdown is short, so other notices can wait.
  if (state.ending.value !== null) return <EndingBar />
  return notice === undefined ? null : <NoticeOf key={notice.kind} notice={notice} />
}

const serviceIn = (notice: Notice): string | undefined => ('service' in notice ? notice.service : undefined)

type View = {
  readonly icon: IconName
  readonly text: string
  readonly hint: string
  /** Whether the notice is red, and screen readers announce it immediately. */
  readonly bad?: boolean
  readonly children?: ComponentChildren
}
type ByKind = { readonly [Kind in Notice['kind']]: Extract<Notice, { readonly kind: Kind }> }

const VIEWS: {
  readonly [Kind in Notice['kind']]: (notice: ByKind[Kind], t: WindowTranslation, app: App) => View
} = {
  keyRejected: (_, { notices: t }) => ({
    icon: 'key',
    bad: true,
    text: t.keyRejected,
    hint: t.keyRejectedHint,
    children: <KeyForm verb={t.connect} />,
  }),
  notRunning: ({ waiting }, { notices: t }, app) => ({
    icon: 'off',
    text: t.notRunning,
    hint: waiting === 0 ? t.startIt : t.notRunningHint({ count: waiting }),
    children: (
      <>
        {!isBuiltIn(app) && <UseBuiltIn />}
        <Act kind="quiet" label={t.tryAgain} act={() => app.bridge.connection.retry()} />
      </>
    ),
  }),
  otherVersion: ({ version }, { notices: t }, app) => ({
    icon: 'warn',
    text: t.otherVersion({ version }),
    hint: t.otherVersionHint({ known: API_VERSION }),
    children: (
      <>
        <Act label={t.goOn} act={() => app.bridge.connection.acceptVersion(version)} />
        <UseBuiltIn kind="quiet" />
      </>
    ),
  }),
  noKeychain: ({ trouble }, { notices: t }, app) => ({
    icon: 'lock',
    text: trouble === 'locked' ? t.keychainLocked : t.noKeychain,
    hint: t.noKeychainHint,
    children: (
      <>
        <SessionKey />
        {!isBuiltIn(app) && <UseBuiltIn kind="quiet" />}
      </>
    ),
  }),
  dataGone: ({ folder }, { notices: t }, { facts }) => ({
    icon: 'warn',
    text: t.dataGone,
    hint: t.dataGoneHint({ folder: shortPath(folder, facts.homeFolder) }),
  }),
  dataNotWritten: ({ folder, why }, { notices: t, dataNotWrittenHint }, { facts }) => ({
    icon: 'warn',
    text: t.dataNotWritten,
    hint: dataNotWrittenHint[why]({ folder: shortPath(folder, facts.homeFolder) }),
  }),
  diskFull: ({ folder }, { notices: t }, { bridge, facts }) => ({
    icon: 'folder',
    text: t.diskFull,
    hint: t.diskFullHint({ folder: shortPath(folder, facts.homeFolder) }),
    children: <Act label={t.showFolder} act={() => bridge.files.reveal(folder)} />,
  }),
  settingsDamaged: ({ kind, keptAs }, { notices: t }) => ({
    icon: 'warn',
    text: t.settingsDamaged,
    hint: t.settingsDamagedHint({ file: keptAs }),
    children: <Dismiss kind={kind} />,
  }),
  settingsUnread: ({ kind, names }, { notices: t, listed }) => ({
    icon: 'warn',
    text: t.settingsUnread({ count: names.length, names: listed(names) }),
    hint: t.settingsUnreadHint,
    children: <Dismiss kind={kind} />,
  }),
  memoryDamaged: ({ kind, what, withHistory, keptAs }, { damaged, damagedHint }) => ({
    icon: 'warn',
    text: damaged[what],
    hint: damagedHint[withHistory === true ? 'history' : what]({ file: keptAs }),
    children: <Dismiss kind={kind} />,
  }),
  presetsDamaged: ({ kind, files }, { notices: t, listed }) => ({
    icon: 'warn',
    text: t.presetsDamaged({ count: files.length, names: listed(files) }),
    hint: t.presetsDamagedHint,
    children: <Dismiss kind={kind} />,
  }),
  builtInFailed: ({ reason }, { notices: t }, app) => ({
    icon: 'off',
    text: t.builtInFailed,
    hint: reason === '' ? '' : t.builtInFailedHint({ reason }),
    children: <Act label={t.tryAgain} act={() => app.bridge.connection.retry()} />,
  }),
}

const viewOf = <Kind extends Notice['kind']>(
  kind: Kind,
  notice: ByKind[Kind],
  t: WindowTranslation,
  app: App,
): View => VIEWS[kind](notice, t, app)

const isBuiltIn = ({ state }: App): boolean => state.connection.value.kind === 'builtIn'

function NoticeOf({ notice }: { readonly notice: Notice }) {
  const { app, t } = useWindow()
  const view = viewOf(notice.kind, notice, t, app)
  const service = serviceIn(notice)
  return service === undefined ? <Bar {...view} /> : <OtherService {...{ notice, service, ...view }} />
}

function OtherService(props: { readonly notice: Notice; readonly service: string; readonly text: string }) {
  const { notice, service, text } = props
  const { app, t } = useWindow()
  const name = serviceNameOf(service, app.state.settings.value, t)
  const namesItself = notice.kind === 'builtInFailed' || notice.kind === 'noKeychain'
  return (
    <Bar icon="off" text={namesItself ? text : t.connection.ofService({ name, text })} hint="">
      {notice.kind === 'otherVersion' ? (
        <Act label={t.notices.goOn} act={() => app.bridge.connection.acceptVersion(notice.version)} />
      ) : (
        <Act label={t.notices.tryAgain} kind="quiet" act={() => app.bridge.services.check(service)} />
      )}
      <Button
        label={t.notices.openSettings}
        kind="quiet"
        onPress={() => showSetting(app, 'service', '#other-services')}
      />
    </Bar>
  )
}

type ActKind = 'plain' | 'quiet'

function Act(props: {
  readonly label: string
  readonly kind?: ActKind
  readonly act: () => Promise<unknown>
}) {
  const { label, kind = 'plain', act } = props
  const app = useApp()
  return <Button label={label} kind={kind} onPress={() => void app.attempt(act())} />
}

function UseBuiltIn({ kind = 'plain' }: { readonly kind?: ActKind }) {
  const { bridge } = useApp()
  return (
    <Act label={useTranslation().notices.useBuiltIn} kind={kind} act={() => bridge.connection.useBuiltIn()} />
  )
}

function Dismiss({ kind }: { readonly kind: Dismissible }) {
  const { bridge } = useApp()
  return <Act label={useTranslation().notices.goOn} act={() => bridge.app.dismissNotice(kind)} />
}

function Bar({ icon, text, hint, bad = false, children }: View) {
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
        focusOnceShown('#notice-key')
      }}
    />
  )
}

function KeyForm({ verb, forSession = false }: { readonly verb: string; readonly forSession?: boolean }) {
  const { app, t } = useWindow()
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

/** Counts down to the action that follows when all jobs are done. The announcer reads it only once. */
function EndingBar() {
  const { app, t } = useWindow()
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
