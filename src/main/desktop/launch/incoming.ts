/** Handles requests from outside while the app runs: files, links, second launches, dock clicks. */
import { asRecordId } from '../../../shared/model/ids.ts'
import type { History } from '../../history/index.ts'
import type { Timing } from '../../../node/timing.ts'
import {
  filesOf,
  isHidden,
  linksOf,
  presetsOf,
  tasksOf,
  type Launch,
  type LaunchRequest,
  type LaunchTask,
} from './launch-arguments.ts'
import { parseLink } from './link.ts'
import type { UserAction } from '../user-action.ts'

export type IncomingOptions = {
  readonly history: Pick<History, 'details'>
  readonly platform: NodeJS.Platform
  readonly act: (action: UserAction) => void
  readonly showWindow: () => void
  /** Whether the user can reach the app while it has no window. */
  readonly isWithinReach: () => Promise<boolean>
  readonly takeFiles: (paths: readonly string[]) => void
  /** Starts a job with these presets. Without files, the presets are chosen in the new job. */
  readonly startWith: (pick: PresetPick) => void
  readonly after: Timing['after']
  /** Asks the user whether to add the files that a link names. */
  readonly askToAdd: (paths: readonly string[]) => Promise<boolean>
}

/** Files to process with presets, picked in a file manager or from the tray. */
export type PresetPick = { readonly presets: readonly string[]; readonly paths: readonly string[] }

/**
 * Maximum time in ms between the files of one drop. Explorer starts one process per selected file, and the Dock sends one event per file.
 */
const QUIET_MS = 250

/** Like `QUIET_MS`, for files picked with a preset. Longer, because a process that starts slowly would otherwise create a second job. */
const PICK_QUIET_MS = 1_000

/** What the tasks of the launcher do. */
const ACTIONS = { 'new-job': 'newJob', 'paste-image': 'pasteImage' } as const satisfies Record<
  LaunchTask,
  string
>

export function createIncoming(options: IncomingOptions) {
  const { history, act, showWindow, takeFiles } = options
  /** The drops that are still being collected, by their presets. */
  const collecting = new Map<string, { readonly paths: string[]; cancel: () => void }>()

  function collect(paths: readonly string[], presets: readonly string[] = []): void {
    if (paths.length + presets.length === 0) return
    const key = JSON.stringify(presets)
    const drop = collecting.get(key) ?? { paths: [], cancel: () => {} }
    collecting.set(key, drop)
    drop.paths.push(...paths)
    drop.cancel()
    drop.cancel = options.after(presets.length === 0 ? QUIET_MS : PICK_QUIET_MS, () => {
      collecting.delete(key)
      if (presets.length === 0) takeFiles(drop.paths)
      else options.startWith({ presets, paths: drop.paths })
    })
  }

  function followLink(url: string): void {
    const intent = parseLink(url, options.platform)
    switch (intent?.kind) {
      case 'openJob':
        if (history.details(intent.id) !== undefined) {
          return act({ do: 'showRecord', id: asRecordId(intent.id) })
        }
        return showWindow()
      case 'newJob':
        return act({ do: 'newJob' })
      case 'askToAdd':
        showWindow()
        void options.askToAdd(intent.paths).then((yes) => {
          if (yes) takeFiles(intent.paths)
        })
        return
      case 'show':
      case undefined:
        showWindow()
    }
  }

  function launched(launch: Launch): void {
    const paths = filesOf(launch)
    const presets = presetsOf(launch)
    const links = linksOf(launch)
    const tasks = tasksOf(launch)
    for (const link of links) followLink(link)
    for (const task of tasks) act({ do: ACTIONS[task] })
    collect(paths, presets)
    const asksForNothing = paths.length + presets.length + links.length + tasks.length === 0
    if (!asksForNothing) return
    if (isHidden(launch)) void showUnlessWithinReach()
    else showWindow()
  }

  /** Shows the window after a hidden launch if there is no tray icon. Otherwise the user couldn't reach the app. */
  async function showUnlessWithinReach(): Promise<void> {
    if (!(await options.isWithinReach())) showWindow()
  }

  return (request: LaunchRequest): void => {
    switch (request.kind) {
      case 'file':
        return collect([request.path])
      case 'link':
        return followLink(request.url)
      case 'activate':
        return showWindow()
      case 'launch':
        return launched(request.launch)
    }
  }
}

/** Queues items until a handler is registered, then delivers the queued items before any later ones. */
export function queueUntilHandled<Kept>() {
  const early: Kept[] = []
  let taker = (kept: Kept): void => void early.push(kept)
  return {
    take: (kept: Kept): void => taker(kept),
    handTo: (next: (kept: Kept) => void): void => {
      taker = next
      for (const kept of early.splice(0)) next(kept)
    },
  }
}
