import { useApp, useWords } from './state/app.ts'
import { DropOverlay } from './overlays/drop-overlay.tsx'
import { DialogHost } from './overlays/dialog-host.tsx'
import { MenuHost } from './overlays/menu-host.tsx'
import { ToastHost } from './overlays/toast-host.tsx'
import { FirstRun } from './first-run/first-run.tsx'
import { JobsColumn } from './list/jobs-column.tsx'
import { NoticeBar } from './notices/notice-bar.tsx'
import { Details } from './stage/details.tsx'
import { NewJob } from './stage/new-job.tsx'
import { SettingsNav } from './settings/settings-nav.tsx'
import { SettingsStage } from './settings/settings-stage.tsx'

/** Two places, Jobs and Settings; the first run stands in front of both until a service is chosen. */
export function MediatrayWindow() {
  const app = useApp()
  const { w } = useWords()
  if (app.state.connection.value.state.status === 'unconfigured' && app.state.settings.value.connection === null) {
    return (
      <div class="window">
        <FirstRun />
        <ToastHost />
      </div>
    )
  }
  const view = app.place.view.value
  return (
    <div class="window">
      <NoticeBar />
      <div class="panes" data-view={view} data-pane={app.place.pane.value}>
        {view === 'jobs' ? (
          <>
            <JobsColumn />
            <main class="stage" aria-label={w.details.region}>
              <Stage />
            </main>
          </>
        ) : (
          <>
            <SettingsNav />
            <main class="stage">
              <SettingsStage />
            </main>
          </>
        )}
      </div>
      <DropOverlay />
      <ToastHost />
      <MenuHost />
      <DialogHost />
      <p class="sr" role="status" aria-live="polite">
        {app.announcer.text}
      </p>
    </div>
  )
}

function Stage() {
  const stage = useApp().place.stage.value
  return stage.kind === 'newJob' ? <NewJob /> : <Details key={stage.id} id={stage.id} />
}
