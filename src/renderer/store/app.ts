import { computed, effect, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Bridge, IpcError } from '../../shared/ipc/contract.ts'
import type { AppFacts } from '../../shared/model/app-facts.ts'
import type { OpenDraftStart } from '../../shared/model/draft.ts'
import type { SettingsPatch } from '../../shared/model/settings.ts'
import type { SettingsImportView } from '../../shared/model/settings-import.ts'
import type { HistoryQuery } from '../../shared/model/history-page.ts'
import type { PartTitle } from '../../shared/model/job.ts'
import { unfinishedJobs } from '../../shared/model/job-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import { directionOf } from '../../shared/i18n/direction.ts'
import { chosenSpoken } from '../../shared/i18n/format.ts'
import {
  createRuleTranslation,
  createSettingsTranslation,
  createViewTranslation,
  createWindowTranslation,
  type SettingsTranslation,
  type ViewTranslation,
  type WindowTranslation,
} from '../../shared/i18n/i18n.ts'
import { createAnnouncer, createToasts, type ToastAction } from './toasts.ts'
import { createHistoryPages, followDetails } from './history.ts'
import { createChosenSettings } from './chosen-settings.ts'
import { followState } from './live-state.ts'
import { createOverlays } from './overlays.ts'
import type { LoadTexts } from './load-texts.ts'
import { textsOnDemand } from './texts-on-demand.ts'
import { createPresets } from './presets.ts'
import { createRoute } from './route.ts'

/** The state and actions of the window. Components get it from the context. */
export type App = Awaited<ReturnType<typeof createApp>>

const isIpcError = (reason: unknown): reason is IpcError =>
  typeof reason === 'object' && reason !== null && 'message' in reason && 'code' in reason && 'hint' in reason

export async function createApp(bridge: Bridge, now: () => number, loadTexts: LoadTexts) {
  const [facts, live] = await Promise.all([bridge.app.facts(), followState(bridge)])
  const chosen = createChosenSettings(bridge, live.settings)
  const state = { ...live, settings: chosen.settings }
  const route = createRoute()
  const toasts = createToasts()
  const chosenLanguage = computed(() => state.settings.value.language)
  const loadFor = async (chosen: string) => {
    const spoken = chosenSpoken(chosen, facts.locale, facts.languages)
    return { chosen, spoken, texts: await loadTexts('window', spoken.language) }
  }
  const loaded = signal(await loadFor(chosenLanguage.peek()))
  chosenLanguage.subscribe((wanted) => {
    if (wanted === loaded.peek().chosen) return
    void loadFor(wanted).then((found) => {
      if (chosenLanguage.peek() === wanted) loaded.value = found
    })
  })
  const t = computed(() => createWindowTranslation(loaded.value.texts, loaded.value.spoken))

  const views = textsOnDemand(loadTexts, 'views', () => t.value, createViewTranslation)

  const failed = (reason: unknown, actions: readonly ToastAction[] = []): void => {
    if (isIpcError(reason)) toasts.show(reason.message, { detail: reason.hint, actions })
    else toasts.show(t.value.toasts.couldNot, { actions })
  }

  async function attempt<Result>(
    call: Promise<Result>,
    actions?: readonly ToastAction[],
  ): Promise<Result | undefined> {
    try {
      return await call
    } catch (reason) {
      failed(reason, actions)
      return undefined
    }
  }

  const selected = computed<RecordId | null>(() =>
    route.jobPane.value.kind === 'details' ? route.jobPane.value.id : null,
  )
  // Progress changes twice a second and doesn't affect the details. A new stage does affect them.
  const revision = computed(() => {
    const id = selected.value
    const isShown = (part: PartTitle): boolean => part.id === id || part.place.id === id
    const jobs = state.jobs.value.filter(isShown)
    const entries = state.outbox.value.filter(isShown)
    return [
      state.historyVersion.value,
      ...jobs.map(({ stage, doneFiles }) => `${stage.kind} ${doneFiles.length}`),
      ...entries.map((entry) => entry.state.kind),
    ].join(' ')
  })

  const app = {
    bridge,
    facts,
    state,
    /** The unfinished jobs in the order of the list. */
    jobs: computed(() =>
      unfinishedJobs({
        jobs: state.jobs.value,
        outbox: state.outbox.value,
        endedParts: state.endedParts.value,
      }),
    ),
    presets: createPresets(bridge, t, loadTexts, failed),
    /** Returns the texts of watched folders' rules, or null while they are loading. */
    ruleWords: textsOnDemand(loadTexts, 'rules', () => t.value, createRuleTranslation).words,
    /** Returns the texts of views that load after the first paint; null while they are loading. */
    viewWords: views.words,
    /** The texts of these views; null until they are loaded. Reading this signal does not load them. */
    loadedViewWords: views.loaded,
    /** Resolves when the texts of later views are loaded. @throws if they can't be loaded */
    loadViewWords: views.load,
    /** Returns the texts of the settings; null while they are loading. */
    settingsWords: textsOnDemand(loadTexts, 'settings', views.words, createSettingsTranslation).words,
    history: createHistoryPages(bridge, state.historyVersion, failed),
    route,
    details: followDetails(bridge, selected, revision, failed),
    toasts,
    overlays: createOverlays(),
    announcer: createAnnouncer(now),
    t,
    /** The last start of the draft if it was refused; null otherwise. */
    refusedStart: signal<Extract<OpenDraftStart, { readonly ok: false }> | null>(null),
    /** The text in the search field, which may not have been searched for yet. */
    searchText: signal(''),
    filters: signal<Omit<HistoryQuery, 'text'>>({}),
    /** The text in the field for the maximum size; null if it shows the draft's size. */
    typedSize: signal<string | null>(null),
    /** Incremented when a watched folder's state changes, so that the list of folders is read again. */
    watchVersion: signal(0),
    /** The settings file that the user has chosen to import; null if none. */
    settingsImport: signal<SettingsImportView | null>(null),
    /** ms since 1970 */
    now,
    /**
     * Awaits a call. A failure is shown as a toast.
     * @param actions the buttons of that toast
     * @returns undefined after a failure
     */
    attempt,
    /** Returns whether a call succeeds. A failure is shown as a toast. */
    succeeds: async (call: Promise<unknown>) => (await attempt(call.then(() => true))) === true,
    /** Changes settings. Changes appear immediately. If they can't be saved, they are reverted and a toast reports the failure. */
    choose: (patch: SettingsPatch): void => void attempt(chosen.change(patch)),
  }

  effect(() => {
    const { documentElement } = document
    documentElement.lang = t.value.language
    documentElement.dir = directionOf(t.value.language)
    const { appearance } = state.settings.value
    if (appearance === 'system') delete documentElement.dataset['theme']
    else documentElement.dataset['theme'] = appearance
  })
  document.documentElement.dataset['platform'] = facts.platform
  return app
}

export const AppContext = createContext<App | null>(null)

export function useApp(): App {
  const app = useContext(AppContext)
  if (app === null) throw new Error('Rendered outside the app context')
  return app
}

/** Returns the texts of the window, and those of failures once they have been loaded. */
export const loadedWords = (app: App): WindowTranslation => app.loadedViewWords.value ?? app.t.value

export const useTranslation = (): WindowTranslation => useApp().t.value

/** Returns the app, and the texts of the window. */
export function useWindow() {
  const app = useApp()
  return { app, t: app.t.value }
}

/** Returns the app, and the texts of the window and its later views. Only for components that load after the first paint. */
export function useView() {
  const app = useApp()
  return { app, t: viewTranslation(app) }
}

/** Returns the app, and the texts of the window and the settings. Only for components that the settings show. */
export function useSettingsView() {
  const app = useApp()
  return { app, t: settingsTranslation(app) }
}

/** Returns the texts of the window and its later views. Only for components that load after the first paint. */
export const useViewTranslation = (): ViewTranslation => viewTranslation(useApp())

/** Returns the texts of the window and its later views. @throws Error if those of the views haven't been loaded */
export const viewTranslation = (app: App): ViewTranslation => loaded(app.viewWords(), 'later views')

/** Returns the texts of the window and the settings. Only for components that the settings show. */
export const useSettingsTranslation = (): SettingsTranslation => settingsTranslation(useApp())

/** Returns the texts of the window and the settings. @throws Error if those of the settings haven't been loaded */
export const settingsTranslation = (app: App): SettingsTranslation => loaded(app.settingsWords(), 'settings')

/** Returns texts that have been loaded. @throws Error if they haven't */
export function loaded<Words>(words: Words | null, name: string): Words {
  if (words === null) throw new Error(`The texts of the ${name} haven’t been loaded`)
  return words
}

/** Returns a shortcut as the platform writes it: "Ctrl N", "⌘N". */
export const withModifier = (facts: AppFacts, key: string): string =>
  facts.platform === 'darwin' ? `⌘${key}` : `Ctrl ${key}`

export const hasModifier = (facts: AppFacts, event: KeyboardEvent): boolean =>
  facts.platform === 'darwin' ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
