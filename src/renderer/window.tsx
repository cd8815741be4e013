import { useApp, useTranslation } from './store/app.ts'
import { DropOverlay } from './overlays/drop-overlay.tsx'
import { MenuHost } from './overlays/menu-host.tsx'
import { ToastHost } from './overlays/toast-host.tsx'
import { JobsColumn } from './list/jobs-column.tsx'
import { NoticeBar } from './notices/notice-bar.tsx'
import { NewJob } from './job-pane/new-job.tsx'
import { later } from './ui/later.tsx'

// The first paint needs none of these.
const Details = later(async () => (await import('./job-pane/details.tsx')).Details)
const DialogHost = later(async () => (await import('./overlays/dialog-host.tsx')).DialogHost)
const FirstRun = later(async () => (await import('./first-run/first-run.tsx')).FirstRun)
const SettingsNav = later(async () => (await import('./settings/settings.tsx')).SettingsNav)
const SettingsPane = later(async () => (await import('./settings/settings.tsx')).SettingsPane)

/** Two views, Jobs and Settings; the first run stands in front of both until a service is chosen. */
export function MediatrayWindow() {
  const app = useApp()
  const t = useTranslation()
  if (
    app.state.connection.value.state.status === 'unconfigured' &&
    app.state.settings.value.connection === null
  ) {
    return (
      <div class="window">
        <FirstRun />
        <ToastHost />
      </div>
    )
  }
  const view = app.route.view.value
  return (
    <div class="window">
      <NoticeBar />
      <div class="panes" data-view={view} data-pane={app.route.pane.value}>
        {view === 'jobs' ? (
          <>
            <JobsColumn />
            <main class="job-pane" data-region="main" aria-label={t.details.region}>
              <JobPane />
            </main>
          </>
        ) : (
          <>
            <SettingsNav />
            <main class="job-pane" data-region="main">
              <SettingsPane />
            </main>
          </>
        )}
      </div>
      <DropOverlay />
      <ToastHost />
      <MenuHost />
      {app.overlays.dialog.value !== null && <DialogHost />}
      <p class="sr" role="status" aria-live="polite">
        {app.announcer.text}
      </p>
    </div>
  )
}

function JobPane() {
  const shown = useApp().route.jobPane.value
  return shown.kind === 'newJob' ? <NewJob /> : <Details key={shown.id} id={shown.id} />
}
