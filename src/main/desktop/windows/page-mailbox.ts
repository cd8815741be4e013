/** Queues events for the page until it has requested its first snapshot, then delivers them in order. */
import { callEach } from '../../../node/call-each.ts'
import { eventChannelOf } from '../../../shared/ipc/channels.ts'
import type { Events } from '../../../shared/ipc/contract.ts'

export function createPageMailbox(
  deliver: (channel: string, payload: unknown) => void,
  log: (message: string) => void,
) {
  let isReady = false
  const waiting: { readonly channel: string; readonly payload: unknown }[] = []

  return {
    send: <Name extends keyof Events>(name: Name, event: Events[Name]): void => {
      const channel = eventChannelOf(name)
      if (isReady) deliver(channel, event)
      // State changes don't need to be queued, because a new page starts with a snapshot.
      else if (name !== 'stateChanged') waiting.push({ channel, payload: event })
    },
    pageIsReady: (): void => {
      isReady = true
      callEach(
        waiting.splice(0).map(
          ({ channel, payload }) =>
            () =>
              deliver(channel, payload),
        ),
        (error) => log(`could not deliver an event to the page: ${String(error)}`),
      )
    },
    /** Starts queuing again, because the page's process exited or its window closed. */
    pageIsGone: (): void => {
      isReady = false
    },
  }
}
