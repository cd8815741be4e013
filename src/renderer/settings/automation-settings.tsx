import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { shortPath } from '../../shared/i18n/names.ts'
import type { WatchFolderView } from '../../shared/model/watch-folder.ts'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useSettingsTranslation, type App, useSettingsView } from '../store/app.ts'
import { FOLDERS_ON_PAGE, leaveSubpage } from '../store/navigation.ts'
import { folderOf } from '../store/route.ts'
import { Page, PageHeader } from './page.tsx'
import { afterJobSummary } from './after-job-settings.tsx'
import { FolderPage } from './folder-page.tsx'
import { quietSummary } from './quiet-settings.tsx'
import { Setting, SettingSwitch, Switch } from './setting.tsx'
import { SubpageLink, SubpageRow } from './subpage-row.tsx'
import { settingsOf } from './watch-folder-dialog.tsx'
import { FolderSummary } from './watched-folder-state.tsx'
import './automation-settings.css'

const WHEN_DONE = ['nothing', 'sound', 'quit', 'sleep'] as const

/** The page *Automation*, the page of a watched folder, or the list of folders that don't fit on the page. */
export function AutomationSettings() {
  const { app, t } = useSettingsView()
  const watched = useWatchedFolders()
  const { subpage } = app.route
  const id = folderOf(subpage.value)
  const opened = watched.folders?.find((folder) => folder.id === id)
  const isGone = id !== null && watched.folders !== null && opened === undefined
  useEffect(() => {
    if (isGone) leaveSubpage(app)
  }, [isGone])
  if (app.ruleWords() === null) return <PageHeader title={t.settings.automation} />
  if (opened !== undefined) return <FolderPage key={opened.id} folder={opened} read={watched.read} />
  if (subpage.value === 'folders')
    return (
      <Page title={t.subpages.folders} subpageOf="automation">
        <FolderRows {...watched} folders={watched.folders?.slice(FOLDERS_ON_PAGE) ?? []} />
      </Page>
    )
  return (
    <Page title={t.settings.automation}>
      <WatchedFolders {...watched} />
      <JobsEnd />
    </Page>
  )
}

type Watched = {
  /** null while they are being read */
  readonly folders: readonly WatchFolderView[] | null
  readonly read: () => Promise<void>
}

/** Reads the watched folders, and reads them again when their state changes. */
function useWatchedFolders(): Watched {
  const app = useApp()
  const folders = useSignal<readonly WatchFolderView[] | null>(null)
  const read = async (): Promise<void> => {
    folders.value = (await app.attempt(app.bridge.watch.list())) ?? []
  }
  const version = `${app.watchVersion.value} ${app.state.historyVersion.value}`
  const { watchFolders } = app.state.settings.value
  useEffect(() => void read(), [version, watchFolders])
  return { folders: folders.value, read }
}

function WatchedFolders({ folders, read }: Watched) {
  const { app, t } = useSettingsView()
  const texts = t.watchSettings
  const more = folders?.slice(FOLDERS_ON_PAGE) ?? []
  return (
    <section class="watched-folders" aria-labelledby="watched-folders">
      <header>
        <h2 id="watched-folders">{t.subpages.folders}</h2>
        <Button
          id="add-watched-folder"
          label={texts.add}
          icon="plus"
          onPress={() => (app.overlays.dialog.value = { kind: 'watchFolder', id: null })}
        />
      </header>
      {folders?.length === 0 && (
        <p class="hint">
          {texts.none} {texts.intro}
        </p>
      )}
      <FolderRows folders={folders?.slice(0, FOLDERS_ON_PAGE) ?? []} read={read} />
      {more.length > 0 && (
        <SubpageRow
          subpage="folders"
          label={t.subpages.moreFolders({ count: more.length })}
          summary={t.listed(more.map(({ path }) => shortPath(path, app.facts.homeFolder)))}
        />
      )}
    </section>
  )
}

function FolderRows({ folders, read }: Watched & { readonly folders: readonly WatchFolderView[] }) {
  const app = useApp()
  const texts = useSettingsTranslation().watchSettings
  if (folders.length === 0) return null
  return (
    <ul class="folder-list">
      {folders.map((folder) => {
        const path = shortPath(folder.path, app.facts.homeFolder)
        return (
          <li key={folder.id} class="folder-row">
            <span class="folder-text">
              <SubpageLink
                subpage={`folder ${folder.id}`}
                label={
                  <bdi dir="ltr" class="truncate" title={folder.path}>
                    {path}
                  </bdi>
                }
                summary={<FolderSummary folder={folder} />}
              />
            </span>
            <Switch
              label={texts.switchFor({ folder: path })}
              on={folder.enabled}
              onChange={(enabled) => void app.attempt(switchFolder(app, folder, enabled)).then(read)}
            />
            <Icon name="forward" />
          </li>
        )
      })}
    </ul>
  )
}

const switchFolder = (app: App, folder: WatchFolderView, enabled: boolean): Promise<void> =>
  app.bridge.watch.save({ id: folder.id, folder: { ...settingsOf(folder), enabled } })

/** Sets when jobs run, what happens after them, and whether they keep the computer awake. */
function JobsEnd() {
  const { app, t } = useSettingsView()
  const texts = t.generalSettings
  const settings = app.state.settings.value
  return (
    <>
      <SubpageRow subpage="quiet" label={t.subpages.quiet} summary={quietSummary(app, t)} />
      <SubpageRow subpage="afterJob" label={t.subpages.afterJob} summary={afterJobSummary(settings, t)} />
      <Setting label={texts.whenDone} for="when-done">
        <Select
          id="when-done"
          value={settings.whenDone}
          options={WHEN_DONE.map((value) => ({ value, label: texts[value] }))}
          onChoose={(whenDone) => app.choose({ whenDone })}
        />
      </Setting>
      <SettingSwitch name="keepAwake" label={texts.keepAwake} />
    </>
  )
}
