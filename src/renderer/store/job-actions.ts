import { isInVault } from '../../shared/model/replacement.ts'
import type { Job, PartDetails } from '../../shared/model/job.ts'
import { idOf, openPartsIn, stateOf, titleOf } from '../../shared/model/job-state.ts'
import { endOf, outcomeOfParts } from '../../shared/model/job-outcome.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { jobName } from '../../shared/i18n/names.ts'
import type { IconName } from '../ui/icon.tsx'
import { withModifier, type App, viewTranslation } from './app.ts'
import { showNewJob, unlessNavigated } from './navigation.ts'
import { offerUndo } from './offer-undo.ts'
import { replaceAgain, undoReplacing } from './restore-originals.ts'
import type { MenuEntry } from './overlays.ts'
import { askCancel, mustAsk } from './cancel-menu.ts'
import { quietWaitOf } from './job-signs.ts'
import { canMoveBy, moveBy } from './queue-moves.ts'

/** A job in the window, for one of its actions. */
type Shown = {
  readonly app: App
  readonly job: Job
  /** null until loaded */
  readonly details: PartDetails | null
  readonly id: RecordId
}

type Definition = {
  readonly icon: IconName
  readonly label: (t: ViewTranslation, job: Job) => string
  readonly keys?: string
  /** The key that is pressed with the platform's modifier. */
  readonly shortcut?: string
  /** Whether the action has an effect now; missing if it always does. */
  readonly isPossible?: (app: App, job: Job) => boolean
  /** Runs the action. Only `cancel` may ask first, because the user can undo a removal. */
  readonly run: (shown: Shown) => unknown
}

const ACTIONS = {
  cancel: { icon: 'stop', keys: 'Del', label: (t) => t.actions.cancelJob, run: cancel },
  edit: {
    icon: 'sliders',
    label: (t) => t.actions.edit,
    run: ({ app, id }) => thenShowDraft(app, app.bridge.outbox.edit(id)),
  },
  startAnyway: {
    icon: 'play',
    shortcut: '↵',
    label: (t) => t.actions.startAnyway,
    run: ({ app, id }) => app.attempt(app.bridge.outbox.startAnyway(id)),
  },
  moveUp: {
    icon: 'higher',
    keys: 'Alt ↑',
    label: (t) => t.actions.moveUp,
    isPossible: (app, job) => canMoveBy(app, job, -1),
    run: ({ app, job }) => moveBy(app, job, -1),
  },
  moveDown: {
    icon: 'lower',
    keys: 'Alt ↓',
    label: (t) => t.actions.moveDown,
    isPossible: (app, job) => canMoveBy(app, job, 1),
    run: ({ app, job }) => moveBy(app, job, 1),
  },
  runNext: {
    icon: 'up',
    label: (t) => t.actions.runNext,
    run: ({ app, id }) => app.attempt(app.bridge.outbox.runNext(id)),
  },
  removeWaiting: { icon: 'trash', keys: 'Del', label: (t) => t.actions.remove, run: removeWaiting },
  undoAll: {
    icon: 'undo',
    shortcut: 'Z',
    label: (t) => t.replacedJob.undoAll,
    run: ({ app, id }) => undoReplacing(app, id),
  },
  replaceAll: {
    icon: 'swap',
    label: (t) => t.replacedJob.allAgain,
    run: ({ app, id }) => replaceAgain(app, id),
  },
  show: { icon: 'folder', label: (t) => t.actions.showInFolder, run: showInFolder },
  retry: {
    icon: 'retry',
    shortcut: 'Shift R',
    label: (t, job) => t.actions.retry({ count: problemCount(job) }),
    run: ({ app, id }) => thenShowDraft(app, app.bridge.jobs.retryFailed({ id, scope: 'job' })),
  },
  runAgain: {
    icon: 'retry',
    shortcut: 'R',
    label: (t, job) => (stateOf(job) === 'failed' ? t.actions.tryAgain : t.actions.runAgain),
    run: ({ app, id }) => thenShowDraft(app, app.bridge.jobs.runAgain({ id, scope: 'job' })),
  },
  openFirst: {
    icon: 'open',
    label: (t) => t.actions.openFirst,
    run: ({ app, details }) =>
      details?.results.slice(0, 1).map(({ outputPath }) => app.attempt(app.bridge.files.open(outputPath))),
  },
  showOriginals: {
    icon: 'reveal',
    label: (t) => t.actions.showOriginals,
    run: ({ app, job }) => reveal(app, titleOf(job).firstPath),
  },
  copyPaths: { icon: 'copy', label: (t) => t.actions.copyPaths, run: copyPaths },
  removeRecord: { icon: 'trash', keys: 'Del', label: (t) => t.actions.removeFromHistory, run: removeRecord },
} as const satisfies Readonly<Record<string, Definition>>

export type JobActionName = keyof typeof ACTIONS

/**
 * Returns the possible actions in menu order. If a job has several parts, the user decides about refused and unconfirmed parts in the
 * details.
 * @param details null until loaded
 */
export function actionsFor(job: Job, details: PartDetails | null): readonly JobActionName[] {
  const { parts } = job
  const starting: readonly JobActionName[] = quietWaitOf(job) === null ? [] : ['startAnyway']
  const isUntouched = parts.every(({ at }) => at === 'outbox')
  const state = stateOf(job)
  switch (state) {
    case 'now':
    case 'next': {
      const isEnding = parts.every(
        (part) => part.at === 'history' || (part.at === 'service' && part.stage.kind === 'cancelling'),
      )
      return isEnding ? [] : [...starting, 'cancel']
    }
    case 'waiting': {
      const moving: readonly JobActionName[] = (job.turn?.of ?? 1) > 1 ? ['moveUp', 'moveDown'] : []
      return isUntouched
        ? ['edit', ...starting, 'runNext', ...moving, 'removeWaiting']
        : [...starting, 'cancel', 'runNext', ...moving]
    }
    case 'sending':
      return []
    case 'refused':
    case 'unsure':
      if (openPartsIn(job).length > 0) return ['cancel']
      return isUntouched && state === 'refused' ? ['edit', 'removeWaiting'] : ['removeWaiting']
    case 'uploading':
      return titleOf(job).firstPath === null ? [] : ['showOriginals']
    case 'problems':
      return ['retry', ...actionsAfter(job, details)]
    case 'done':
    case 'failed':
    case 'cancelled':
    case 'forgotten':
      return actionsAfter(job, details)
  }
}

function actionsAfter(job: Job, details: PartDetails | null): readonly JobActionName[] {
  const { output, origin, firstPath } = titleOf(job)
  const isReplacing = output?.kind === 'folder' && isInVault(output.path)
  // Results in a drive have no paths on this computer.
  const hasFiles = details !== null && details.results.length > 0 && output?.kind !== 'drive'
  return [
    ...(isReplacing ? actionsOnOriginals(job, details) : []),
    ...(output?.kind === 'folder' && !isReplacing ? (['show'] as const) : []),
    ...(origin === 'ours' ? (['runAgain'] as const) : []),
    ...(hasFiles ? (['openFirst'] as const) : []),
    ...(firstPath === null ? [] : (['showOriginals'] as const)),
    ...(hasFiles ? (['copyPaths'] as const) : []),
    'removeRecord',
  ]
}

/** Returns the actions on a job's originals. Only the details show which originals have been deleted from the vault. */
function actionsOnOriginals(job: Job, details: PartDetails | null): readonly JobActionName[] {
  const { replaced } = endOf(job)
  if (replaced === null) return []
  const states = details?.replacements.map(({ state }) => state)
  const canUndo = states?.some(({ kind }) => kind === 'replaced') ?? replaced.replaced > 0
  if (canUndo) return ['undoAll']
  const canReplace = states?.some((state) => state.kind === 'restored' && state.again) ?? false
  return canReplace ? ['replaceAll'] : []
}

export type JobAction = {
  readonly label: string
  readonly icon: IconName
  readonly keys?: string | undefined
  readonly disabled: boolean
  readonly run: () => void
  /** Opens a menu of choices below the anchor. Set if the action needs a decision. */
  readonly menu?: (anchor: HTMLElement) => void
}

export function describe(app: App, name: JobActionName, job: Job, details: PartDetails | null): JobAction {
  const { icon, label, keys, shortcut, isPossible }: Definition = ACTIONS[name]
  return {
    label: label(viewTranslation(app), job),
    icon,
    keys: shortcut === undefined ? keys : withModifier(app.facts, shortcut),
    disabled: isPossible?.(app, job) === false,
    run: () => perform(app, name, job, details),
    ...(name === 'cancel' && mustAsk(job)
      ? { menu: (anchor: HTMLElement) => askCancel(app, job, anchor) }
      : {}),
  }
}

export function perform(app: App, name: JobActionName, job: Job, details: PartDetails | null): void {
  void ACTIONS[name].run({ app, job, details, id: idOf(job) })
}

const problemCount = (job: Job): number => {
  const outcome = outcomeOfParts(job.parts)
  return outcome?.kind === 'problems' ? outcome.problems : 1
}

export function menuEntries(
  app: App,
  job: Job,
  details: PartDetails | null,
  without: readonly JobActionName[] = [],
): readonly MenuEntry[] {
  const names = actionsFor(job, details).filter((name) => !without.includes(name))
  const own = names.flatMap((name): MenuEntry[] => {
    const { label, icon, keys, disabled, run } = describe(app, name, job, details)
    const entry: MenuEntry = { label, icon, keys, disabled, run }
    return name === 'removeRecord' && names.length > 1 ? [{ kind: 'divider' }, entry] : [entry]
  })
  return stateOf(job) === 'waiting' ? [...own, { kind: 'divider' }, pausing(app)] : own
}

/** Returns the menu item that pauses or resumes all jobs. */
function pausing(app: App): MenuEntry {
  const t = viewTranslation(app)
  const { outbox } = app.bridge
  return app.state.quiet.value.wait?.reason === 'paused'
    ? { label: t.pause.resume, icon: 'play', run: () => void app.attempt(outbox.resume()) }
    : {
        label: t.quiet.pauseAll,
        icon: 'pause',
        run: () => void app.attempt(outbox.pause('untilResumed')),
      }
}

function cancel({ app, job, id }: Shown): void {
  if (!mustAsk(job)) return void app.attempt(app.bridge.jobs.cancel({ id, scope: 'job' }))
  const anchor = document.activeElement
  if (anchor instanceof HTMLElement) askCancel(app, job, anchor)
}

function removeWaiting({ app, job, id }: Shown): void {
  const { outbox } = app.bridge
  const t = viewTranslation(app)
  const removed = t.toasts.removed({ name: jobName(titleOf(job), t) })
  void offerUndo(app, outbox.remove(id), removed, () => outbox.restore(id))
  leaveDetailsOf(app, job)
}

function removeRecord({ app, job, details, id }: Shown): void {
  const { jobs } = app.bridge
  const t = viewTranslation(app)
  const hasOriginals = actionsFor(job, details).includes('undoAll')
  const sentence = hasOriginals ? t.toasts.originalsStayInVault : t.toasts.removedFromHistory
  const removed = sentence({ name: jobName(titleOf(job), t) })
  void offerUndo(app, jobs.remove(id), removed, () => jobs.restore(id))
  leaveDetailsOf(app, job)
}

function showInFolder({ app, job, details }: Shown): void {
  const { output } = titleOf(job)
  if (output?.kind === 'folder') reveal(app, details?.results[0]?.outputPath ?? output.path)
}

function reveal(app: App, path: string | null): void {
  if (path !== null) void app.attempt(app.bridge.files.reveal(path))
}

/** Shows the draft that a call opens, unless the user has navigated elsewhere in the meantime. */
export async function thenShowDraft(app: App, opening: Promise<unknown>): Promise<void> {
  const ifStillHere = unlessNavigated(app)
  if (await app.succeeds(opening)) ifStillHere(() => showNewJob(app))
}

/** Copies the paths of the results of all parts. */
async function copyPaths({ app, details }: Shown): Promise<void> {
  if (details === null) return
  const others = details.parts.filter(({ id }) => id !== details.id)
  const read = await app.attempt(Promise.all(others.map(({ id }) => app.bridge.jobs.details(id))))
  if (read === undefined) return
  const paths = [details, ...read].flatMap((part) => part?.results.map(({ outputPath }) => outputPath) ?? [])
  if (await app.succeeds(app.bridge.app.copyText(paths.join('\n'))))
    app.toasts.show(viewTranslation(app).actions.copied({ count: paths.length }))
}

function leaveDetailsOf(app: App, job: Job): void {
  const { jobPane, pane } = app.route
  if (jobPane.value.kind !== 'details' || jobPane.value.id !== idOf(job)) return
  jobPane.value = { kind: 'newJob' }
  pane.value = 'list'
}
