import { shortPath } from '../../shared/i18n/names.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useApp, useTranslation, withModifier } from '../store/app.ts'
import { showSettings } from '../store/navigation.ts'
import { Composer } from './composer.tsx'

/** What is to be done: the empty tray, or what has been brought in so far. */
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
  const app = useApp()
  const t = useTranslation()
  const { draft } = app.bridge
  return (
    <>
      <PaneHeader title={t.newJob.title} />
      <div class="empty">
        <div class="tray">
          <Icon name="falling" class="falling" />
          <h2>{t.list.dropHere}</h2>
          <p>{t.newJob.originals}</p>
          <div class="pair">
            <Button label={t.list.chooseFiles} onPress={() => void app.attempt(draft.chooseFiles())} />
            <Button label={t.newJob.chooseFolder} onPress={() => void app.attempt(draft.chooseFolder())} />
            {app.state.connection.value.drive?.connected === true && (
              <Button
                label={t.newJob.addDrive}
                onPress={() => {
                  app.overlays.dialog.value = { kind: 'driveFolder' }
                }}
              />
            )}
          </div>
        </div>
        <ul class="ways">
          <li>
            <Icon name="mark" />
            <span>{t.newJob.waysTray}</span>
          </li>
          <li>
            <Icon name="copy" />
            <span>
              {t.newJob.waysPaste} <kbd>{withModifier(app.facts, 'V')}</kbd>
            </span>
          </li>
          <li>
            <Icon name="open" />
            <span>{t.newJob.waysOpenWith}</span>
          </li>
        </ul>
      </div>
      <WhatNext />
    </>
  )
}

/** What new jobs will be made with, before there is one. */
function WhatNext() {
  const app = useApp()
  const t = useTranslation()
  const { preset, output } = app.state.draft.value
  const target =
    output.kind === 'folder' ? shortPath(output.path, app.facts.homeFolder) : t.newJob.driveTarget
  const named = preset !== null && output.kind === 'folder' && output.path !== ''
  // The preset stands out in the sentence wherever the language puts it.
  const [before = '', after = ''] = t.newJob.nextUses({ preset: '\u0000', folder: target }).split('\u0000')
  return (
    <div class="submit">
      <div class="in">
        <p class="what-next">
          <Icon name="sliders" class="small" />
          <span class="clip">
            {named ? (
              <>
                {before}
                <b>{preset}</b>
                {after}
              </>
            ) : (
              t.newJob.nextBasic
            )}
          </span>
        </p>
        <LinkButton label={t.newJob.change} onPress={() => showSettings(app, 'jobs')} />
      </div>
    </div>
  )
}
