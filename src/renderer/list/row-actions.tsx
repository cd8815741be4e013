/** The actions on a job in the list. Loaded after the first paint. */
import { titleOf } from '../../shared/model/job-state.ts'
import type { Job } from '../../shared/model/job.ts'
import { type App, useWindow } from '../store/app.ts'
import { actionsFor, describe, menuEntries, type JobActionName } from '../store/job-actions.ts'
import { jobName } from '../../shared/i18n/names.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Draggable } from './drag.ts'
import { startDrag } from './drag-row.ts'

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

/** Moves a waiting job with the pointer. The row handles the keys that move it. */
export function DragHandle({ job, list }: { readonly job: Job; readonly list: Draggable }) {
  const { app, t } = useWindow()
  return (
    <button
      type="button"
      class="job-row-handle"
      aria-label={t.list.moveRow({ name: jobName(titleOf(job), t) })}
      tabIndex={-1}
      onPointerDown={(event) => startDrag(app, job, list, event)}
    >
      <Icon name="handle" />
    </button>
  )
}

/** Buttons shown on hover. The row's menu and the job pane offer the same actions. */
export function RowActions({ job }: { readonly job: Job }) {
  const { app, t } = useWindow()
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
