import type { ComponentChildren } from 'preact'
import { useApp, useTranslation } from '../store/app.ts'
import { backToList } from '../store/navigation.ts'
import { IconButton } from '../ui/button.tsx'

type PaneHeaderProps = {
  readonly title: ComponentChildren
  readonly children?: ComponentChildren
  readonly inSettings?: boolean
}

/** The header of the right column. In a narrow window it starts with a Back button. */
export function PaneHeader({ title, children, inSettings = false }: PaneHeaderProps) {
  const app = useApp()
  const t = useTranslation()
  return (
    <header class="pane-header">
      <IconButton
        icon="back"
        class="quiet back-button"
        label={inSettings ? t.actions.backToSettings : t.actions.backToJobs}
        onPress={() => backToList(app)}
      />
      <h1 class="truncate">{title}</h1>
      {children}
    </header>
  )
}
