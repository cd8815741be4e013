/**
 * Channel names and the result envelope of the IPC contract. The preload imports this file instead of the contract to avoid
 * bundling the schemas.
 */
import type { IpcError } from './contract.ts'

/** Returns the channel of a call, such as `draft:start`. */
export const channelOf = (group: string, name: string): string => `${group}:${name}`

/** Returns the channel of an event, such as `event:show`. */
export const eventChannelOf = (name: string): string => channelOf('event', name)

/**
 * The envelope of a result. Errors aren't sent as rejections, because Electron would wrap their message and drop their fields;
 * the preload converts them back.
 */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: IpcError }
