import { presetName } from '../../shared/i18n/sentences.ts'
import { MOST_COUNTED } from '../../shared/model/history-page.ts'
import { OUTCOME_KINDS } from '../../shared/model/job.ts'
import { tasksWith } from '../pickers/task-options.ts'
import { withModifier, type App, useWindow } from '../store/app.ts'
import { showNewJob } from '../store/navigation.ts'
import { chipsOf, toggle, toggleOutcome } from '../store/search.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { MenuEntry } from '../store/overlays.ts'
import './search-bar.css'

export function SearchBar() {
  const { app, t } = useWindow()
  const text = app.searchText.value
  const onNewJob = app.route.jobPane.value.kind === 'newJob'
  return (
    <header class="pane-header">
      <label class="field-with-icon">
        <span class="visually-hidden">{t.list.search}</span>
        <Icon name="search" />
        <input
          id="search"
          class="field"
          type="search"
          placeholder={t.list.search}
          value={text}
          onInput={(event) => (app.searchText.value = event.currentTarget.value)}
        />
        {text !== '' && (
          <IconButton icon="close" label={t.list.clearSearch} onPress={() => (app.searchText.value = '')} />
        )}
      </label>
      <IconButton
        icon="filter"
        label={t.list.filter}
        class={chipsOf(app.filters.value, t).length > 0 ? 'selected' : 'quiet'}
        onMenu={(button) => openFilterMenu(app, button)}
      />
      <IconButton
        icon="plus"
        label={t.list.newJob({ keys: withModifier(app.facts, 'N') })}
        class={onNewJob ? 'selected' : ''}
        current={onNewJob}
        onPress={() => showNewJob(app)}
      />
    </header>
  )
}

/** The active filters, each as a button that removes it, and the number of jobs found. */
export function FilterChips() {
  const { app, t } = useWindow()
  const chips = chipsOf(app.filters.value, t)
  if (chips.length === 0) return null
  const { total, hasMore } = app.history.view.value
  return (
    <div class="chips">
      {chips.map(({ label, without }) => (
        <button
          key={label}
          type="button"
          class="chip"
          aria-label={t.list.removeFilter({ name: label })}
          onClick={() => (app.filters.value = without)}
        >
          {label}
          <Icon name="close" />
        </button>
      ))}
      {total !== null && (
        <span class="numeric" role="status">
          {total > MOST_COUNTED || hasMore
            ? t.list.manyJobs({ count: MOST_COUNTED })
            : t.count.jobs({ count: total })}
        </span>
      )}
    </div>
  )
}

const KINDS = ['photos', 'videos'] as const

function openFilterMenu(app: App, anchor: HTMLElement): void {
  const t = app.t.value
  const filters = app.filters.value
  const { kind, presets } = app.state.connection.value
  const tasks = kind === 'builtIn' ? tasksWith(presets) : []
  const names = [...new Set([...tasks, ...(presets?.image ?? []), ...(presets?.video ?? [])])]
  const ticked = (label: string, checked: boolean, next: typeof filters): MenuEntry => ({
    label,
    checked,
    run: () => (app.filters.value = next),
  })
  app.overlays.menu.value = {
    label: t.list.filter,
    anchor,
    entries: [
      { kind: 'heading', label: t.list.outcome },
      ...OUTCOME_KINDS.map((outcome) =>
        ticked(
          t.outcomes[outcome],
          filters.outcomes?.includes(outcome) ?? false,
          toggleOutcome(filters, outcome),
        ),
      ),
      { kind: 'divider' },
      { kind: 'heading', label: t.list.kind },
      ...KINDS.map((kind) => ticked(t.list[kind], filters.kind === kind, toggle(filters, 'kind', kind))),
      ticked(t.list.replaced, filters.replaced === true, toggle(filters, 'replaced', true)),
      ticked(t.list.fromAssistants, filters.by === 'assistant', toggle(filters, 'by', 'assistant')),
      ...(names.length === 0
        ? []
        : [{ kind: 'divider' } as const, { kind: 'heading', label: t.list.preset } as const]),
      ...names.map((name) =>
        ticked(presetName(name, t), filters.preset === name, toggle(filters, 'preset', name)),
      ),
    ],
  }
}
