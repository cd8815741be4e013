/**
 * Registers the handlers on their channels. Every call must come from our own page in our own window's main frame, and its
 * argument must parse. Replies are plain data or plain errors.
 */
import type { BrowserWindow, IpcMain, IpcMainInvokeEvent } from 'electron'
import * as z from 'zod'
import { channelOf, type Answer } from '../../../shared/ipc/channels.ts'
import type { Call } from '../../../shared/ipc/call.ts'
import { calls, type Handlers, type IpcError } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { APP_ORIGIN } from '../../../shared/thumbnail-url.ts'
import { UserFacingError } from '../user-facing-error.ts'

export type IpcWiring = {
  readonly ipcMain: IpcMain
  readonly handlers: Handlers
  readonly isOurs: (event: IpcMainInvokeEvent) => boolean
  readonly t: () => Translation
  readonly log: (message: string) => void
}

type AnyHandler = (argument: unknown) => unknown

const refused = (error: IpcError): Answer => ({ ok: false, error })

function describe(error: unknown, channel: string, { t, log }: IpcWiring): IpcError {
  if (error instanceof UserFacingError) return { code: error.code, message: error.message, hint: error.hint }
  log(`${channel} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return { code: 'unexpected', message: t().error.unexpected, hint: null }
}

function answerTo(channel: string, call: Call<z.ZodType, unknown>, handler: AnyHandler, wiring: IpcWiring) {
  return async (event: IpcMainInvokeEvent, sent: unknown): Promise<Answer> => {
    if (!wiring.isOurs(event)) {
      wiring.log(`${channel} was called by a foreign page; refused`)
      return refused({ code: 'foreignSender', message: wiring.t().error.notAllowed, hint: null })
    }
    const argument = call.argument.safeParse(sent)
    if (!argument.success) {
      wiring.log(`${channel} was called with an invalid argument: ${z.prettifyError(argument.error)}`)
      return refused({ code: 'badArgument', message: wiring.t().error.notUnderstood, hint: null })
    }
    try {
      return { ok: true, value: await handler(argument.data) }
    } catch (error) {
      return refused(describe(error, channel, wiring))
    }
  }
}

export function wireIpc(wiring: IpcWiring): void {
  for (const [group, members] of Object.entries(calls)) {
    for (const [name, call] of Object.entries(members)) {
      const channel = channelOf(group, name)
      const handlers = wiring.handlers[group as keyof Handlers] as Readonly<Record<string, AnyHandler>>
      const handler = handlers[name]
      if (handler === undefined) throw new Error(`${channel} has no handler`)
      wiring.ipcMain.handle(channel, answerTo(channel, call, handler, wiring))
    }
  }
}

/** Whether a call comes from our own page in our own window's main frame. */
export function isOurPage(event: IpcMainInvokeEvent, window: BrowserWindow | undefined): boolean {
  const frame = event.senderFrame
  return (
    window !== undefined &&
    frame !== null &&
    event.sender === window.webContents &&
    frame === window.webContents.mainFrame &&
    frame.url.startsWith(`${APP_ORIGIN}/`)
  )
}
