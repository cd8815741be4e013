import { shortPath } from '../../shared/i18n/names.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { later } from '../store/later.tsx'
import { FirstTiles } from '../pickers/first-tiles.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useApp, useWindow } from '../store/app.ts'
import { chooseFiles } from '../store/drops.ts'
import { showSettings } from '../store/navigation.ts'
import '../ui/tray-shape.css'
import './new-job.css'

// The first paint rarely needs the composer, because the window usually opens without a draft.
const Composer = later(async () => (await import('./composer.tsx')).Composer)

export function NewJob() {
  const app = useApp()
  const draft = app.state.draft.value
  const empty =
    draft.source.kind === 'files' &&
    draft.source.items.length === 0 &&
    draft.rejected.length === 0 &&
    app.state.intake.value === null
  return empty ? <EmptyTray /> : <Composer draft={draft} />
}

function EmptyTray() {
  const { app, t } = useWindow()
  const { draft } = app.bridge
  return (
    <>
      <PaneHeader title={t.emptyTray.title} />
      <div class="empty-state">
        <div class="tray-shape">
          <Icon name="falling" class="drop-icon" />
          <h2>{t.list.dropHere}</h2>
          <p>{t.emptyTray.originals}</p>
          <div class="tray-buttons">
            <Button autofocus label={t.list.chooseFiles} onPress={() => void chooseFiles(app)} />
            <Button label={t.emptyTray.chooseFolder} onPress={() => void app.attempt(draft.chooseFolder())} />
            {app.state.draftConnection.value.drive?.connected === true && (
              <Button label={t.emptyTray.addDrive} onPress={() => (app.overlays.folderPicker.value = {})} />
            )}
          </div>
        </div>
        <FirstTiles />
      </div>
      <WhatNext />
    </>
  )
}

/** Where the next job saves its results. */
function WhatNext() {
  const { app, t } = useWindow()
  const { output } = app.state.draft.value
  return (
    <div class="action-bar">
      <div class="action-bar-content">
        <p class="next-job">
          <Icon name={output.kind === 'drive' ? 'drive' : 'folder'} class="small" />
          <span class="truncate">{whereResultsGo()}</span>
        </p>
        <LinkButton label={t.emptyTray.change} onPress={() => showSettings(app, 'jobs')} />
      </div>
    </div>
  )

  function whereResultsGo(): string {
    if (output.kind === 'replace') return t.outputs.replaceOriginals
    if (output.kind === 'beside') return t.outputs.nextToOriginals
    const folder =
      output.kind === 'folder' ? shortPath(output.path, app.facts.homeFolder) : t.outputs.driveTarget
    return t.tasks.resultsGoTo({ folder })
  }
}
