/**
 * Handles uncaught errors. By default Electron shows a stack trace for an uncaught exception and ignores a rejected promise. Here
 * the app logs both, notifies the user once per run, and keeps running.
 */
import { stackOf } from '../../node/errors.ts'
import type { Log } from '../../node/log.ts'
import type { App, Dialog } from 'electron'
import { createTranslation } from '../../node/translation.ts'
import { NewerDatabase } from '../database/index.ts'

export type ErrorSource = {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

export type UnexpectedErrors = ReturnType<typeof catchUnexpectedErrors>

export function catchUnexpectedErrors(source: ErrorSource, log: Log) {
  let hasHappened = false
  let pending: (() => void) | undefined

  function notify(): void {
    const notifyNow = pending
    if (!hasHappened || notifyNow === undefined) return
    pending = () => {}
    notifyNow()
  }

  function caught(event: string, error: unknown): void {
    log(event, { error: stackOf(error) })
    hasHappened = true
    try {
      notify()
    } catch (another) {
      log('could not report an error', { error: String(another) })
    }
  }

  source.on('uncaughtException', (error) => caught('uncaught error', error))
  source.on('unhandledRejection', (error) => caught('unhandled rejection', error))
  return {
    /** Registers the notification. An error that has already occurred is reported immediately. */
    notifyOnce(next: () => void): void {
      pending = next
      notify()
    },
  }
}

export type UnstartedParts = {
  readonly app: Pick<App, 'getLocale' | 'exit'>
  readonly dialog: Pick<Dialog, 'showErrorBox'>
  /** Prints the error for users who started the app in a terminal. */
  readonly print: (text: string) => void
}

/** Shows why startup failed, and exits. Without a window or tray icon, the user could neither see nor quit the app. */
export function endUnstarted(error: unknown, { app, dialog, print }: UnstartedParts): void {
  const { dialog: texts } = createTranslation(app.getLocale())
  print(stackOf(error))
  const detail = error instanceof Error ? error.message : String(error)
  dialog.showErrorBox(
    texts.notStarted,
    error instanceof NewerDatabase
      ? texts.newerData({ file: error.file })
      : texts.notStartedDetail({ detail }),
  )
  app.exit(1)
}
