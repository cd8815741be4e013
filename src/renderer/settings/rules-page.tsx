import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { shortPath } from '../../shared/i18n/names.ts'
import type { RuleTranslation } from '../../shared/i18n/rules.ts'
import { NO_RULES } from '../../shared/model/folder-rules.ts'
import type { RulesTrial } from '../../shared/model/rules-trial.ts'
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { leaveRules } from '../store/navigation.ts'
import { openRule, type RulesView, rulesIn } from './rule-actions.ts'
import { RuleList } from './rule-list.tsx'
import './rules-page.css'

/** The outcome of trying the rules, while it is shown. */
export type Trial =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly trial: RulesTrial }
  | { readonly kind: 'failed' }

type RulesPageProps = { readonly folder: WatchFolderView; readonly t: RuleTranslation }

/** The rules of a watched folder, in the order in which they are compared with a new file. */
export function RulesPage({ folder, t }: RulesPageProps) {
  const app = useApp()
  const { id, path } = folder
  const known = rulesIn(folder)
  const trial = useSignal<Trial | null>(null)
  const shown = JSON.stringify([folder.rules, folder.presets, folder.output, folder.recursive])
  // Counts of earlier rules would be wrong.
  useEffect(() => () => endTrial(app, id, trial), [shown, id])
  const view: RulesView = { folder, rules: known ?? NO_RULES }
  return (
    <>
      <PaneHeader
        title={<bdi dir="ltr">{shortPath(path, app.facts.homeFolder)}</bdi>}
        back={{ label: t.page.back, onPress: () => leaveRules(app) }}
      >
        {known !== undefined && (
          <>
            <Button
              id="try-rules"
              label={t.trial.try}
              disabled={trial.value?.kind === 'running'}
              onPress={() => void tryRules(app, view, trial, t)}
            />
            <Button label={t.page.add} icon="plus" onPress={() => openRule(app, view, 'new')} />
          </>
        )}
      </PaneHeader>
      <div class="scroll-area">
        <div class="pane-content">
          {known === undefined ? (
            <Unreadable id={id} t={t} />
          ) : (
            <>
              {trial.value === null ? (
                <p class="hint intro">{t.page.lead}</p>
              ) : (
                <TrialNote folder={folder} trial={trial} t={t} />
              )}
              <RuleList view={view} trial={trial.value?.kind === 'ended' ? trial.value.trial : null} t={t} />
            </>
          )}
          <FolderLine folder={folder} t={t} />
        </div>
      </div>
    </>
  )
}

function Unreadable({ id, t }: { readonly id: string; readonly t: RuleTranslation }) {
  const app = useApp()
  return (
    <p class="callout" role="status">
      <Icon name="warn" />
      <span>{t.page.unreadable}</span>
      <LinkButton
        label={t.page.replace}
        onPress={() =>
          void app.attempt(app.bridge.watch.saveRules({ id, rules: null })).then(() => {
            app.watchVersion.value += 1
          })
        }
      />
    </p>
  )
}

function endTrial(app: App, id: string, trial: Signal<Trial | null>): void {
  if (trial.peek()?.kind === 'running') void app.attempt(app.bridge.watch.stopTrial(id))
  trial.value = null
}

async function tryRules(
  app: App,
  { folder, rules }: RulesView,
  trial: Signal<Trial | null>,
  t: RuleTranslation,
): Promise<void> {
  const running: Trial = { kind: 'running' }
  trial.value = running
  const result = await app.attempt(app.bridge.watch.tryRules(folder.id))
  // The trial was closed, or another one was started.
  if (trial.peek() !== running) return
  trial.value = result ? { kind: 'ended', trial: result } : { kind: 'failed' }
  if (result && result.files > 0) app.announcer.say(spokenTrial(result, rules.rules.length, t))
}

function spokenTrial({ files, rules }: RulesTrial, count: number, { trial }: RuleTranslation): string {
  const each = rules.map((rule, index) =>
    index === count
      ? trial.announcedRest({ count: rule.files })
      : trial.announcedRule({ number: index + 1, count: rule.files }),
  )
  return [trial.announced({ count: files }), ...each].join(' ')
}

type TrialNoteProps = RulesPageProps & { readonly trial: Signal<Trial | null> }

function TrialNote({ folder, trial, t }: TrialNoteProps) {
  const app = useApp()
  const texts = t.trial
  const shown = trial.value
  if (shown?.kind === 'running')
    return (
      <p class="callout info rules-trial">
        <Icon name="eye" />
        <span class="numeric">{texts.running({ count: folder.trying ?? 0 })}</span>
        <LinkButton
          label={texts.stop}
          onPress={() => void app.attempt(app.bridge.watch.stopTrial(folder.id))}
        />
      </p>
    )
  const isEmpty = shown?.kind === 'ended' && shown.trial.files === 0 && !shown.trial.stopped
  const counted =
    shown?.kind === 'ended' && !isEmpty
      ? texts[shown.trial.stopped ? 'stopped' : 'tried']({ count: shown.trial.files })
      : null
  return (
    <p class={`callout rules-trial ${shown?.kind === 'failed' ? '' : 'info'}`}>
      <Icon name={shown?.kind === 'failed' ? 'warn' : 'eye'} />
      <span role={counted === null ? 'status' : undefined}>
        {counted === null ? (
          texts[shown?.kind === 'failed' ? 'failed' : 'empty']
        ) : (
          <>
            <b class="numeric">{counted}</b> {texts.nothingStarted}
          </>
        )}
      </span>
      <LinkButton
        label={texts.close}
        onPress={() => {
          endTrial(app, folder.id, trial)
          document.getElementById('try-rules')?.focus()
        }}
      />
    </p>
  )
}

/** What applies to all rules of the folder. */
function FolderLine({ folder, t }: RulesPageProps) {
  const app = useApp()
  const words = useTranslation()
  const texts = t.page
  const { recursive, grouping, windowMs, done = 'skip' } = folder
  const sentences = [
    recursive ? texts.withSubfolders : texts.withoutSubfolders,
    grouping === 'separate' ? texts.separate : texts.groups({ seconds: words.number(windowMs / 1_000) }),
    done === 'skip' ? texts.skipsDone : texts.again,
  ]
  return (
    <div class="folder-line">
      <p class="hint">{sentences.join(' ')}</p>
      <Button
        label={texts.options}
        onPress={() => {
          app.overlays.dialog.value = { kind: 'watchFolder', id: folder.id }
        }}
      />
    </div>
  )
}
