import { isInVault } from '../../shared/model/replacement.ts'
import type { RecordDetails, RecordSummary } from '../../shared/model/work.ts'
import { workName } from '../../shared/i18n/names.ts'
import type { IconName } from '../ui/icon.tsx'
import { withModifier, type App } from './app.ts'
import { showNewJob, unlessNavigated } from './navigation.ts'
import { offerUndo } from './offer-undo.ts'
import { replaceAgain, undoReplacing } from './restore-originals.ts'
import { openPartsIn } from '../../shared/model/group-sections.ts'
import type { MenuEntry } from './overlays.ts'
import { askCancel, mustAsk } from './cancel-menu.ts'
import { quietWaitOf } from './work-item.ts'
import {
  hasEnded,
  idOf,
  outcomeOfRecord,
  stateOf,
  titleOf,
  wholeJobOf,
  type GroupItem,
  type WorkItem,
} from '../../shared/model/work-item.ts'

export type WorkActionName =
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
 * Returns the possible actions in menu order.
 * @param details null until loaded
 */
export function actionsFor(item: WorkItem, details: RecordDetails | null): readonly WorkActionName[] {
  const starting: readonly WorkActionName[] = quietWaitOf(item) === null ? [] : ['startAnyway']
  if (item.kind === 'group') return actionsForGroup(item, starting)
  const state = stateOf(item)
  const after: WorkActionName[] = []
  const title = titleOf(item)
  const isReplacing = title.output?.kind === 'folder' && isInVault(title.output.path)
  if (item.kind === 'record' && isReplacing) after.push(...actionsOnOriginals(item.record, details))
  if (title.output?.kind === 'folder' && !isReplacing) after.push('show')
  if (title.origin === 'ours') after.push('runAgain')
  // Results in a drive have no paths here.
  const hasFiles = details !== null && details.results.length > 0 && title.output?.kind !== 'drive'
  if (hasFiles) after.push('openFirst')
  if (title.firstPath !== null) after.push('showOriginals')
  if (hasFiles) after.push('copyPaths')
  after.push('removeRecord')
  switch (state) {
    case 'now':
      return item.kind === 'job' && item.job.stage.kind === 'cancelling' ? [] : [...starting, 'cancel']
    case 'next':
      return item.kind === 'job' ? [...starting, 'cancel'] : []
    case 'waiting':
      return ['edit', ...starting, 'sendNext', 'removeWaiting']
    case 'sending':
      return []
    case 'refused':
      return ['edit', 'removeWaiting']
    case 'unsure':
      return ['removeWaiting']
    case 'uploading':
      return title.firstPath === null ? [] : ['showOriginals']
    case 'problems':
      return ['retry', ...after]
    case 'done':
    case 'failed':
    case 'cancelled':
    case 'forgotten':
      return after
  }
}

/** Originals that have been deleted from the vault can't be restored. That is known only from the details. */
function actionsOnOriginals(record: RecordSummary, details: RecordDetails | null): readonly WorkActionName[] {
  const { replaced } = wholeJobOf(record)
  if (replaced === null) return []
  const states = details?.replacements.map(({ state }) => state)
  const canUndo = states?.some(({ kind }) => kind === 'replaced') ?? replaced.replaced > 0
  if (canUndo) return ['undoAll']
  const canReplace = states?.some((state) => state.kind === 'restored' && state.again) ?? false
  return canReplace ? ['replaceAll'] : []
}

/** The user decides about refused and uncertain parts in the details. */
function actionsForGroup(group: GroupItem, starting: readonly WorkActionName[]): readonly WorkActionName[] {
  const { parts } = group
  const state = stateOf(group)
  const isUntouched = parts.every(({ kind }) => kind === 'outbox')
  switch (state) {
    case 'waiting':
      return isUntouched
        ? ['edit', ...starting, 'sendNext', 'removeWaiting']
        : [...starting, 'cancel', 'sendNext']
    case 'refused':
    case 'unsure': {
      if (openPartsIn(group).length > 0) return ['cancel']
      return isUntouched && state === 'refused' ? ['edit', 'removeWaiting'] : ['removeWaiting']
    }
    case 'uploading':
      return ['showOriginals']
    case 'now':
    case 'next': {
      const isCancelling = parts.every(
        (part) => hasEnded(part) || (part.kind === 'job' && part.job.stage.kind === 'cancelling'),
      )
      return isCancelling ? [] : [...starting, 'cancel']
    }
    default:
      return []
  }
}

export type WorkAction = {
  readonly name: WorkActionName
  readonly label: string
  readonly icon: IconName
  readonly keys?: string
  readonly run: () => void
  /** Opens a menu with the choices below its button. Set if the action needs a decision. */
  readonly menu?: (anchor: HTMLElement) => void
}

export function describe(
  app: App,
  name: WorkActionName,
  item: WorkItem,
  details: RecordDetails | null,
): WorkAction {
  const t = app.t.value
  const run = (): void => perform(app, name, item, details)
  const key = (text: string): string => withModifier(app.facts, text)
  switch (name) {
    case 'cancel': {
      const menu = (anchor: HTMLElement): void => {
        if (mustAsk(item)) askCancel(app, item, anchor)
      }
      return {
        name,
        label: t.actions.cancelJob,
        icon: 'stop',
        keys: 'Del',
        run,
        ...(mustAsk(item) ? { menu } : {}),
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
        label: t.actions.retry({ count: problemCount(item, details) }),
        icon: 'retry',
        keys: key('Shift R'),
        run,
      }
    case 'runAgain':
      return {
        name,
        label: stateOf(item) === 'failed' ? t.actions.tryAgain : t.actions.runAgain,
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

const problemCount = (item: WorkItem, details: RecordDetails | null): number => {
  if (details !== null && details.members === null) return details.problems.length
  const outcome = item.kind === 'record' ? outcomeOfRecord(item.record) : null
  return outcome?.kind === 'problems' ? outcome.problems : 1
}

export function menuEntries(
  app: App,
  item: WorkItem,
  details: RecordDetails | null,
  without: readonly WorkActionName[] = [],
): readonly MenuEntry[] {
  const names = actionsFor(item, details).filter((name) => !without.includes(name))
  const own = names.flatMap((name): MenuEntry[] => {
    const { label, icon, keys, run } = describe(app, name, item, details)
    const entry: MenuEntry = { kind: 'item', label, icon, keys, run }
    return name === 'removeRecord' && names.length > 1 ? [{ kind: 'divider' }, entry] : [entry]
  })
  return stateOf(item) === 'waiting' ? [...own, { kind: 'divider' }, pausing(app)] : own
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
export function perform(
  app: App,
  action: WorkActionName,
  item: WorkItem,
  details: RecordDetails | null,
): void {
  const { bridge } = app
  const t = app.t.value
  const id = idOf(item)
  const title = titleOf(item)
  const name = workName(title, t)
  const ifStillHere = unlessNavigated(app)
  const showDraft = () => ifStillHere(() => showNewJob(app))
  switch (action) {
    case 'cancel':
      if (mustAsk(item)) {
        const anchor = document.activeElement
        if (anchor instanceof HTMLElement) askCancel(app, item, anchor)
        return
      }
      void app.attempt(bridge.work.cancel({ id, scope: 'group' }))
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
      leaveDetailsOf(app, item)
      return
    case 'removeRecord':
      void offerUndo(app, bridge.work.remove(id), removedSentence(), () => bridge.work.restore(id))
      leaveDetailsOf(app, item)
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
      void app.attempt(bridge.work.retryFailed({ id, scope: 'group' })).then(showDraft)
      return
    case 'runAgain':
      void app.attempt(bridge.work.runAgain({ id, scope: 'group' })).then(showDraft)
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
    const hasOriginals = actionsFor(item, details).includes('undoAll')
    return (hasOriginals ? t.toasts.originalsStayInVault : t.toasts.removedFromHistory)({ name })
  }
}

/** Copies the paths of the results, of all parts of a group. */
async function copyPaths(app: App, details: RecordDetails): Promise<void> {
  const others = details.parts.filter(({ id }) => id !== details.id)
  const read = await app.attempt(Promise.all(others.map(({ id }) => app.bridge.work.details(id))))
  if (read === undefined) return
  const paths = [details, ...read].flatMap((part) => part?.results.map(({ outputPath }) => outputPath) ?? [])
  const isCopied = await app.attempt(app.bridge.app.copyText(paths.join('\n')).then(() => true))
  if (isCopied) app.toasts.show(app.t.value.actions.copied({ count: paths.length }))
}

function leaveDetailsOf(app: App, item: WorkItem): void {
  const { jobPane, pane } = app.route
  if (jobPane.value.kind !== 'details' || jobPane.value.id !== idOf(item)) return
  jobPane.value = { kind: 'newJob' }
  pane.value = 'list'
}
