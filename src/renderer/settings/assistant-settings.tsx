import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { contentCount, shortPath, jobName } from '../../shared/i18n/names.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import type { AssistantActivity } from '../../shared/model/assistant-activity.ts'
import { jobOf, titleOf } from '../../shared/model/job-state.ts'
import { shownText } from '../../shared/paths.ts'
import { useApp, useSettingsTranslation, useSettingsView } from '../store/app.ts'
import { useRead } from '../store/use-read.ts'
import { when } from '../store/dates.ts'
import { showFiltered } from '../store/navigation.ts'
import { offerUndo } from '../store/offer-undo.ts'
import { signOf } from '../store/job-signs.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Name } from '../ui/name.tsx'
import { Setting, SwitchSetting } from './setting.tsx'
import { SubpageRow } from './subpage-row.tsx'
import './assistant-settings.css'

/** Interval at which the page reads what assistants did, in ms. Assistants work in other processes, which send no events. */
const READ_MS = 2_000
/** How long the *Copy* button shows that the text was copied, in ms. */
const COPIED_MS = 2_000

export function AssistantSettings() {
  const { app, t } = useSettingsView()
  const texts = t.assistants
  const { enabled } = app.state.settings.value.assistants
  return (
    <>
      <SwitchSetting
        id="assistants"
        label={texts.allow}
        hint={texts.allowHint}
        on={enabled}
        onChange={(on) => void app.attempt(app.bridge.assistants.switch(on))}
      />
      {enabled && <Folders />}
      {enabled && <Command />}
      <Activity />
    </>
  )
}

/** "2 folders. Last used today 11:58" */
export function AssistantsRow() {
  const { app, t } = useSettingsView()
  const texts = t.summaries
  const { enabled, folders } = app.state.settings.value.assistants
  const newest = useSignal<AssistantActivity | undefined>(undefined)
  useEffect(() => {
    void app.bridge.assistants.activity().then(
      ([first]) => (newest.value = first),
      () => undefined,
    )
  }, [app.state.historyVersion.value])
  const used = newest.value && texts.lastUsed({ when: when(app, timeOf(newest.value)) })
  const first = texts.folders({ count: folders.length })
  const on = used === undefined ? first : texts.both({ first, second: used })
  return <SubpageRow subpage="assistants" label={t.subpages.assistants} summary={enabled ? on : texts.off} />
}

const timeOf = (entry: AssistantActivity): number => (entry.kind === 'job' ? entry.job.createdAt : entry.at)

function Folders() {
  const app = useApp()
  const texts = useSettingsTranslation().assistants
  const { folders } = app.state.settings.value.assistants
  const add = (): void => void app.attempt(app.bridge.assistants.addFolder())
  function remove(path: string): void {
    const { removeFolder, restoreFolder } = app.bridge.assistants
    const folder = shortPath(path, app.facts.homeFolder)
    document.getElementById('add-assistants-folder')?.focus()
    void offerUndo(app, removeFolder(path), texts.removed({ folder }), () => restoreFolder(path))
  }
  return (
    <Setting stacked label={texts.folders}>
      {folders.length === 0 ? (
        <p class="hint">{texts.noFolder}</p>
      ) : (
        <ul class="folder-rows">
          {folders.map(({ path }) => {
            const folder = shortPath(path, app.facts.homeFolder)
            return (
              <li key={path}>
                <Icon name="folder" />
                <bdi class="truncate" title={path}>
                  {shownText(folder)}
                </bdi>
                <IconButton icon="close" label={texts.remove({ folder })} onPress={() => remove(path)} />
              </li>
            )
          })}
        </ul>
      )}
      <div>
        <Button id="add-assistants-folder" icon="plus" label={texts.addFolder} onPress={add} />
      </div>
    </Setting>
  )
}

function Command() {
  const app = useApp()
  const texts = useSettingsTranslation().assistants
  const [{ value: text = '' }] = useRead(() => app.bridge.assistants.command(), [])
  const isCopied = useSignal(false)
  useEffect(() => {
    if (!isCopied.value) return undefined
    const timer = setTimeout(() => (isCopied.value = false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [isCopied.value])
  if (text === null) return <Setting label={texts.command} hint={texts.commandTemporary} children={null} />
  async function copy(shown: string): Promise<void> {
    if (!(await app.succeeds(app.bridge.app.copyText(shown)))) return
    isCopied.value = true
    app.announcer.say(texts.copied)
  }
  return (
    <Setting stacked label={texts.command} for="assistants-command">
      <div class="control-row">
        <input
          id="assistants-command"
          class="field mono selectable"
          readOnly
          value={text}
          aria-describedby="assistants-command-hint"
        />
        <Button
          icon="copy"
          label={isCopied.value ? texts.copied : texts.copy}
          onPress={() => void copy(text)}
        />
      </div>
      <p class="hint" id="assistants-command-hint">
        {texts.commandHint}
      </p>
    </Setting>
  )
}

function Activity() {
  const app = useApp()
  const texts = useSettingsTranslation().assistants
  const entries = useSignal<readonly AssistantActivity[]>([])
  useEffect(() => {
    const read = async (): Promise<void> => {
      entries.value = await app.bridge.assistants.activity().catch(() => entries.value)
    }
    void read()
    const timer = setInterval(() => void read(), READ_MS)
    return () => clearInterval(timer)
  }, [app.state.historyVersion.value])
  return (
    <Setting stacked label={texts.activity}>
      {entries.value.length === 0 ? (
        <p class="hint">{texts.nothing}</p>
      ) : (
        <>
          <ul class="activity-rows">
            {entries.value.map((entry) => (
              <ActivityRow key={keyOf(entry)} entry={entry} />
            ))}
          </ul>
          <div>
            <LinkButton label={texts.showAll} onPress={() => showFiltered(app, { by: 'assistant' })} />
          </div>
        </>
      )}
    </Setting>
  )
}

const keyOf = (entry: AssistantActivity): string =>
  entry.kind === 'job' ? entry.job.id : `${entry.at} ${entry.path}`

function ActivityRow({ entry }: { readonly entry: AssistantActivity }) {
  const { app, t } = useSettingsView()
  const texts = t.assistants
  if (entry.kind === 'refused') {
    const path = shownText(shortPath(entry.path, app.facts.homeFolder))
    return (
      <li>
        <Icon name="stop" class="status-icon" />
        <span class="activity-text">
          <span class="truncate" title={entry.path}>
            {entry.path === '' ? texts.refusedCall : texts.refused({ path })}
          </span>
          <span class="hint truncate">{texts[entry.reason]}</span>
        </span>
        <time>{when(app, entry.at)}</time>
      </li>
    )
  }
  const { job } = entry
  const isOver = job.outcome !== null
  const sign = isOver ? signOf(app, jobOf([job])) : null
  const title = titleOf(jobOf([job]))
  const more = (title.files ?? 1) - 1
  const count = contentCount(title, t)
  const preset = presetName(job.preset, t)
  return (
    <li>
      <Icon name={sign?.icon ?? 'queue'} class={`status-icon ${sign?.tone ?? ''}`} />
      <span class="activity-text">
        <Name name={jobName({ ...job, files: 1 }, t)} more={more > 0 ? t.name.more({ count: more }) : null} />
        <span class="hint truncate">
          {t.listed([preset, ...(count === null ? [] : [count]), ...(isOver ? [] : [texts.running])])}
        </span>
      </span>
      <time>{when(app, job.createdAt)}</time>
    </li>
  )
}
