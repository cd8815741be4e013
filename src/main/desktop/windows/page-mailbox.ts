/** What is meant for the page waits until the page has asked for its first snapshot, and then goes in order. */
import { eventChannelOf } from '../../../shared/ipc/channels.ts'
import type { Events } from '../../../shared/ipc/contract.ts'

export interface PageMailbox {
  readonly send: <Name extends keyof Events>(name: Name, event: Events[Name]) => void
  readonly pageIsReady: () => void
  /** Its process ended or its window closed: what comes now waits for the next page. */
  readonly pageIsGone: () => void
}

export function createPageMailbox(deliver: (channel: string, payload: unknown) => void): PageMailbox {
  let isReady = false
  const waiting: { readonly channel: string; readonly payload: unknown }[] = []

  return {
    send(name, event) {
      const channel = eventChannelOf(name)
      if (isReady) deliver(channel, event)
      // A state needs no keeping: a page that comes later takes a snapshot.
      else if (name !== 'stateChanged') waiting.push({ channel, payload: event })
    },
    pageIsReady() {
      isReady = true
      for (const { channel, payload } of waiting.splice(0)) deliver(channel, payload)
    },
    pageIsGone() {
      isReady = false
    },
  }
}
