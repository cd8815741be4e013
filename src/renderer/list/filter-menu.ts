import type { App } from '../store/app.ts'
import type { MenuEntry } from '../store/overlays.ts'
import { toggleKind, toggleOutcome, togglePreset } from '../store/search.ts'

const OUTCOMES = ['done', 'problems', 'failed', 'cancelled', 'forgotten'] as const
const KINDS = ['photos', 'videos'] as const

export function openFilterMenu(app: App, anchor: HTMLElement): void {
  const t = app.t.value
  const filters = app.filters.value
  const { presets } = app.state.connection.value
  const names = [...new Set([...(presets?.image ?? []), ...(presets?.video ?? [])])]
  const ticked = (label: string, checked: boolean, next: typeof filters): MenuEntry => ({
    kind: 'item',
    label,
    checked,
    run: () => {
      app.filters.value = next
    },
  })
  app.overlays.menu.value = {
    label: t.list.filter,
    anchor,
    entries: [
      { kind: 'heading', label: t.list.outcome },
      ...OUTCOMES.map((outcome) =>
        ticked(
          t.outcomes[outcome],
          filters.outcomes?.includes(outcome) ?? false,
          toggleOutcome(filters, outcome),
        ),
      ),
      { kind: 'divider' },
      { kind: 'heading', label: t.list.kind },
      ...KINDS.map((kind) => ticked(t.list[kind], filters.kind === kind, toggleKind(filters, kind))),
      ...(names.length === 0
        ? []
        : [{ kind: 'divider' } as const, { kind: 'heading', label: t.list.preset } as const]),
      ...names.map((name) => ticked(name, filters.preset === name, togglePreset(filters, name))),
    ],
  }
}
