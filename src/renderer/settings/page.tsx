import type { ComponentChildren } from 'preact'
import { PaneHeader } from '../pickers/pane-header.tsx'
import { useSettingsView } from '../store/app.ts'
import { leaveSubpage } from '../store/navigation.ts'
import type { SettingsPage } from '../store/route.ts'

type HeaderProps = {
  readonly title: ComponentChildren
  /** The page that a subpage belongs to, and that its Back button leads to. */
  readonly subpageOf?: SettingsPage | undefined
}

export function PageHeader(props: HeaderProps & { readonly children?: ComponentChildren }) {
  const { title, subpageOf, children } = props
  const { app, t } = useSettingsView()
  const back = subpageOf && {
    label: t.subpages.back({ page: t.settings[subpageOf] }),
    onPress: () => leaveSubpage(app),
  }
  return (
    <PaneHeader title={title} back={back} inSettings>
      {children}
    </PaneHeader>
  )
}

/** A page or subpage of the settings: its header, and its content, which scrolls. */
export function Page(
  props: HeaderProps & {
    readonly buttons?: ComponentChildren
    readonly children: ComponentChildren
  },
) {
  const { title, subpageOf, buttons, children } = props
  return (
    <>
      <PageHeader title={title} subpageOf={subpageOf}>
        {buttons}
      </PageHeader>
      <div class="scroll-area">
        <div class="pane-content">{children}</div>
      </div>
    </>
  )
}
