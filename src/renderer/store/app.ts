import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { AppFacts, Bridge, IpcError } from '../../shared/ipc/contract.ts'
import type { DraftProblem } from '../../shared/model/draft.ts'
import type { SettingsPatch } from '../../shared/model/settings.ts'
import type { HistoryQuery } from '../../shared/model/work.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { languageFor } from '../../shared/i18n/format.ts'
import { createWindowTranslation, loadWindowTexts, type WindowTranslation } from '../../shared/i18n/i18n.ts'
import { createAnnouncer, createToasts, type Announcer, type Toasts } from './toasts.ts'
import { createHistoryPages, followDetails, type DetailsReading, type HistoryPages } from './history.ts'
import { createChosenSettings } from './chosen-settings.ts'
import { followState, type LiveState } from './live-state.ts'
import { createOverlays, type Overlays } from './overlays.ts'
import { createPresets, type Presets } from './presets.ts'
import { createRoute, type Route } from './route.ts'

/** Everything the components draw from and act on. One for the window; it reaches them through the context. */
export type App = {
  readonly bridge: Bridge
  readonly facts: AppFacts
  readonly state: LiveState
  readonly history: HistoryPages
  readonly presets: Presets
  readonly route: Route
  readonly details: ReadonlySignal<DetailsReading | null>
  readonly toasts: Toasts
  readonly overlays: Overlays
  readonly announcer: Announcer
  readonly t: ReadonlySignal<WindowTranslation>
  /** Why the draft could not be started when that was last tried. */
  readonly startProblems: Signal<readonly DraftProblem[]>
  /** What is in the search field, before it is asked for. */
  readonly searchText: Signal<string>
  readonly filters: Signal<Omit<HistoryQuery, 'text'>>
  /** Grows when a watched folder has something else to say of itself, so that the list is asked for again. */
  readonly watchVersion: Signal<number>
  /** ms since 1970 */
  readonly now: () => number
  /** Awaits a call made for the user; a failure becomes a toast. @returns undefined after a failure */
  attempt<Result>(call: Promise<Result>): Promise<Result | undefined>
  /** Changes settings for the user; they show at once, and as before after a failure, which becomes a toast. */
  choose(patch: SettingsPatch): void
}

const isIpcError = (reason: unknown): reason is IpcError =>
  typeof reason === 'object' && reason !== null && 'message' in reason && 'code' in reason && 'hint' in reason

const loadFor = async (locale: string) => ({ locale, texts: await loadWindowTexts(languageFor(locale)) })

export async function createApp(bridge: Bridge, now: () => number): Promise<App> {
  // Most likely the language that is wanted: it comes while the main process answers.
  void loadWindowTexts(languageFor(navigator.language))
  const [facts, live] = await Promise.all([bridge.app.facts(), followState(bridge)])
  const chosen = createChosenSettings(bridge, live.settings)
  const state = { ...live, settings: chosen.settings }
  const route = createRoute()
  const toasts = createToasts()
  const locale = computed(() => {
    const chosen = state.settings.value.language
    // The region of the system stays where its language is the one that is wanted.
    const fits = chosen === 'system' || languageFor(facts.locale) === chosen
    return fits ? facts.locale : chosen
  })
  const spoken = signal(await loadFor(locale.peek()))
  locale.subscribe((wanted) => {
    if (wanted === spoken.peek().locale) return
    void loadFor(wanted).then((loaded) => {
      if (locale.peek() === wanted) spoken.value = loaded
    })
  })
  const t = computed(() => createWindowTranslation(spoken.value.texts, spoken.value.locale))

  const failed = (reason: unknown): void => {
    toasts.show(
      isIpcError(reason)
        ? { text: reason.message, ...(reason.hint === null ? {} : { detail: reason.hint }), actions: [] }
        : { text: t.value.toasts.couldNot, actions: [] },
    )
  }

  const attempt = async <Result>(call: Promise<Result>): Promise<Result | undefined> => {
    try {
      return await call
    } catch (reason) {
      failed(reason)
      return undefined
    }
  }

  const selected = computed<RecordId | null>(() =>
    route.jobPane.value.kind === 'details' ? route.jobPane.value.id : null,
  )
  // Progress changes twice a second and is no reason to read the details again; a new stage is.
  const revision = computed(() => {
    const id = selected.value
    const job = state.jobs.value.find((candidate) => candidate.id === id)
    const entry = state.outbox.value.find((candidate) => candidate.id === id)
    return `${state.historyVersion.value} ${job?.stage.kind} ${job?.doneFiles.length} ${entry?.state.kind}`
  })

  const app: App = {
    bridge,
    facts,
    state,
    presets: createPresets(bridge, t, failed),
    history: createHistoryPages(bridge, state.historyVersion, failed),
    route,
    details: followDetails(bridge, selected, revision, failed),
    toasts,
    overlays: createOverlays(),
    announcer: createAnnouncer(now),
    t,
    startProblems: signal([]),
    searchText: signal(''),
    filters: signal({}),
    watchVersion: signal(0),
    now,
    attempt,
    choose: (patch) => void attempt(chosen.change(patch)),
  }

  effect(() => {
    document.documentElement.lang = t.value.language
    const { appearance } = state.settings.value
    if (appearance === 'system') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = appearance
  })
  document.documentElement.dataset['platform'] = facts.platform
  return app
}

export const AppContext = createContext<App | null>(null)

export function useApp(): App {
  const app = useContext(AppContext)
  if (app === null) throw new Error('A component stands outside the app')
  return app
}

/** What the window says, in the chosen language. */
export const useTranslation = (): WindowTranslation => useApp().t.value

/** A key with the platform's main modifier, as it is written there: "Ctrl N", "⌘N". */
export const withModifier = (facts: AppFacts, key: string): string =>
  facts.platform === 'darwin' ? `⌘${key}` : `Ctrl ${key}`

export const hasModifier = (facts: AppFacts, event: KeyboardEvent): boolean =>
  facts.platform === 'darwin' ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
