import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useApp, useTranslation } from './store/app.ts'
import { DropOverlay } from './overlays/drop-overlay.tsx'
import { MenuHost } from './overlays/menu-host.tsx'
import { ToastHost } from './overlays/toast-host.tsx'
import { JobsColumn } from './list/jobs-column.tsx'
import { NoticeBar } from './notices/notice-bar.tsx'
import { NewJob } from './job-pane/new-job.tsx'

/** A part of the window whose script is read when it is first shown; until then there is nothing in its place. */
function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  ahead = true,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | null>(null)
  let asked = false
  const ask = (): void => {
    if (asked) return
    asked = true
    void load().then((component) => {
      loaded.value = component
    })
  }
  // So that it is there when it is wanted.
  if (ahead) afterFirstPaint(() => requestIdleCallback(ask))
  return function Later(props: Props) {
    ask()
    const Loaded = loaded.value
    return Loaded && <Loaded {...props} />
  }
}

/** Waiting for the first answers of the main process the window is idle too, and has better things to load. */
function afterFirstPaint(run: () => void): void {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length === 0) return
    observer.disconnect()
    run()
  })
  observer.observe({ type: 'paint', buffered: true })
}

// The first paint needs none of these.
const Details = later(async () => (await import('./job-pane/details.tsx')).Details)
const DialogHost = later(async () => (await import('./overlays/dialog-host.tsx')).DialogHost)
const FirstRun = later(async () => (await import('./first-run/first-run.tsx')).FirstRun)
const SettingsNav = later(async () => (await import('./settings/settings.tsx')).SettingsNav)
// It is large, and most days nobody opens it.
const Studio = later(async () => (await import('./preset-studio/studio.tsx')).Studio, false)
const SettingsPane = later(async () => (await import('./settings/settings.tsx')).SettingsPane)

/** Two views, Jobs and Settings; the first run stands in front of both until a service is chosen. */
export function MediatrayWindow() {
  const app = useApp()
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
      {view === 'studio' ? <Studio /> : <Panes view={view} />}
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

function Panes({ view }: { readonly view: 'jobs' | 'settings' }) {
  const app = useApp()
  const t = useTranslation()
  return (
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
  )
}

function JobPane() {
  const shown = useApp().route.jobPane.value
  return shown.kind === 'newJob' ? <NewJob /> : <Details key={shown.id} id={shown.id} />
}
