import { useApp, useTranslation } from './store/app.ts'
import { ToastHost } from './overlays/toast-host.tsx'
import { JobsColumn } from './list/jobs-column.tsx'
import { later } from './store/later.tsx'
import { NewJob } from './job-pane/new-job.tsx'
import './window.css'

// The first paint doesn't need these components.
const Details = later(async () => (await import('./job-pane/details.tsx')).Details)
const DialogHost = later(async () => (await import('./overlays/dialog-host.tsx')).DialogHost)
// The window may open with a notice, so this doesn't wait for the texts of later views.
const NoticeBar = later(async () => (await import('./notices/notice-bar.tsx')).NoticeBar, { texts: false })
const DropOverlay = later(async () => (await import('./overlays/drop-overlay.tsx')).DropOverlay)
const MenuHost = later(async () => (await import('./overlays/menu-host.tsx')).MenuHost)
const FirstRun = later(async () => (await import('./first-run/first-run.tsx')).FirstRun)
const SettingsNav = later(async () => (await import('./settings/settings.tsx')).SettingsNav)
// The studio is large and rarely opened, so don't load it before its first use.
const Studio = later(async () => (await import('./preset-studio/studio.tsx')).Studio, { ahead: false })
const SettingsPane = later(async () => (await import('./settings/settings.tsx')).SettingsPane)

/** Shows the jobs, the settings or the studio. Until a service is chosen, shows the first-run screen instead. */
export function MediatrayWindow() {
  const app = useApp()
  if (
    app.state.connection.value.state.status === 'unconfigured' &&
    app.state.settings.value.connection === null
  ) {
    return (
      <div class="window">
        <FirstRun />
        <DraggedFiles />
        <ToastHost />
      </div>
    )
  }
  const view = app.route.view.value
  const { menu, dialog, folderPicker } = app.overlays
  const { notices, ending } = app.state
  return (
    <div class="window">
      {(notices.value.length > 0 || ending.value !== null) && <NoticeBar />}
      {view === 'studio' ? <Studio /> : <Panes view={view} />}
      <DraggedFiles />
      <ToastHost />
      {menu.value !== null && <MenuHost />}
      {(dialog.value !== null || folderPicker.value !== null) && <DialogHost />}
      <p class="visually-hidden" role="status" aria-live="polite">
        {app.announcer.text}
      </p>
    </div>
  )
}

function DraggedFiles() {
  const count = useApp().overlays.draggedFiles.value
  return count === null ? null : <DropOverlay count={count} />
}

function Panes({ view }: { readonly view: 'jobs' | 'settings' }) {
  const { route } = useApp()
  const t = useTranslation()
  const isJobs = view === 'jobs'
  const listOnly = route.listOnly.value
  const label = isJobs ? t.list.region : t.settings.region
  return (
    <div class="panes" data-view={view} data-pane={route.pane.value}>
      <section class="sidebar" data-region="side" role={listOnly ? 'main' : undefined} aria-label={label}>
        {listOnly && <h1 class="visually-hidden">{label}</h1>}
        {isJobs ? <JobsColumn /> : <SettingsNav />}
      </section>
      <main class="job-pane" data-region="main" aria-label={isJobs ? t.list.detailsRegion : undefined}>
        {isJobs ? <JobPane /> : <SettingsPane />}
      </main>
    </div>
  )
}

function JobPane() {
  const shown = useApp().route.jobPane.value
  return shown.kind === 'newJob' ? <NewJob /> : <Details key={shown.id} id={shown.id} />
}
