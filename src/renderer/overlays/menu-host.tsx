import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { useApp } from '../store/app.ts'
import type { MenuItem, OpenMenu } from '../store/overlays.ts'
import { Icon } from '../ui/icon.tsx'
import { createTypeahead } from '../ui/typeahead.ts'
import './menu-host.css'

export function MenuHost() {
  const open = useApp().overlays.menu.value
  if (open === null) return null
  // Accessibility rules require that all content, including menus, is inside a landmark.
  return (
    <section aria-label={open.label}>
      <Menu open={open} />
    </section>
  )
}

/** A menu in the top layer. Arrow keys move the focus, letters jump to an item, and Escape and Tab close the menu. */
function Menu({ open }: { readonly open: OpenMenu }) {
  const { menu } = useApp().overlays
  const element = useRef<HTMLDivElement>(null)
  const typeahead = useMemo(createTypeahead, [])

  const close = (): void => {
    if (menu.peek() === open) menu.value = null
    open.anchor.focus()
  }

  useLayoutEffect(() => {
    const box = element.current
    if (!box) return undefined
    box.showPopover()
    positionMenu(box, open)
    items(box)[0]?.focus({ preventScroll: true })
    // Close the menu here: a popover that closes automatically would close when the pointer is released after opening it.
    const onPointerDown = (event: PointerEvent): void => {
      const { target } = event
      if (!(target instanceof Node) || box.contains(target)) return
      if (menu.peek() === open) menu.value = null
      // A second press on the button only closes the menu.
      if (open.anchor.contains(target)) event.stopPropagation()
    }
    addEventListener('pointerdown', onPointerDown, { capture: true })
    return () => removeEventListener('pointerdown', onPointerDown, { capture: true })
  }, [open])

  const move = (to: number): void => {
    const all = items(element.current)
    all[(to + all.length) % all.length]?.focus()
  }

  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation()
    const all = items(element.current)
    const at = all.findIndex((item) => item === document.activeElement)
    if (event.key === 'ArrowDown') move(at + 1)
    else if (event.key === 'ArrowUp') move(at - 1)
    else if (event.key === 'Home') move(0)
    else if (event.key === 'End') move(-1)
    else if (event.key === 'Escape' || event.key === 'Tab') close()
    else if (event.key.length === 1 && event.key !== ' ')
      typeahead.find(event, all, -1, (item) => item.textContent?.trim() ?? '')?.focus()
    else return
    event.preventDefault()
  }

  const hasChecks = open.entries.some((entry) => entry.kind === undefined && entry.checked !== undefined)
  return (
    <div
      ref={element}
      class="menu"
      role="menu"
      aria-label={open.label}
      popover="manual"
      onKeyDown={onKeyDown}
    >
      {open.entries.map((entry, index) => {
        if (entry.kind === 'divider') return <hr key={index} />
        if (entry.kind === 'heading') {
          return (
            <div key={index} class="menu-heading" role="presentation">
              {entry.label}
            </div>
          )
        }
        return <ItemButton key={index} entry={entry} hasChecks={hasChecks} onChosen={close} />
      })}
    </div>
  )
}

function ItemButton(props: {
  readonly entry: MenuItem
  readonly hasChecks: boolean
  readonly onChosen: () => void
}) {
  const { entry, hasChecks, onChosen } = props
  return (
    <button
      type="button"
      role={entry.checked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      aria-checked={entry.checked}
      aria-disabled={entry.disabled ? true : undefined}
      tabIndex={-1}
      onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        if (entry.disabled) return
        onChosen()
        entry.run()
      }}
    >
      {entry.icon && <Icon name={entry.icon} />}
      {hasChecks && (entry.checked ? <Icon name="check" /> : <span class="icon" />)}
      {entry.hint === undefined ? (
        entry.label
      ) : (
        <span class="menu-item-text">
          {entry.label}
          <span class="hint">{entry.hint}</span>
        </span>
      )}
      {entry.keys !== undefined && <kbd aria-hidden="true">{entry.keys}</kbd>}
    </button>
  )
}

const items = (box: HTMLElement | null): readonly HTMLElement[] =>
  box === null ? [] : [...box.querySelectorAll<HTMLElement>('[role^="menuitem"]')]

const GAP = 4
const EDGE = 8

/** Positions the menu at the pointer or below its anchor, or above if there is no room below. Keeps it inside the window. */
function positionMenu(box: HTMLElement, { anchor, point }: OpenMenu): void {
  const at = anchor.getBoundingClientRect()
  const { width, height } = box.getBoundingClientRect()
  const rightToLeft = getComputedStyle(box).direction === 'rtl'
  // A context menu opened with the keyboard has no pointer position and appears below its row.
  const byPointer = point !== undefined && (point.x !== 0 || point.y !== 0)
  const wantedX = byPointer ? point.x : opensTowardsStart(at, rightToLeft) ? at.right - width : at.left
  const below = byPointer ? point.y : at.bottom + GAP
  const above = byPointer ? point.y - height : at.top - GAP - height
  const y = below + height > innerHeight - EDGE && above >= EDGE ? above : below
  box.style.setProperty('--x', `${clamp(wantedX, innerWidth - width - EDGE)}px`)
  box.style.setProperty('--y', `${clamp(y, innerHeight - height - EDGE)}px`)
}

/** Whether the menu extends to the left: if there isn't room on the right or, in right-to-left layouts, if there is room on the left. */
const opensTowardsStart = (at: DOMRect, rightToLeft: boolean): boolean =>
  rightToLeft ? at.left > 280 : at.left + 280 > innerWidth

const clamp = (value: number, most: number): number => Math.max(EDGE, Math.min(value, most))
