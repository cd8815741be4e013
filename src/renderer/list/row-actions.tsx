/** What users can do with a job in the list. Loaded after the first paint. */
import { titleOf, type WorkItem } from '../../shared/model/work-item.ts'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { actionsFor, describe, menuEntries, type WorkActionName } from '../store/work-actions.ts'
import { IconButton } from '../ui/button.tsx'

export function openRowMenu(
  app: App,
  item: WorkItem,
  anchor: HTMLElement,
  point?: { readonly x: number; readonly y: number },
): void {
  const entries = menuEntries(app, item, null)
  if (entries.length === 0) return
  app.overlays.menu.value = {
    label: app.t.value.list.actionsFor({ name: titleOf(item).name }),
    entries,
    anchor,
    point,
  }
}

const ON_ROW: readonly WorkActionName[] = [
  'cancel',
  'edit',
  'startAnyway',
  'sendNext',
  'removeWaiting',
  'show',
]

/** Buttons shown on hover. The row's menu and the job pane offer the same actions. */
export function RowActions({ item }: { readonly item: WorkItem }) {
  const app = useApp()
  const t = useTranslation()
  const names = actionsFor(item, null)
  const shown = names.filter((name) => ON_ROW.includes(name))
  return (
    <span class="job-row-actions">
      {shown.map((name) => {
        const { label, icon, menu, run } = describe(app, name, item, null)
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
          onMenu={(button) => openRowMenu(app, item, button)}
          skipTab
        />
      )}
    </span>
  )
}
