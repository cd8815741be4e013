import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Option, OptionGroup } from './form-controls.tsx'
import { Icon } from './icon.tsx'
import { createTypeahead } from './typeahead.ts'
import './form-controls.css'
import './combobox.css'

type Several = {
  /** Adds or removes an option. The list stays open. */
  readonly onToggle: (value: string) => void
  /** Shown below the list: what Space and Enter do, and how many options are chosen. */
  readonly foot: {
    readonly spaceKey: string
    readonly space: string
    readonly enter: string
    readonly count: string
  }
}

type ComboboxProps = {
  readonly id: string
  /** The accessible name of the list. */
  readonly label: string
  readonly groups: readonly OptionGroup[]
  readonly chosen: readonly string[]
  /** Chooses only this option. */
  readonly onChoose: (value: string) => void
  readonly several?: Several | undefined
  /** Joins the parts of an option's accessible name in the user's language. */
  readonly listed: (parts: readonly string[]) => string
  /** Whether to show a link instead of a field. Either one opens the list. */
  readonly link?: boolean | undefined
  /** The chosen options, as the closed field shows them. */
  readonly children: ComponentChildren
  /** The accessible name of the field, if no label names it. */
  readonly 'aria-label'?: string | undefined
  readonly 'aria-describedby'?: string | undefined
}

/**
 * A field that opens a list. The focus stays on the field; `aria-activedescendant` names the current option. Disabled options can't be
 * chosen, but keys reach them, so that screen readers read why they are disabled.
 */
export function Combobox(props: ComboboxProps) {
  const { id, children, link = false } = props
  const { open, active, setOpen, onKeyDown, setActive, take } = useList(props)
  const listId = `${id}-list`
  return (
    <span class={`combobox ${link ? 'linked' : ''}`}>
      <button
        type="button"
        id={id}
        class={link ? 'link' : 'select'}
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? listId : undefined}
        aria-activedescendant={open && active !== null ? optionId(id, active) : undefined}
        aria-label={props['aria-label']}
        aria-describedby={props['aria-describedby']}
        onClick={() => setOpen(!open)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      >
        {link ? (
          children
        ) : (
          <>
            <span class="combobox-value">{children}</span>
            <span class="combobox-arrows" />
          </>
        )}
      </button>
      {open && <List {...props} active={active} onPoint={setActive} onTake={take} />}
    </span>
  )
}

const PAGE = 8

function useList({ id, groups, chosen, onChoose, several }: ComboboxProps) {
  const [open, setOpenState] = useState(false)
  const [current, setActive] = useState<string | null>(null)
  const typeahead = useMemo(createTypeahead, [])
  const options = groups.flatMap((group) => group.options)
  const active = options.some(({ value }) => value === current) ? current : (options[0]?.value ?? null)
  const at = options.findIndex(({ value }) => value === active)

  function setOpen(next: boolean): void {
    if (next && !open) setActive(chosen[0] ?? null)
    setOpenState(next)
  }
  function moveTo(index: number): void {
    const next = options[Math.max(0, Math.min(index, options.length - 1))]
    if (next === undefined) return
    setActive(next.value)
    const row = document.getElementById(optionId(id, next.value))
    // Scroll to the top for the first option, so that its heading is visible, too.
    if (next === options[0]) row?.closest('.combobox-options')?.scrollTo(0, 0)
    else row?.scrollIntoView({ block: 'nearest' })
  }
  function take(value: string, adds: boolean): void {
    const option = options.find((candidate) => candidate.value === value)
    if (option === undefined || option.disabled) return
    if (adds && several !== undefined && !option.alone) return several.onToggle(value)
    setOpen(false)
    onChoose(value)
  }
  function search(event: KeyboardEvent): void {
    const found = typeahead.find(event, options, at, ({ label }) => label)
    if (found !== undefined) moveTo(options.indexOf(found))
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey) return
    const action = actionOf(event, { open, isTyping: typeahead.isTyping(event) })
    if (action === undefined) return
    if (action === 'leave') return setOpen(false)
    event.preventDefault()
    if (action !== 'search') typeahead.stop()
    if (action === 'open') return setOpen(true)
    if (action === 'close') return setOpen(false)
    if (action === 'search') {
      setOpenState(true)
      return search(event)
    }
    if (action === 'take' || action === 'add') {
      if (active !== null) take(active, action === 'add')
      return undefined
    }
    return moveTo(action === 'first' ? 0 : action === 'last' ? options.length - 1 : at + STEPS[action])
  }
  return { open, active, setOpen, setActive, onKeyDown, take }
}

const STEPS = { down: 1, up: -1, pageDown: PAGE, pageUp: -PAGE } as const

type Action = 'open' | 'close' | 'leave' | 'take' | 'add' | 'first' | 'last' | 'search' | keyof typeof STEPS

const OPENING = new Set(['Enter', ' ', 'ArrowDown', 'ArrowUp', 'Home', 'End'])
const ACTIONS: Readonly<Partial<Record<string, Action>>> = {
  ArrowDown: 'down',
  ArrowUp: 'up',
  PageDown: 'pageDown',
  PageUp: 'pageUp',
  Home: 'first',
  End: 'last',
  Enter: 'take',
  ' ': 'add',
  Escape: 'close',
  Tab: 'leave',
}

/** Returns what a key does; undefined if the key does nothing here. */
function actionOf(
  { key, altKey }: KeyboardEvent,
  { open, isTyping }: { readonly open: boolean; readonly isTyping: boolean },
): Action | undefined {
  if (key === ' ' && isTyping) return 'search'
  if (altKey && open && key === 'ArrowUp') return 'close'
  const isText = key.length === 1 && key !== ' ' && !altKey
  // `/` focuses the search everywhere in the window.
  if (!open) return OPENING.has(key) ? 'open' : isText && key !== '/' ? 'search' : undefined
  return ACTIONS[key] ?? (isText ? 'search' : undefined)
}

const optionId = (id: string, value: string): string => `${id}-${encodeURIComponent(value)}`

type ListProps = ComboboxProps & {
  readonly active: string | null
  readonly onPoint: (value: string) => void
  readonly onTake: (value: string, adds: boolean) => void
}

function List(props: ListProps) {
  const { id, label, groups, chosen, several } = props
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    box.current?.showPopover()
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [])
  const all = groups.flatMap((group) => group.options)
  return (
    <div
      ref={box}
      class="combobox-list"
      popover="manual"
      // Keeps the focus on the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      <div
        id={`${id}-list`}
        class="combobox-options"
        role="listbox"
        aria-label={label}
        aria-multiselectable={several === undefined ? undefined : true}
      >
        {groups.map((group) => (
          <div key={group.label} role="group" aria-label={group.label}>
            {group.label !== undefined && (
              <div class="menu-heading" aria-hidden="true">
                {group.label}
              </div>
            )}
            {group.options.map((option) => (
              <Row
                key={option.value}
                list={props}
                option={option}
                selected={chosen.includes(option.value)}
                position={all.indexOf(option) + 1}
                count={all.length}
              />
            ))}
          </div>
        ))}
      </div>
      {several !== undefined && (
        <p class="combobox-foot" aria-hidden="true">
          <span>
            <kbd>{several.foot.spaceKey}</kbd> {several.foot.space}
          </span>
          <span>
            <kbd>Enter</kbd> {several.foot.enter}
          </span>
          <span class="numeric">{several.foot.count}</span>
        </p>
      )}
    </div>
  )
}

function Row(props: {
  readonly list: ListProps
  readonly option: Option
  readonly selected: boolean
  /** 1 for the first option. */
  readonly position: number
  readonly count: number
}) {
  const { list, option, selected, position, count } = props
  const { value, label, kind, why, disabled = false } = option
  const name = list.listed([label, kind, disabled ? why : undefined].filter((part) => part !== undefined))
  const hasCheckbox = list.several !== undefined && !option.alone
  return (
    <div
      id={optionId(list.id, value)}
      class={`combobox-option ${list.active === value ? 'active' : ''}`}
      role="option"
      aria-selected={selected}
      aria-disabled={disabled ? true : undefined}
      // The reason why an option is disabled is already part of its name.
      aria-description={disabled ? undefined : why}
      aria-posinset={position}
      aria-setsize={count}
      onPointerMove={() => list.onPoint(value)}
      onClick={(event) => {
        const { target } = event
        const onCheckbox = target instanceof Element && target.closest('.combobox-checkbox') !== null
        list.onTake(value, onCheckbox)
      }}
    >
      {option.icon && <Icon name={option.icon} />}
      <span class="visually-hidden">{name}</span>
      <span class="option-label truncate" aria-hidden="true">
        {label}
      </span>
      {why && (
        <span class="option-reason" aria-hidden="true">
          {why}
        </span>
      )}
      <span class={hasCheckbox ? 'combobox-checkbox' : 'combobox-tick'} />
    </div>
  )
}
