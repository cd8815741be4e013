import type { ComponentChildren } from 'preact'
import { useWindow } from '../store/app.ts'
import { backToList } from '../store/navigation.ts'
import { IconButton } from '../ui/button.tsx'

/** The header of the right column. In a narrow window it starts with a Back button. */
export function PaneHeader(props: {
  readonly title: ComponentChildren
  readonly children?: ComponentChildren
  readonly inSettings?: boolean
  /** Replaces the Back button of a narrow window. Shown at any width. */
  readonly back?: { readonly label: string; readonly onPress: () => void } | undefined
}) {
  const { title, children, inSettings = false, back } = props
  const { app, t } = useWindow()
  return (
    <header class="pane-header">
      <IconButton
        icon="back"
        class={`quiet ${back === undefined ? 'back-button' : 'back-always'}`}
        label={back?.label ?? (inSettings ? t.actions.backToSettings : t.actions.backToJobs)}
        onPress={back?.onPress ?? (() => backToList(app))}
      />
      <h1 class="truncate">{title}</h1>
      {children}
    </header>
  )
}
