/** How the calls and events of the contract travel. The preload loads this and not the contract, which brings its schemas. */
import type { IpcError } from './contract.ts'

/** The one channel of a call, such as `draft:start`. */
export const channelOf = (group: string, name: string): string => `${group}:${name}`

/** The one channel of an event, such as `event:show`. */
export const eventChannelOf = (name: string): string => channelOf('event', name)

/**
 * What comes back over a channel. Not a rejection, because Electron would put words of its own around the error and lose
 * its fields; the preload turns it into one.
 */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: IpcError }
