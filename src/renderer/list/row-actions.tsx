/** What users can do with a job in the list. Loaded after the first paint. */
import { titleOf } from '../../shared/model/job-state.ts'
import type { Job } from '../../shared/model/job.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { actionsFor, describe, menuEntries, type JobActionName } from '../store/job-actions.ts'
import { IconButton } from '../ui/button.tsx'

export function openRowMenu(
  app: App,
  job: Job,
  anchor: HTMLElement,
  point?: { readonly x: number; readonly y: number },
): void {
  const entries = menuEntries(app, job, null)
  if (entries.length === 0) return
  app.overlays.menu.value = {
    label: app.t.value.list.actionsFor({ name: titleOf(job).name }),
    entries,
    anchor,
    point,
  }
}

const ON_ROW: readonly JobActionName[] = ['cancel', 'edit', 'startAnyway', 'runNext', 'removeWaiting', 'show']

/** Buttons shown on hover. The row's menu and the job pane offer the same actions. */
export function RowActions({ job }: { readonly job: Job }) {
  const app = useApp()
  const t = useTranslation()
  const names = actionsFor(job, null)
  const shown = names.filter((name) => ON_ROW.includes(name))
  return (
    <span class="job-row-actions">
      {shown.map((name) => {
        const { label, icon, menu, run } = describe(app, name, job, null)
        return (
          <IconButton
            key={name}
            icon={name === 'cancel' ? 'close' : name === 'show' ? 'reveal' : icon}
            label={label}
            {...(menu === undefined ? { onPress: run } : { onMenu: menu })}
            skipTab
          />
        )
      })}
      {names.length > shown.length && (
        <IconButton
          icon="more"
          label={t.actions.more}
          onMenu={(button) => openRowMenu(app, job, button)}
          skipTab
        />
      )}
    </span>
  )
}
