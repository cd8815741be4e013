import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import { shortId, shortPath } from '../../shared/i18n/names.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useApp, useSettingsTranslation, settingsTranslation, type App } from '../store/app.ts'
import { Switch } from './setting.tsx'
import { showRules } from '../store/navigation.ts'
import type { RuleTranslation } from '../../shared/i18n/i18n.ts'
import { rulesIn } from './rule-actions.ts'
import { RulesPage } from './rules-page.tsx'
import { settingsOf } from './watch-folder-dialog.tsx'
import './watch-settings.css'

export function WatchSettings() {
  const app = useApp()
  const t = useSettingsTranslation()
  const texts = t.watchSettings
  const folders = useSignal<readonly WatchFolderView[] | null>(null)
  const read = async (): Promise<void> => {
    folders.value = (await app.attempt(app.bridge.watch.list())) ?? []
  }
  const version = `${app.watchVersion.value} ${app.state.historyVersion.value}`
  const { watchFolders } = app.state.settings.value
  useEffect(() => void read(), [version, watchFolders])
  const known = folders.value ?? []
  const rules = app.ruleWords()
  const opened = known.find(({ id }) => id === app.route.rulesOf.value)
  if (opened !== undefined && rules !== null) return <RulesPage key={opened.id} folder={opened} t={rules} />
  return (
    <>
      <PaneHeader title={t.settings.watch} inSettings>
        <Button
          label={texts.add}
          icon="plus"
          onPress={() => {
            app.overlays.dialog.value = { kind: 'watchFolder', id: null }
          }}
        />
      </PaneHeader>
      <div class="scroll-area">
        <div class="pane-content">
          <p class="hint intro">{texts.intro}</p>
          {folders.value !== null && known.length === 0 && <p class="hint">{texts.none}</p>}
          {/* Wait for the rules' texts, which load on demand and include those of the table. */}
          {known.length > 0 && rules !== null && (
            <table>
              <thead>
                <tr>
                  <th scope="col" class="folder-column">
                    {texts.folder}
                  </th>
                  <th scope="col" class="hide-narrow">
                    {rules.table.presetOrRules}
                  </th>
                  <th scope="col" class="hide-narrow target-column">
                    {t.newJob.saveTo}
                  </th>
                  <th scope="col" class="switch-column">
                    <span class="visually-hidden">{texts.on}</span>
                  </th>
                  <th scope="col" class="menu-column">
                    <span class="visually-hidden">{texts.actions}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {known.map((folder) => (
                  <FolderRow key={folder.id} folder={folder} read={read} rules={rules} />
                ))}
              </tbody>
            </table>
          )}
          <p class="hint outro">{texts.outro}</p>
        </div>
      </div>
    </>
  )
}

type FolderRowProps = {
  readonly folder: WatchFolderView
  readonly read: () => Promise<void>
  readonly rules: RuleTranslation
}

function FolderRow({ folder, read, rules }: FolderRowProps) {
  const app = useApp()
  const t = useSettingsTranslation()
  const texts = t.watchSettings
  const path = shortPath(folder.path, app.facts.homeFolder)
  const count = rulesIn(folder)?.rules.length ?? 0
  const isRuled = folder.rules !== 'none'
  const preset = isRuled ? rules.table.rules({ count }) : folder.presets.join(', ') || t.phrases.basicDefaults
  const target = isRuled ? rules.table.byRule : targetOf()
  const chosen = isRuled ? <RulesLink folder={folder} path={path} rules={rules} /> : preset
  return (
    <tr data-watched={folder.id}>
      <td>
        <div class="truncate" title={folder.path}>
          {path}
        </div>
        <FolderState folder={folder} read={read} rules={rules} />
        <div class="cell-detail only-narrow">
          {isRuled ? chosen : <span class="truncate">{texts.presetTo({ preset, target })}</span>}
        </div>
      </td>
      <td class="hide-narrow">
        <div class="truncate">{chosen}</div>
      </td>
      <td class="hide-narrow">
        <div class="truncate" title={target}>
          {target}
        </div>
      </td>
      <td class="fit-content">
        <Switch
          label={texts.switchFor({ folder: path })}
          on={folder.enabled}
          onChange={(enabled) => void app.attempt(switchFolder(app, folder, enabled)).then(read)}
        />
      </td>
      <td class="fit-content last-column">
        <IconButton
          icon="more"
          label={texts.moreFor({ folder: path })}
          onMenu={(button) => openFolderMenu(app, folder, button, read, rules)}
        />
      </td>
    </tr>
  )

  function targetOf(): string {
    const { output } = folder
    switch (output.kind) {
      case 'folder':
        return shortPath(output.path, app.facts.homeFolder)
      case 'drive':
        return texts.toDrive({ id: shortId(output.folderId) })
      case 'replace':
        return t.newJob.replaceOriginals
      case 'beside':
        return output.subfolder === null
          ? t.newJob.nextToOriginals
          : texts.toSubfolder({ name: output.subfolder })
    }
  }
}

/** A link to the rules of a folder. */
function RulesLink(props: Pick<FolderRowProps, 'folder' | 'rules'> & { readonly path: string }) {
  const {
    folder,
    path,
    rules: { table },
  } = props
  const app = useApp()
  const count = rulesIn(folder)?.rules.length ?? 0
  return (
    <button
      type="button"
      class="link"
      aria-label={table.rulesOf({ count, folder: path })}
      onClick={() => showRules(app, folder.id)}
    >
      {table.rules({ count })}
    </button>
  )
}

function FolderState({ folder, read, rules: { table } }: FolderRowProps) {
  const app = useApp()
  const t = useSettingsTranslation()
  const texts = t.watchSettings
  if (!folder.enabled) return <CellDetail icon="stop" text={texts.off} />
  if (folder.trouble !== null) return <Warning text={texts[folder.trouble]} />
  if (folder.rules === 'unreadable') return <Warning text={table.unreadable} />
  if (folder.scanning) return <CellDetail icon="search" text={texts.scanning} />
  if (folder.question !== null) {
    const answer = (take: boolean) => () =>
      void app.attempt(app.bridge.watch.answer({ id: folder.id, take })).then(read)
    return (
      <CellDetail icon="ask" tone="warning" text={texts.question({ count: folder.question })}>
        <LinkButton label={texts.take({ count: folder.question })} onPress={answer(true)} />
        <LinkButton label={texts.leave} onPress={answer(false)} />
      </CellDetail>
    )
  }
  const waiting = folder.waiting.reduce((sum, { files }) => sum + files, 0)
  if (waiting > 0) return <Warning text={table.waiting({ count: waiting })} />
  if (folder.retried.count > 0) return <Warning text={texts.retried({ count: folder.retried.count })} />
  if (folder.open.isLong) return <CellDetail icon="clock" text={texts.open({ count: folder.open.count })} />
  const taken = t.number(folder.taken)
  return (
    <>
      <CellDetail
        icon="check"
        tone="success"
        text={folder.taken === 0 ? texts.watching : texts.watchingTaken({ taken })}
      />
      <LeftOut folder={folder} />
    </>
  )
}

/** The reasons why files aren't processed. Some files may be processed later, for example when they are no longer empty. */
const LEFT_OUT = ['links', 'special', 'ignored', 'empty', 'unprocessed'] as const

function LeftOut({ folder }: { readonly folder: WatchFolderView }) {
  const texts = useSettingsTranslation().watchSettings
  const kinds = LEFT_OUT.filter((kind) => folder[kind].count > 0)
  if (kinds.length === 0) return null
  const what = kinds.map((kind) => texts[kind]({ count: folder[kind].count })).join(', ')
  return (
    <Warning text={texts.leftOut({ what })} title={kinds.flatMap((kind) => folder[kind].paths).join('\n')} />
  )
}

type CellDetailProps = {
  readonly icon: IconName
  readonly tone?: 'warning' | 'success'
  readonly text: string
  readonly title?: string
  readonly children?: ComponentChildren
}

const CellDetail = ({ icon, tone, text, title, children }: CellDetailProps) => (
  <div class="cell-detail">
    <Icon name={icon} class={`status-icon ${tone ?? ''}`} />
    <span class={tone === 'warning' ? 'text-warning' : ''} title={title}>
      {text}
    </span>
    {children}
  </div>
)

const Warning = (props: { readonly text: string; readonly title?: string }) => (
  <CellDetail icon="warn" tone="warning" {...props} />
)

const switchFolder = (app: App, folder: WatchFolderView, enabled: boolean): Promise<void> =>
  app.bridge.watch.save({ id: folder.id, folder: { ...settingsOf(folder), enabled } })

function openFolderMenu(
  app: App,
  folder: WatchFolderView,
  anchor: HTMLElement,
  read: () => Promise<void>,
  { table }: RuleTranslation,
): void {
  const t = settingsTranslation(app)
  app.overlays.menu.value = {
    label: t.watchSettings.moreFor({ folder: folder.path }),
    anchor,
    entries: [
      {
        kind: 'item',
        label: t.watchSettings.change,
        icon: 'sliders',
        run: () => {
          app.overlays.dialog.value = { kind: 'watchFolder', id: folder.id }
        },
      },
      {
        kind: 'item',
        label: folder.rules === 'none' ? table.useRules : table.editRules,
        icon: 'filter',
        run: () => showRules(app, folder.id),
      },
      {
        kind: 'item',
        label: t.notices.showFolder,
        icon: 'folder',
        run: () => void app.attempt(app.bridge.files.reveal(folder.path)),
      },
      { kind: 'divider' },
      {
        kind: 'item',
        label: t.watchSettings.remove,
        icon: 'trash',
        run: () => void app.attempt(app.bridge.watch.remove(folder.id)).then(read),
      },
    ],
  }
}
