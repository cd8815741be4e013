/**
 * Errors that nobody caught. Electron answers an uncaught one with a dialog full of code, and a rejected promise with silence;
 * here both are written down, said once in the life of the app, and the work goes on.
 */
import type { App, Dialog } from 'electron'
import { createTranslation } from '../../shared/i18n/i18n.ts'

export type ErrorSource = {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

export interface UnexpectedErrors {
  /** From now on there is somebody who can say it; what came before is said at once. */
  sayOnce(say: () => void): void
}

export function catchUnexpectedErrors(
  source: ErrorSource,
  log: (event: string, facts: Readonly<Record<string, unknown>>) => void,
): UnexpectedErrors {
  let hasHappened = false
  let say: (() => void) | undefined

  function tell(): void {
    const sayNow = say
    if (!hasHappened || sayNow === undefined) return
    say = () => {}
    sayNow()
  }

  function caught(event: string, error: unknown): void {
    log(event, { error: stackOf(error) })
    hasHappened = true
    try {
      tell()
    } catch (another) {
      log('an error could not be said', { error: String(another) })
    }
  }

  source.on('uncaughtException', (error) => caught('an error was caught by nobody', error))
  source.on('unhandledRejection', (error) => caught('a rejection was handled by nobody', error))
  return {
    sayOnce(next) {
      say = next
      tell()
    },
  }
}

export type UnstartedParts = {
  readonly app: Pick<App, 'getLocale' | 'exit'>
  readonly dialog: Pick<Dialog, 'showErrorBox'>
  /** For who started it in a terminal. */
  readonly print: (text: string) => void
}

/** Before there is a window or a tray an app that went on would be one that nobody can see or end. */
export function endUnstarted(error: unknown, { app, dialog, print }: UnstartedParts): void {
  const { dialog: texts } = createTranslation(app.getLocale())
  print(stackOf(error))
  dialog.showErrorBox(texts.notStarted, error instanceof Error ? error.message : String(error))
  app.exit(1)
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
