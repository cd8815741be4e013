import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { shortPath } from '../../shared/i18n/names.ts'
import type { RuleTranslation } from '../../shared/i18n/i18n.ts'
import { NO_RULES } from '../../shared/model/folder-rules.ts'
import type { DryRun } from '../../shared/model/dry-run.ts'
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import {
  settingsTranslation,
  useApp,
  useSettingsTranslation,
  useTranslation,
  type App,
} from '../store/app.ts'
import { Page } from './page.tsx'
import { openRule, type RulesView, rulesIn } from './rule-actions.ts'
import { RuleList } from './rule-list.tsx'
import { FolderState } from './watched-folder-state.tsx'
import { ruleTranslation, useRuleTranslation } from './translations.ts'
import './folder-page.css'

/** A dry run of the rules while the page shows it. */
export type ShownDryRun =
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly dryRun: DryRun }
  | { readonly kind: 'failed' }

type FolderPageProps = { readonly folder: WatchFolderView }

/** A watched folder: its state, and its rules in the order in which they are compared with a new file. */
export function FolderPage({ folder, read }: FolderPageProps & { readonly read: () => Promise<void> }) {
  const app = useApp()
  const t = useRuleTranslation()
  const words = useSettingsTranslation()
  const { id, path } = folder
  const known = rulesIn(folder)
  const dryRun = useSignal<ShownDryRun | null>(null)
  const shown = JSON.stringify([folder.rules, folder.presets, folder.output, folder.recursive])
  // End the dry run when the rules, presets, output or subfolder setting change, because its counts would be wrong.
  useEffect(() => () => endDryRun(app, id, dryRun), [shown, id])
  const view: RulesView = { folder, rules: known ?? NO_RULES }
  return (
    <Page
      title={<bdi dir="ltr">{shortPath(path, app.facts.homeFolder)}</bdi>}
      subpageOf="automation"
      buttons={
        <>
          {known !== undefined && (
            <>
              <Button
                id="try-rules"
                label={t.dryRun.try}
                busy={dryRun.value?.kind === 'running'}
                onPress={() => void startDryRun(app, view, dryRun)}
              />
              <Button label={t.page.add} icon="plus" onPress={() => openRule(app, view, 'new')} />
            </>
          )}
          <IconButton
            icon="more"
            label={words.watchSettings.moreFor({ folder: shortPath(path, app.facts.homeFolder) })}
            onMenu={(button) => openFolderMenu(app, folder, button, read)}
          />
        </>
      }
    >
      <FolderState folder={folder} read={read} />
      {known === undefined ? (
        <Unreadable id={id} />
      ) : (
        <>
          {dryRun.value === null ? (
            <p class="hint intro">{known.rules.length === 0 ? t.page.leadWithout : t.page.lead}</p>
          ) : (
            <DryRunNote folder={folder} dryRun={dryRun} />
          )}
          <RuleList view={view} dryRun={dryRun.value?.kind === 'ended' ? dryRun.value.dryRun : null} />
        </>
      )}
      <FolderLine folder={folder} />
    </Page>
  )
}

function openFolderMenu(
  app: App,
  folder: WatchFolderView,
  anchor: HTMLElement,
  read: () => Promise<void>,
): void {
  const t = settingsTranslation(app)
  app.overlays.menu.value = {
    label: t.watchSettings.moreFor({ folder: folder.path }),
    anchor,
    entries: [
      {
        label: t.watchSettings.change,
        icon: 'sliders',
        run: () => (app.overlays.dialog.value = { kind: 'watchFolder', id: folder.id }),
      },
      {
        label: t.notices.showFolder,
        icon: 'folder',
        run: () => void app.attempt(app.bridge.files.reveal(folder.path)),
      },
      { kind: 'divider' },
      {
        label: t.watchSettings.remove,
        icon: 'trash',
        run: () => void app.attempt(app.bridge.watch.remove(folder.id)).then(read),
      },
    ],
  }
}

function Unreadable({ id }: { readonly id: string }) {
  const app = useApp()
  const t = useRuleTranslation()
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

function endDryRun(app: App, id: string, dryRun: Signal<ShownDryRun | null>): void {
  if (dryRun.peek()?.kind === 'running') void app.attempt(app.bridge.watch.stopDryRun(id))
  dryRun.value = null
}

async function startDryRun(
  app: App,
  { folder, rules }: RulesView,
  dryRun: Signal<ShownDryRun | null>,
): Promise<void> {
  const running: ShownDryRun = { kind: 'running' }
  dryRun.value = running
  const result = await app.attempt(app.bridge.watch.dryRun(folder.id))
  // The user has closed this dry run or started another one.
  if (dryRun.peek() !== running) return
  dryRun.value = result ? { kind: 'ended', dryRun: result } : { kind: 'failed' }
  if (result && result.files > 0)
    app.announcer.say(app.t.peek().sentences(spokenDryRun(result, rules.rules.length, ruleTranslation(app))))
}

function spokenDryRun(
  { files, rules }: DryRun,
  count: number,
  { dryRun }: RuleTranslation,
): readonly string[] {
  const each = rules.map((rule, index) =>
    index === count
      ? dryRun.announcedRest({ count: rule.files })
      : dryRun.announcedRule({ number: index + 1, count: rule.files }),
  )
  return [dryRun.announced({ count: files }), ...each]
}

function DryRunNote({ folder, dryRun }: FolderPageProps & { readonly dryRun: Signal<ShownDryRun | null> }) {
  const app = useApp()
  const { punctuation } = useTranslation()
  const texts = useRuleTranslation().dryRun
  const shown = dryRun.value
  if (shown?.kind === 'running')
    return (
      <p class="callout info rules-dry-run">
        <Icon name="eye" />
        <span class="numeric">{texts.running({ count: folder.trying ?? 0 })}</span>
        <LinkButton
          label={texts.stop}
          onPress={() => void app.attempt(app.bridge.watch.stopDryRun(folder.id))}
        />
      </p>
    )
  const isEmpty = shown?.kind === 'ended' && shown.dryRun.files === 0 && !shown.dryRun.stopped
  const counted =
    shown?.kind === 'ended' && !isEmpty
      ? texts[shown.dryRun.stopped ? 'stopped' : 'tried']({ count: shown.dryRun.files })
      : null
  return (
    <p class={`callout rules-dry-run ${shown?.kind === 'failed' ? '' : 'info'}`}>
      <Icon name={shown?.kind === 'failed' ? 'warn' : 'eye'} />
      <span role={counted === null ? 'status' : undefined}>
        {counted === null ? (
          texts[shown?.kind === 'failed' ? 'failed' : 'empty']
        ) : (
          <>
            <b class="numeric">{counted}</b>
            {punctuation.betweenSentences}
            {texts.nothingStarted}
          </>
        )}
      </span>
      <LinkButton
        label={texts.close}
        onPress={() => {
          endDryRun(app, folder.id, dryRun)
          document.getElementById('try-rules')?.focus()
        }}
      />
    </p>
  )
}

/** The settings of the folder that apply to all of its rules. */
function FolderLine({ folder }: FolderPageProps) {
  const app = useApp()
  const words = useTranslation()
  const texts = useRuleTranslation().page
  const { recursive, grouping, windowMs, done = 'skip' } = folder
  const sentences = [
    recursive ? texts.withSubfolders : texts.withoutSubfolders,
    grouping === 'separate' ? texts.separate : texts.groups({ seconds: words.number(windowMs / 1_000) }),
    done === 'skip' ? texts.skipsDone : texts.again,
    texts.neverAgain,
  ]
  return (
    <div class="folder-line">
      <p class="hint">{words.sentences(sentences)}</p>
      <Button
        label={texts.options}
        onPress={() => (app.overlays.dialog.value = { kind: 'watchFolder', id: folder.id })}
      />
    </div>
  )
}
