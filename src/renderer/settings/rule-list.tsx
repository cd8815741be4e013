import { type Signal, useSignal } from '@preact/signals'
import { presetName } from '../../shared/i18n/sentences.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import type { DryRun, DryRunFile } from '../../shared/model/dry-run.ts'
import type { FolderRule, RuleAction } from '../../shared/model/folder-rules.ts'
import { actionsOf } from '../../shared/model/watch-folder.ts'
import { missingPresets } from '../../shared/preset/known-preset.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Name } from '../ui/name.tsx'
import { rowFor } from '../ui/scrolled-rows.ts'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { hasModifier, useApp, useTranslation, withModifier, type App } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { connectionOf } from '../store/services.ts'
import { deleteRule, duplicateRule, moveRule, openRule, type RulesView } from './rule-actions.ts'
import { actionSummary, restName, summaryOf } from './rule-summary.ts'
import { ruleTranslation, useRuleTranslation } from './translations.ts'

/** Height of a row in px, used by the Page keys. */
const ROW_HEIGHT = 52

/** The rules. Arrow keys move between their rows. The row for files that match no rule is always last. */
export function RuleList(props: { readonly view: RulesView; readonly dryRun: DryRun | null }) {
  const { view, dryRun } = props
  const app = useApp()
  const t = useRuleTranslation()
  const words = useTranslation()
  const { rules } = view.rules
  const actions = actionsOf(view.folder, view.rules)
  const ids = [...rules.map(({ id }) => id), REST]
  const focused = useSignal<string>(ids[0] ?? REST)
  const stop = ids.includes(focused.value) ? focused.value : ids[0]
  const dropAt = useSignal<number | null>(null)
  const open = useSignal<string | null>(ids[0] ?? null)

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset['rule'] === undefined) return
    const at = ids.indexOf(event.target.dataset['rule'])
    if (at < rules.length && actOn(app, view, at, event)) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    if (event.altKey) return
    const to = rowFor(event, { at, last: ids.length - 1, viewHeight: innerHeight, rowHeight: ROW_HEIGHT })
    if (to === undefined) return
    event.preventDefault()
    focusOnceShown(`[data-rule=${JSON.stringify(ids[to])}]`)
  }
  return (
    <ol class="rules" aria-label={t.page.list} onKeyDown={onKeyDown}>
      {actions.map((action, index) => {
        const rule = rules[index]
        const id = rule?.id ?? REST
        const row = { view, rule, index, action, isStop: id === stop }
        const tried = dryRun?.rules[index]
        return (
          <li key={id} class={`rule ${dropAt.value === index ? 'drop-here' : ''}`} data-index={index}>
            <div class="rule-row">
              {rule === undefined ? (
                <span class="rule-number" aria-hidden="true">
                  –
                </span>
              ) : (
                <>
                  <DragHandle view={view} index={index} dropAt={dropAt} />
                  <span class="rule-number numeric">{words.number(index + 1)}</span>
                </>
              )}
              <RuleButton {...row} onFocus={() => (focused.value = id)} />
              {tried && (
                <Hits
                  count={tried.files}
                  isOpen={open.value === id}
                  name={rule === undefined ? t.dryRun.filesOfRest : t.dryRun.filesOf({ number: index + 1 })}
                  onToggle={() => (open.value = open.value === id ? null : id)}
                />
              )}
              <RuleMenu {...row} />
            </div>
            {tried && tried.files > 0 && open.value === id && (
              <Tried files={tried.listed} count={tried.files} rule={rule} />
            )}
          </li>
        )
      })}
    </ol>
  )
}

/** Stands for a rule's ID in the row for files that match no rule. */
const REST = 'rest'

/** Handles the keys that change a rule. Returns whether the key is one of them. */
function actOn(app: App, view: RulesView, index: number, event: KeyboardEvent): boolean {
  const { key, altKey } = event
  if (altKey && (key === 'ArrowUp' || key === 'ArrowDown')) {
    moveRule(app, view, index, index + (key === 'ArrowUp' ? -1 : 1))
    return true
  }
  if (key === 'Delete' || (key === 'Backspace' && hasModifier(app.facts, event))) {
    deleteRule(app, view, index)
    return true
  }
  if (key.toLowerCase() === 'd' && hasModifier(app.facts, event)) {
    duplicateRule(app, view, index)
    return true
  }
  return false
}

type RuleRowProps = {
  readonly view: RulesView
  /** undefined in the row for files that match no rule. */
  readonly rule: FolderRule | undefined
  readonly index: number
  readonly action: RuleAction
  readonly isStop: boolean
}

function RuleButton({ onFocus, ...row }: RuleRowProps & { onFocus: () => void }) {
  const { view, rule, index, action, isStop } = row
  const app = useApp()
  const t = useRuleTranslation()
  const words = { t: useTranslation(), rules: t }
  const named = action.do === 'ignore' ? [] : action.presets
  const [missing] = missingPresets(connectionOf(app, view.folder), named)
  const waiting = view.folder.waiting.find(({ preset }) => preset === missing)?.files ?? 0
  const problem =
    missing === undefined
      ? undefined
      : [
          t.action.missing({ preset: presetName(missing, words.t) }),
          ...(waiting > 0 ? [t.action.waiting({ count: waiting })] : []),
        ]
  return (
    <button
      type="button"
      class="rule-open"
      data-rule={rule?.id ?? REST}
      tabIndex={isStop ? 0 : -1}
      aria-keyshortcuts={rule === undefined ? undefined : 'Alt+ArrowUp Alt+ArrowDown Delete'}
      onFocus={onFocus}
      onContextMenu={(event) => {
        event.preventDefault()
        if (rule !== undefined) openRuleMenu(app, row, event.currentTarget)
      }}
      onClick={() => openRule(app, view, rule === undefined ? 'rest' : index)}
    >
      <b class="truncate">{rule === undefined ? restName(view.rules, t) : summaryOf(rule.when, words)}</b>
      <span class={`rule-action ${problem === undefined ? '' : 'text-warning'}`}>
        <Icon
          name={problem === undefined ? (action.do === 'ignore' ? 'stop' : 'turn') : 'warn'}
          class="small"
        />
        <span class="truncate">
          {problem === undefined
            ? actionSummary(action, words, app.facts.homeFolder)
            : words.t.sentences(problem)}
        </span>
      </span>
    </button>
  )
}

function RuleMenu(props: RuleRowProps) {
  const { view, rule, index, isStop } = props
  const app = useApp()
  const t = useRuleTranslation()
  if (rule === undefined)
    return (
      <IconButton icon="pencil" label={t.page.edit} skipTab onPress={() => openRule(app, view, 'rest')} />
    )
  return (
    <IconButton
      icon="more"
      label={t.page.moreFor({ number: index + 1 })}
      skipTab={!isStop}
      onMenu={(anchor) => openRuleMenu(app, props, anchor)}
    />
  )
}

function openRuleMenu(app: App, { view, index }: RuleRowProps, anchor: HTMLElement): void {
  const texts = ruleTranslation(app).page
  app.overlays.menu.value = {
    label: texts.moreFor({ number: index + 1 }),
    anchor,
    entries: [
      { label: texts.change, icon: 'pencil', run: () => openRule(app, view, index) },
      {
        label: texts.moveUp,
        keys: 'Alt ↑',
        disabled: index === 0,
        run: () => moveRule(app, view, index, index - 1),
      },
      {
        label: texts.moveDown,
        keys: 'Alt ↓',
        disabled: index === view.rules.rules.length - 1,
        run: () => moveRule(app, view, index, index + 1),
      },
      {
        label: texts.duplicate,
        icon: 'copy',
        keys: withModifier(app.facts, 'D'),
        run: () => duplicateRule(app, view, index),
      },
      { kind: 'divider' },
      {
        label: texts.delete,
        icon: 'trash',
        keys: app.facts.platform === 'darwin' ? '⌘⌫' : 'Del',
        run: () => deleteRule(app, view, index),
      },
    ],
  }
}

/** Moves a rule with the pointer. The row handles the keys that move it. */
function DragHandle(props: {
  readonly view: RulesView
  readonly index: number
  readonly dropAt: Signal<number | null>
}) {
  const { view, index, dropAt } = props
  const app = useApp()
  const t = useRuleTranslation()
  const last = view.rules.rules.length - 1
  const ruleUnder = ({ clientX, clientY }: PointerEvent): number | null => {
    const row = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>('.rule')
    return row ? Math.min(Number(row.dataset['index']), last) : null
  }
  return (
    <span
      class="rule-handle"
      title={t.page.handle({ number: index + 1 })}
      onPointerDown={(event) => {
        if (event.button !== 0) return
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        dropAt.value = index
      }}
      onPointerMove={(event) => {
        if (dropAt.value !== null) dropAt.value = ruleUnder(event) ?? dropAt.value
      }}
      onPointerUp={() => {
        const to = dropAt.value
        dropAt.value = null
        if (to !== null) moveRule(app, view, index, to)
      }}
      onPointerCancel={() => (dropAt.value = null)}
    >
      <Icon name="handle" />
    </span>
  )
}

/** Shows how many files match a rule, and opens the list of these files. */
function Hits(props: {
  readonly count: number
  readonly isOpen: boolean
  readonly name: string
  readonly onToggle: () => void
}) {
  const { count, isOpen, name, onToggle } = props
  const hits = useRuleTranslation().dryRun.hits({ count })
  if (count === 0) return <span class="rule-hits none">{hits}</span>
  return (
    <button
      type="button"
      class="rule-hits"
      aria-expanded={isOpen}
      aria-label={`${hits}. ${name}`}
      onClick={onToggle}
    >
      {hits}
      <Icon name="forward" class="small" />
    </button>
  )
}

function Tried(props: {
  readonly files: readonly DryRunFile[]
  readonly count: number
  readonly rule: FolderRule | undefined
}) {
  const { files, count, rule } = props
  const { dryRun: texts } = useRuleTranslation()
  return (
    <ul class="tried">
      {files.map((file) => (
        <TriedRow key={file.path} file={file} rule={rule} />
      ))}
      {count > files.length && <li class="hint">{texts.more({ count: count - files.length })}</li>}
    </ul>
  )
}

/** A file, its size, and its dimensions, duration and date if the rule compares them. */
function TriedRow(props: { readonly file: DryRunFile; readonly rule: FolderRule | undefined }) {
  const { file, rule } = props
  const t = useRuleTranslation()
  const words = useTranslation()
  const app = useApp()
  const { header } = file
  const asks = (about: string): boolean => rule?.when.some((condition) => condition.about === about) ?? false
  const facts = [
    ...(asks('dimensions') && header?.width && header.height
      ? [t.dryRun.dimensions({ width: String(header.width), height: String(header.height) })]
      : []),
    ...(asks('duration') && header?.duration ? [words.duration(header.duration)] : []),
    ...(asks('age') ? [words.day(file.modified, app.now())] : []),
    words.size(file.size),
  ]
  return (
    <li>
      <Thumbnail path={file.path} video={mediaKindOf(file.name) === 'video'} small />
      <Name name={file.name} />
      <bdi class="tried-facts numeric">{words.listed(facts)}</bdi>
    </li>
  )
}
