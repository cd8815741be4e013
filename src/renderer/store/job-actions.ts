import { isInVault } from '../../shared/model/replacement.ts'
import type { Job, PartDetails } from '../../shared/model/job.ts'
import { idOf, openPartsIn, stateOf, titleOf } from '../../shared/model/job-state.ts'
import { endOf, outcomeOfParts } from '../../shared/model/job-outcome.ts'
import { jobName } from '../../shared/i18n/names.ts'
import type { IconName } from '../ui/icon.tsx'
import { withModifier, type App } from './app.ts'
import { showNewJob, unlessNavigated } from './navigation.ts'
import { offerUndo } from './offer-undo.ts'
import { replaceAgain, undoReplacing } from './restore-originals.ts'
import type { MenuEntry } from './overlays.ts'
import { askCancel, mustAsk } from './cancel-menu.ts'
import { quietWaitOf } from './job-signs.ts'

export type JobActionName =
  | 'cancel'
  | 'edit'
  | 'startAnyway'
  | 'sendNext'
  | 'removeWaiting'
  | 'undoAll'
  | 'replaceAll'
  | 'show'
  | 'retry'
  | 'runAgain'
  | 'openFirst'
  | 'showOriginals'
  | 'copyPaths'
  | 'removeRecord'

/**
 * Returns the possible actions in menu order. The user decides about refused and uncertain parts of several in the details.
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
    case 'waiting':
      return isUntouched
        ? ['edit', ...starting, 'sendNext', 'removeWaiting']
        : [...starting, 'cancel', 'sendNext']
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
  // Results in a drive have no paths here.
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

/** Originals that have been deleted from the vault can't be restored. That is known only from the details. */
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
  readonly name: JobActionName
  readonly label: string
  readonly icon: IconName
  readonly keys?: string
  readonly run: () => void
  /** Opens a menu with the choices below its button. Set if the action needs a decision. */
  readonly menu?: (anchor: HTMLElement) => void
}

export function describe(app: App, name: JobActionName, job: Job, details: PartDetails | null): JobAction {
  const t = app.t.value
  const run = (): void => perform(app, name, job, details)
  const key = (text: string): string => withModifier(app.facts, text)
  switch (name) {
    case 'cancel': {
      const menu = (anchor: HTMLElement): void => {
        if (mustAsk(job)) askCancel(app, job, anchor)
      }
      return {
        name,
        label: t.actions.cancelJob,
        icon: 'stop',
        keys: 'Del',
        run,
        ...(mustAsk(job) ? { menu } : {}),
      }
    }
    case 'edit':
      return { name, label: t.actions.edit, icon: 'sliders', run }
    case 'startAnyway':
      return { name, label: t.actions.startAnyway, icon: 'play', keys: key('↵'), run }
    case 'sendNext':
      return { name, label: t.actions.sendNext, icon: 'up', run }
    case 'removeWaiting':
      return { name, label: t.actions.remove, icon: 'trash', keys: 'Del', run }
    case 'undoAll':
      return { name, label: t.replacedJob.undoAll, icon: 'undo', keys: key('Z'), run }
    case 'replaceAll':
      return { name, label: t.replacedJob.allAgain, icon: 'swap', run }
    case 'show':
      return { name, label: t.actions.showInFolder, icon: 'folder', run }
    case 'retry':
      return {
        name,
        label: t.actions.retry({ count: problemCount(job) }),
        icon: 'retry',
        keys: key('Shift R'),
        run,
      }
    case 'runAgain':
      return {
        name,
        label: stateOf(job) === 'failed' ? t.actions.tryAgain : t.actions.runAgain,
        icon: 'retry',
        keys: key('R'),
        run,
      }
    case 'openFirst':
      return { name, label: t.actions.openFirst, icon: 'open', run }
    case 'showOriginals':
      return { name, label: t.actions.showOriginals, icon: 'reveal', run }
    case 'copyPaths':
      return { name, label: t.actions.copyPaths, icon: 'copy', run }
    case 'removeRecord':
      return { name, label: t.actions.removeFromHistory, icon: 'trash', keys: 'Del', run }
  }
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
    const { label, icon, keys, run } = describe(app, name, job, details)
    const entry: MenuEntry = { kind: 'item', label, icon, keys, run }
    return name === 'removeRecord' && names.length > 1 ? [{ kind: 'divider' }, entry] : [entry]
  })
  return stateOf(job) === 'waiting' ? [...own, { kind: 'divider' }, pausing(app)] : own
}

/** Returns the menu item that pauses or resumes all jobs. */
function pausing(app: App): MenuEntry {
  const t = app.t.value
  const { outbox } = app.bridge
  return app.state.quiet.value.wait?.reason === 'paused'
    ? { kind: 'item', label: t.pause.resume, icon: 'play', run: () => void app.attempt(outbox.resume()) }
    : {
        kind: 'item',
        label: t.quiet.pauseAll,
        icon: 'pause',
        run: () => void app.attempt(outbox.pause('untilResumed')),
      }
}

/** Performs an action. Removing can be undone, so it isn't confirmed. */
export function perform(app: App, action: JobActionName, job: Job, details: PartDetails | null): void {
  const { bridge } = app
  const t = app.t.value
  const id = idOf(job)
  const title = titleOf(job)
  const name = jobName(title, t)
  const ifStillHere = unlessNavigated(app)
  const showDraft = () => ifStillHere(() => showNewJob(app))
  switch (action) {
    case 'cancel':
      if (mustAsk(job)) {
        const anchor = document.activeElement
        if (anchor instanceof HTMLElement) askCancel(app, job, anchor)
        return
      }
      void app.attempt(bridge.jobs.cancel({ id, scope: 'job' }))
      return
    case 'edit':
      void app.attempt(bridge.outbox.edit(id)).then(showDraft)
      return
    case 'startAnyway':
      void app.attempt(bridge.outbox.startAnyway(id))
      return
    case 'sendNext':
      void app.attempt(bridge.outbox.sendNext(id))
      return
    case 'removeWaiting':
      void offerUndo(app, bridge.outbox.remove(id), t.toasts.removed({ name }), () =>
        bridge.outbox.restore(id),
      )
      leaveDetailsOf(app, job)
      return
    case 'removeRecord':
      void offerUndo(app, bridge.jobs.remove(id), removedSentence(), () => bridge.jobs.restore(id))
      leaveDetailsOf(app, job)
      return
    case 'undoAll':
      void undoReplacing(app, id)
      return
    case 'replaceAll':
      void replaceAgain(app, id)
      return
    case 'show':
      if (title.output?.kind === 'folder') {
        const made = details?.results[0]?.outputPath
        void app.attempt(bridge.files.reveal(made ?? title.output.path))
      }
      return
    case 'retry':
      void app.attempt(bridge.jobs.retryFailed({ id, scope: 'job' })).then(showDraft)
      return
    case 'runAgain':
      void app.attempt(bridge.jobs.runAgain({ id, scope: 'job' })).then(showDraft)
      return
    case 'openFirst': {
      const first = details?.results[0]
      if (first) void app.attempt(bridge.files.open(first.outputPath))
      return
    }
    case 'showOriginals':
      if (title.firstPath !== null) void app.attempt(bridge.files.reveal(title.firstPath))
      return
    case 'copyPaths':
      if (details !== null) void copyPaths(app, details)
  }

  function removedSentence(): string {
    const hasOriginals = actionsFor(job, details).includes('undoAll')
    return (hasOriginals ? t.toasts.originalsStayInVault : t.toasts.removedFromHistory)({ name })
  }
}

/** Copies the paths of the results of all parts. */
async function copyPaths(app: App, details: PartDetails): Promise<void> {
  const others = details.parts.filter(({ id }) => id !== details.id)
  const read = await app.attempt(Promise.all(others.map(({ id }) => app.bridge.jobs.details(id))))
  if (read === undefined) return
  const paths = [details, ...read].flatMap((part) => part?.results.map(({ outputPath }) => outputPath) ?? [])
  const isCopied = await app.attempt(app.bridge.app.copyText(paths.join('\n')).then(() => true))
  if (isCopied) app.toasts.show(app.t.value.actions.copied({ count: paths.length }))
}

function leaveDetailsOf(app: App, job: Job): void {
  const { jobPane, pane } = app.route
  if (jobPane.value.kind !== 'details' || jobPane.value.id !== idOf(job)) return
  jobPane.value = { kind: 'newJob' }
  pane.value = 'list'
}
