/** What comes to the app from outside while it runs: files, links, a second start, a click in the dock. */
import { asRecordId } from '../../../shared/model/ids.ts'
import type { History } from '../../history/index.ts'
import { pathsFromArguments } from '../../intake/index.ts'
import { createLaunchQueue } from './launch-queue.ts'
import type { LaunchRequest } from '../bootstrap.ts'
import { isHidden, linksOf, tasksOf, type Launch, type LaunchTask } from './launch-arguments.ts'
import { parseLink } from './link.ts'
import type { UserAction } from '../user-action.ts'

export type IncomingOptions = {
  readonly history: Pick<History, 'details'>
  readonly platform: NodeJS.Platform
  readonly act: (action: UserAction) => void
  readonly showWindow: () => void
  /** Whether a person finds the app where it shows no window. */
  readonly isWithinReach: () => Promise<boolean>
  readonly takeFiles: (paths: readonly string[]) => void
  /** Whether the person wants the files that a link names. */
  readonly askToAdd: (paths: readonly string[]) => Promise<boolean>
}

/** Explorer starts one process for each selected file: what comes within this time is one drop, in ms. */
const QUIET_MS = 250

export function createIncoming(options: IncomingOptions) {
  const { history, act, showWindow, takeFiles } = options
  const launches = createLaunchQueue({
    quiet: QUIET_MS,
    setTimer: (run, ms) => setTimeout(run, ms),
    clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
    deliver: takeFiles,
  })

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

  function runTask(task: LaunchTask): void {
    switch (task) {
      case 'new-job':
        return act({ do: 'newJob' })
      case 'paste-image':
        return act({ do: 'pasteImage' })
    }
  }

  function launched(launch: Launch): void {
    const { paths } = pathsFromArguments(launch.args, launch.cwd)
    const links = linksOf(launch)
    const tasks = tasksOf(launch)
    for (const link of links) followLink(link)
    for (const task of tasks) runTask(task)
    launches.add(paths)
    const asksForNothing = paths.length + links.length + tasks.length === 0
    if (!asksForNothing) return
    if (isHidden(launch)) void showUnlessWithinReach()
    else showWindow()
  }

  /** Hidden, and no icon in the tray either: nothing would be left to click on. */
  async function showUnlessWithinReach(): Promise<void> {
    if (!(await options.isWithinReach())) showWindow()
  }

  return (request: LaunchRequest): void => {
    switch (request.kind) {
      case 'file':
        return launches.add([request.path])
      case 'link':
        return followLink(request.url)
      case 'activate':
        return showWindow()
      case 'launch':
        return launched(request.launch)
    }
  }
}
