import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useApp } from '../store/app.ts'
import type { Subpage } from '../store/route.ts'
import { Icon } from '../ui/icon.tsx'
import './subpage-row.css'

type SubpageLinkProps = {
  readonly subpage: Subpage
  readonly label: ComponentChildren
  /** The current state of the subpage's settings, in words. */
  readonly summary: ComponentChildren
}

/**
 * A link to a subpage, and its summary, which describes the link. The target of the link is the whole row around them. The arrow key
 * in the direction of the chevron opens the subpage, too.
 */
export function SubpageLink({ subpage, label, summary }: SubpageLinkProps) {
  const app = useApp()
  const id = useId()
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: Element }): void => {
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    if (event.key !== (isRtl ? 'ArrowLeft' : 'ArrowRight')) return
    event.preventDefault()
    app.route.subpage.value = subpage
  }
  return (
    <>
      <button
        type="button"
        role="link"
        class="label subpage-link"
        data-subpage={subpage}
        aria-describedby={id}
        onClick={() => (app.route.subpage.value = subpage)}
        onKeyDown={onKeyDown}
      >
        {label}
      </button>
      <span class="hint numeric" id={id}>
        {summary}
      </span>
    </>
  )
}

export function SubpageRow(props: SubpageLinkProps) {
  return (
    <div class="setting subpage-row">
      <SubpageLink {...props} />
      <span class="setting-control">
        <Icon name="forward" />
      </span>
    </div>
  )
}
