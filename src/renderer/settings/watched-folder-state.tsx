/** Shows what a watched folder does now, and what needs the user's attention. */
import type { ComponentChildren } from 'preact'
import { presetName } from '../../shared/i18n/sentences.ts'
import type { RuleTranslation, SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { actionsOf, type WatchFolderView } from '../../shared/model/watch-folder.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { useSettingsView } from '../store/app.ts'
import { rulesIn } from './rule-actions.ts'
import { actionSummary } from './rule-summary.ts'
import { useRuleTranslation } from './translations.ts'

type Words = { readonly t: SettingsTranslation; readonly rules: RuleTranslation }

/** The reasons why files aren't processed. Some files may be processed later, for example when they are no longer empty. */
const LEFT_OUT = ['links', 'special', 'ignored', 'empty', 'unprocessed'] as const

type State = {
  readonly icon: IconName
  readonly tone?: 'warning' | 'success'
  readonly text: string
  /** The tooltip of the text, for example paths. */
  readonly title?: string
}

const warning = (text: string): State => ({ icon: 'warn', tone: 'warning', text })

/** Returns what prevents a folder from processing files, or its current activity; undefined if it is only watching. */
function unusualState(folder: WatchFolderView, { t, rules: { table } }: Words): State | undefined {
  const texts = t.watchSettings
  if (!folder.enabled) return { icon: 'stop', text: texts.off }
  if (folder.trouble !== null) return warning(texts[folder.trouble])
  if (folder.rules === 'unreadable') return warning(table.unreadable)
  if (folder.scanning) return { icon: 'search', text: texts.scanning }
  if (folder.question !== null)
    return { icon: 'ask', tone: 'warning', text: texts.question({ count: folder.question }) }
  const waiting = folder.waiting.reduce((sum, { files }) => sum + files, 0)
  const [{ preset } = { preset: '' }, ...others] = folder.waiting
  if (waiting > 0)
    return warning(
      others.length === 0
        ? table.waitingFor({ count: waiting, preset: presetName(preset, t) })
        : table.waiting({ count: waiting }),
    )
  if (folder.retried.count > 0) return warning(texts.retried({ count: folder.retried.count }))
  if (folder.open.isLong) return { icon: 'clock', text: texts.open({ count: folder.open.count }) }
  return undefined
}

export function FolderState(props: { readonly folder: WatchFolderView; readonly read: () => Promise<void> }) {
  const { folder, read } = props
  const { app, t } = useSettingsView()
  const texts = t.watchSettings
  const taken = t.number(folder.taken)
  const unusual = unusualState(folder, { t, rules: useRuleTranslation() })
  const answer = (take: boolean) => () =>
    void app.attempt(app.bridge.watch.answer({ id: folder.id, take })).then(read)
  const leftOut = leftOutOf(folder, t)
  return (
    <div class="folder-state" role="status">
      <StateLine
        {...(unusual ?? {
          icon: 'check',
          tone: 'success',
          text: folder.taken === 0 ? texts.watching : texts.watchingTaken({ taken }),
        })}
      >
        {unusual?.icon === 'ask' && folder.question !== null && (
          <>
            <LinkButton label={texts.take({ count: folder.question })} onPress={answer(true)} />
            <LinkButton label={texts.leave} onPress={answer(false)} />
          </>
        )}
      </StateLine>
      {unusual === undefined && leftOut !== undefined && <StateLine {...leftOut} />}
    </div>
  )
}

/** A folder in one line: its state if it is unusual, otherwise what it does. */
export function FolderSummary({ folder }: { readonly folder: WatchFolderView }) {
  const { app, t } = useSettingsView()
  const rules = useRuleTranslation()
  const words = { t, rules }
  const texts = t.watchSettings
  const unusual = unusualState(folder, words) ?? leftOutOf(folder, t)
  if (unusual !== undefined && folder.enabled) return <StateLine {...unusual} />
  const known = rulesIn(folder)
  const does =
    known === undefined || known.rules.length > 0
      ? rules.table.rules({ count: known?.rules.length ?? 0 })
      : actionSummary(actionsOf(folder, known)[0] ?? { do: 'ignore' }, words, app.facts.homeFolder)
  if (!folder.enabled) return <>{t.summaries.both({ first: texts.off, second: does })}</>
  if (folder.taken === 0) return <>{does}</>
  return <>{t.summaries.both({ first: does, second: texts.sent({ taken: t.number(folder.taken) }) })}</>
}

function leftOutOf(
  folder: WatchFolderView,
  { watchSettings: texts, listed }: SettingsTranslation,
): State | undefined {
  const kinds = LEFT_OUT.filter((kind) => folder[kind].count > 0)
  if (kinds.length === 0) return undefined
  const what = listed(kinds.map((kind) => texts[kind]({ count: folder[kind].count })))
  return {
    ...warning(texts.leftOut({ what })),
    title: kinds.flatMap((kind) => folder[kind].paths).join('\n'),
  }
}

function StateLine({ icon, tone, text, title, children }: State & { readonly children?: ComponentChildren }) {
  return (
    <span class="state-line">
      <Icon name={icon} class={`status-icon ${tone ?? ''}`} />
      <span class={tone === 'warning' ? 'text-warning' : ''} title={title}>
        {text}
      </span>
      {children}
    </span>
  )
}
