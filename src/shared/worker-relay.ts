/**
 * How the built-in service gets its worker processes inside Electron: a utility process can't start another one (the fuse for
 * running Node is off), so the main process starts them and hands messages to and fro. What is said is not looked at here.
 */

export type FromService =
  | { readonly relay: 'start'; readonly worker: number }
  | { readonly relay: 'send'; readonly worker: number; readonly message: unknown }
  | { readonly relay: 'kill'; readonly worker: number }

export type ToService =
  | { readonly relay: 'message'; readonly worker: number; readonly message: unknown }
  | {
      readonly relay: 'exit'
      readonly worker: number
      readonly code: number | null
      /** The end of what it wrote to stderr. */
      readonly said: string
    }

const isRelayed = (message: unknown): message is { readonly relay: unknown; readonly worker: unknown } =>
  typeof message === 'object' && message !== null && 'relay' in message && 'worker' in message

/** Both ends are ours and of the same version; anything else on the line is somebody else's business. */
export const isFromService = (message: unknown): message is FromService =>
  isRelayed(message) &&
  typeof message.worker === 'number' &&
  (message.relay === 'start' || message.relay === 'send' || message.relay === 'kill')

export const isToService = (message: unknown): message is ToService =>
  isRelayed(message) &&
  typeof message.worker === 'number' &&
  (message.relay === 'message' || message.relay === 'exit')

/** Asks the service to end in order. Not every system has a signal that a process can answer. */
export const END_OF_SERVICE = { end: true } as const

export const isEndOfService = (message: unknown): message is typeof END_OF_SERVICE =>
  typeof message === 'object' && message !== null && 'end' in message && message.end === true
