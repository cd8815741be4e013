/** What follows in one module from a fact that another one tells: the whole feedback of the core, in one place. */
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import { serviceIdOf } from '../../shared/model/connection.ts'
import type { Timing } from '../../node/timing.ts'
import type { Connection } from '../connection/index.ts'
import type { Downloads } from '../downloads/index.ts'
import type { Drafts } from '../drafts/index.ts'
import type { Followed, Tracker } from '../jobs/index.ts'
import type { Outbox, Sender } from '../outbox/index.ts'
import type { CoreEvents, Events } from './events.ts'

export type ReactingModules = {
  readonly events: Events<CoreEvents>
  readonly connection: Connection
  readonly drafts: Drafts
  readonly downloads: Downloads
  readonly tracker: Tracker
  readonly sender: Sender
  /** Jobs of the service in use that were not over when they were last seen. */
  readonly unfinished: () => readonly Followed[]
}

export function connectReactions(modules: ReactingModules): void {
  const { events, connection, drafts, downloads, tracker, sender, unfinished } = modules

  let serviceId = serviceIdOf(connection.view())
  let isOnline = connection.view().state.status === 'online'

  function connectionChanged(): void {
    const view = connection.view()
    const wasOnline = isOnline
    isOnline = view.state.status === 'online'
    if (serviceIdOf(view) !== serviceId) {
      serviceId = serviceIdOf(view)
      tracker.reset(unfinished())
    } else if (isOnline && !wasOnline) tracker.keyChanged()
    if (isOnline && !wasOnline) void connection.refreshDrive()
    sender.connectionChanged()
    downloads.wake()
  }

  function otherProcessWrote(): void {
    const followed = new Set(tracker.jobs().map(({ id }) => id))
    for (const job of unfinished()) if (!followed.has(job.title.id)) tracker.follow(job)
    sender.wake()
    downloads.wake()
  }

  events.on('connectionChanged', connectionChanged)
  events.on('builtInJobEnded', () => tracker.pollSoon())
  events.on('otherProcessWrote', otherProcessWrote)
  events.on('outboxChanged', () => sender.wake())
  events.on('diskChanged', () => sender.wake())
  events.on('settingsChanged', () => {
    drafts.store.defaultsChanged()
    sender.wake()
  })
  events.on('listRead', (list) => {
    if (list.queueLength < MAX_WAITING_JOBS) sender.spaceAvailable()
  })
}

/** How often another process is looked for; a counter is read, and nothing else. */
const OTHERS_MS = 2_000

export type OtherProcesses = {
  readonly outbox: Pick<Outbox, 'changedElsewhere'>
  readonly claim: () => boolean
  readonly timing: Timing
  /** The process that had the right to send is gone, and this one has it now. */
  readonly onClaimed: () => void
  readonly onWrote: () => void
}

/**
 * Another process that shares outbox and history has no way to tell this one that it has added to them.
 *
 * @returns a function that ends the looking
 */
export function pollOtherProcesses({
  outbox,
  claim,
  timing,
  onClaimed,
  onWrote,
}: OtherProcesses): () => void {
  let wasSender = claim()
  let cancel = timing.after(OTHERS_MS, check)

  function check(): void {
    const isSender = claim()
    if (isSender && !wasSender) onClaimed()
    if (outbox.changedElsewhere() || isSender !== wasSender) onWrote()
    wasSender = isSender
    cancel = timing.after(OTHERS_MS, check)
  }
  return () => cancel()
}
