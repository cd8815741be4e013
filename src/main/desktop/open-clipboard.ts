/** The clipboard as the desktop shell uses it: jobs, the automatic mode, and what the user sees of them. */
import { copyFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Clipboard, ClipboardItem } from 'electron'
import { messageOf } from '../../node/errors.ts'
import { keepReserve } from '../../node/free-space.ts'
import type { Timing } from '../../node/timing.ts'
import type { ClipboardNews } from '../../shared/model/clipboard-news.ts'
import type { Core } from '../core/index.ts'
import { clipboardNotification } from './notifications/clipboard-notification.ts'
import type { AppPaths } from './paths.ts'
import type { Shell } from './shell.ts'
import type { ClipboardControl } from './clipboard/clipboard-control.ts'
import { createClipboardJobs } from './clipboard/clipboard-jobs.ts'
import { createFrontApp } from './clipboard/front-app.ts'
import { whyIgnored } from './clipboard/ignored-apps.ts'
import { sweepOriginals } from './clipboard/temporary-originals.ts'
import { watchClipboard } from './clipboard/watch-clipboard.ts'
import { HOUR_MS } from '../../shared/durations.ts'

const SWEEP_MS = HOUR_MS

export function openClipboard(
  options: Pick<Shell, 'window' | 'notifier' | 'dialogs' | 'platform' | 'context' | 'log'> & {
    readonly core: Core
    readonly clipboard: Clipboard
    readonly ClipboardItem: typeof ClipboardItem
    readonly paths: Pick<AppPaths, 'clipboard' | 'output'>
    /** Default folder of the file dialogs; absolute. */
    readonly picturesFolder: string
    /** Whether apps may read the clipboard while another app has the focus. */
    readonly canWatch: boolean
    readonly timing: Pick<Timing, 'clock' | 'after'>
    readonly env: NodeJS.ProcessEnv
  },
): ClipboardControl {
  const { core, clipboard, window, notifier, dialogs, paths, timing, log } = options
  const jobs = createClipboardJobs({
    ...core,
    ...options,
    folder: paths.clipboard,
    defaultOutput: paths.output,
    clock: timing.clock,
    // If apps can't watch the clipboard, they can change it only while in front.
    canConfirm: () => options.canWatch || window.isInFront(),
    tell,
  })
  const frontApp = createFrontApp({ ...options, after: timing.after })
  const watch = watchClipboard({
    clipboard,
    after: timing.after,
    elapsed: () => performance.now(),
    async onImage(print) {
      const reason = await whyIgnored(core.settings.view().clipboardIgnoredApps, frontApp)
      if (reason === undefined) await jobs.process(print)
      else log(`ignored a copied image: ${reason}`)
    },
    log,
  })

  function tell(news: ClipboardNews, isAutomatic: boolean): void {
    // In automatic mode, only a changed clipboard is reported. A failed job has its own notification.
    if (isAutomatic && news.kind !== 'ready') return
    if (window.isInFront()) return window.send('toast', { kind: 'clipboard', news })
    // A failed job is reported like any other.
    if (news.kind !== 'failed') notifier.notify(clipboardNotification(news, options.context(), isAutomatic))
  }

  const follow = () => watch.setOn(options.canWatch && core.settings.view().clipboardAutomatic)
  const stopFollowing = core.settings.onChange(follow)
  follow()

  function isNeeded(path: string): boolean {
    const isOpen = (one: { readonly firstPath: string | null }) => one.firstPath === path
    return (
      jobs.originals().has(path) ||
      core.tracker.jobs().some(isOpen) ||
      core.outbox.list().some(({ title }) => isOpen(title))
    )
  }

  let cancelSweep = timing.after(0, sweep)
  function sweep(): void {
    void sweepOriginals(paths.clipboard, isNeeded, timing.clock())
    cancelSweep = timing.after(SWEEP_MS, sweep)
  }

  return {
    process: () => void jobs.process(),
    undo: (run) =>
      jobs.undo(run).catch((error: unknown) => log(`could not restore the clipboard: ${messageOf(error)}`)),
    async saveAs(run) {
      const path = jobs.resultOf(run)
      if (path === undefined) return
      const file = await dialogs.askToSave({
        title: options.context().t.dialog.saveResult,
        defaultPath: join(options.picturesFolder, basename(path)),
      })
      if (file === null) return
      const { size } = await stat(path)
      await keepReserve(dirname(file))(size, 'announced')
      await copyFile(path, file)
    },
    show(news) {
      window.showAnd('show', { place: 'details', id: news.id })
      window.send('toast', { kind: 'clipboard', news })
    },
    canTellFrontApp: frontApp.canTell,
    jobFinished: jobs.jobFinished,
    outboxChanged: jobs.outboxChanged,
    close() {
      stopFollowing()
      cancelSweep()
      watch.close()
    },
  }
}
