import { computed, effect, untracked } from '@preact/signals'
import type { Events } from '../shared/ipc/contract.ts'
import type { ClipboardNews } from '../shared/model/clipboard-news.ts'
import type { RecordId } from '../shared/model/ids.ts'
import { outcomeOfParts, plannedResults } from '../shared/model/job-outcome.ts'
import type { Outcome, PartTitle } from '../shared/model/job.ts'
import { jobOfDetails, titleOf } from '../shared/model/job-state.ts'
import { fineLossesIn } from '../shared/loss/fine-losses.ts'
import { jobName } from '../shared/i18n/names.ts'
import {
  clipboardSentence,
  lostWords,
  outcomeWord,
  presetName,
  quietWords,
  startingSentence,
} from '../shared/i18n/sentences.ts'
import { chosenTile, tilesOf } from './pickers/tiles.ts'
import { loadedWords, type App } from './store/app.ts'
import { endingSentence } from './store/dates.ts'
import { skippedItems } from './store/draft-contents.ts'
import { focusOnceShown, isTypedIn } from './store/focus.ts'
import { focusSearch, showDetails, showNewJob, showSettings, unlessNavigated } from './store/navigation.ts'

/** Handles requests from the tray, notifications, menus and links, and announces changes to screen readers. */
export function followEvents(app: App): void {
  app.bridge.on('show', (event) => {
    if (event.place === 'details') showDetails(app, event.id, true)
    else SHOW[event.place](app)
  })
  app.bridge.on('toast', (event) => toast(app, event))
  app.bridge.on('watchChanged', () => {
    app.watchVersion.value += 1
  })
  announceOutcomes(app)
  announceEnding(app)
  announceDone(app)
  announceQuiet(app)
}

const SHOW: Readonly<Record<Exclude<Events['show']['place'], 'details'>, (app: App) => void>> = {
  newJob: showNewJob,
  newest: (app) => void showNewest(app),
  keyField(app) {
    app.route.view.value = 'jobs'
    focusOnceShown('#notice-key')
  },
  settings: (app) => showSettings(app),
  search: focusSearch,
}

/** Asks for the newest job, because the list may not be loaded yet, or only show what a search has found. */
async function showNewest(app: App): Promise<void> {
  const ifStillHere = unlessNavigated(app)
  const page = await app.attempt(app.bridge.history.page({ query: {}, offset: 0, limit: 1 }))
  const newest = page?.records[0]
  if (newest) ifStillHere(() => showDetails(app, newest.id, true))
}

function toast(app: App, event: Events['toast']): void {
  const t = app.t.value
  switch (event.kind) {
    case 'added': {
      const added = withChoice(app, t.toasts.added({ count: event.taken }), event.refused)
      const refused = t.toasts.refused({ refused: event.refused })
      app.announcer.say(event.refused === 0 ? added : t.phrases.and({ first: added, second: refused }))
      return
    }
    case 'startingSoon':
      return app.toasts.show(startingSentence(event, t), {
        actions: [
          { label: t.actions.undo, run: () => void undoStart(app, event.ids) },
          { label: t.actions.edit, run: () => void editStart(app, event.ids) },
        ],
      })
    case 'clipboard':
      return showClipboardNews(app, event.news)
    case 'stillInTray':
      return app.toasts.show(t.toasts.stillInTray)
    case 'error':
      return app.toasts.show(event.error.message, { detail: event.error.hint })
  }
}

/**
 * Adds the name of the chosen tile to an announcement, because it gets the focus, and Enter then starts the job. Adds nothing if files were
 * rejected or the user is typing in a field.
 */
function withChoice(app: App, added: string, refused: number): string {
  const draft = app.state.draft.peek()
  const t = app.t.peek()
  const isTiled = chosenTile(draft, tilesOf(app)) !== undefined
  return isTiled && refused === 0 && !isTypedIn(document.activeElement)
    ? t.tasks.chosen({ added, name: presetName(draft.presets[0] ?? null, t) })
    : added
}

function showClipboardNews(app: App, news: ClipboardNews): void {
  const t = app.t.value
  const text = clipboardSentence(news, t)
  if (news.kind !== 'ready') return app.toasts.show(text)
  const undo = () => void app.attempt(app.bridge.clipboard.undo(news.run))
  app.toasts.show(text, { lead: t.clipboard.readyLead, actions: [{ label: t.actions.undo, run: undo }] })
}

async function undoStart(app: App, ids: readonly RecordId[]): Promise<void> {
  for (const id of ids) await app.attempt(app.bridge.outbox.remove(id))
}

async function editStart(app: App, ids: readonly RecordId[]): Promise<void> {
  const [first, ...others] = ids
  if (first === undefined) return
  for (const id of others) await app.attempt(app.bridge.outbox.remove(id))
  await app.attempt(app.bridge.outbox.edit(first))
  showNewJob(app)
}

/** Announces how many of the files just added are skipped because earlier jobs have processed them. */
function announceDone(app: App): void {
  let added = 0
  app.bridge.on('toast', (event) => {
    if (event.kind === 'added') added = event.taken
  })
  app.state.doneFiles.subscribe((known) => {
    if (known?.kind !== 'known' || added === 0) return
    const t = app.t.peek()
    const skipped = untracked(() => skippedItems(app)).size
    const files = t.toasts.added({ count: added })
    if (skipped > 0) app.announcer.say(t.toasts.addedDone({ files, count: skipped }))
    added = 0
  })
}

/** Announces when quiet mode starts and stops holding jobs back, if there are any jobs. */
function announceQuiet(app: App): void {
  const { quiet, jobs, outbox } = app.state
  const reason = computed(() => quiet.value.wait?.reason ?? null)
  let before = reason.peek()
  effect(() => {
    const now = reason.value
    if (now === before) return
    before = now
    untracked(() => {
      const { wait } = quiet.value
      const t = app.t.value
      if (jobs.value.length + outbox.value.length === 0) return
      app.announcer.say(
        wait === null
          ? t.announcements.quietEnded
          : t.announcements.quietBegan({ waiting: quietWords(wait, t) }),
      )
    })
  })
}

/** Announces the countdown once, when it starts. */
function announceEnding(app: App): void {
  const action = computed(() => app.state.ending.value?.action ?? null)
  effect(() => {
    if (action.value !== null) untracked(() => app.announcer.say(endingSentence(app)))
  })
}

/** Announces the outcome of each job that has left the service. */
function announceOutcomes(app: App): void {
  let before = new Set<RecordId>()
  effect(() => {
    const now = new Set(app.state.jobs.value.map(({ id }) => id))
    for (const id of before) if (!now.has(id)) void announceOutcome(app, id)
    before = now
  })
}

/** Returns the outcome with the number of results that lost something: "Done, 2 lost something". */
const withLosses = (app: App, title: PartTitle, outcome: Outcome, planned: number | null): string => {
  const t = loadedWords(app)
  const lost = lostWords(outcome, t, fineLossesIn(app.state.settings.peek(), title))
  return t.listed([outcomeWord(outcome, planned, t), lost].filter((words) => words !== undefined))
}

async function announceOutcome(app: App, id: RecordId): Promise<void> {
  const details = await app.bridge.jobs.details(id).catch(() => null)
  if (details === null || details.outcome === null) return
  const { place, preset } = details
  await app.loadViewWords().catch(() => undefined)
  const t = loadedWords(app)
  const first = place.id === id ? details : await app.bridge.jobs.details(place.id).catch(() => null)
  if (first === null) return
  const job = jobOfDetails(first)
  const title = titleOf(job)
  const name = jobName(title, t)
  const outcome = outcomeOfParts(job.parts)
  if (outcome !== null) {
    const sentence = withLosses(app, title, outcome, place.presets > 1 ? null : plannedResults(title))
    app.announcer.say(t.announcements.over({ name, sentence }), 'now')
    return
  }
  const ended = outcomeOfParts(job.parts.filter((part) => part.preset === preset))
  if (place.presets < 2 || ended === null) return
  app.announcer.say(
    t.announcements.partEnded({ name, preset: presetName(preset, t), sentence: outcomeWord(ended, null, t) }),
    'now',
  )
}
