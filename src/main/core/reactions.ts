/** Connects the modules of a line: how one module reacts to events of another. */
import { serviceIdOf } from '../../shared/model/connection.ts'
import type { NewlyTracked } from '../jobs/index.ts'
import type { Modules } from './modules.ts'

type Connected = 'events' | 'connection' | 'drafts' | 'downloads' | 'aliases' | 'tracker' | 'sender'

/**
 * @param unfinished returns jobs of the service in use that were unfinished when last seen
 * @returns a function that stops reacting to the end of the built-in service; call it before the stores close
 */
export function connectReactions(
  { events, connection, drafts, downloads, aliases, tracker, sender }: Pick<Modules, Connected>,
  unfinished: () => readonly NewlyTracked[],
): () => void {
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
    drafts.store.serviceChanged()
    sender.connectionChanged()
    downloads.wake()
  }

  events.on('connectionChanged', connectionChanged)
  events.on('builtInJobEnded', () => tracker.pollSoon())
  events.on('outboxChanged', () => sender.wake())
  events.on('quietChanged', () => sender.wake())
  for (const mayEndRecords of ['partFinished', 'historyChanged', 'outboxChanged'] as const) {
    events.on(mayEndRecords, () => aliases.sweepSoon())
  }
  aliases.sweepSoon()
  events.on('diskChanged', () => sender.wake())
  events.on('settingsChanged', () => {
    drafts.store.defaultsChanged()
    sender.wake()
  })
  events.on('listRead', (list) => sender.listRead(list))
  // The built-in service's jobs end with it.
  return connection.onBuiltInEnded(() => {
    if (connection.view().kind === 'builtIn') tracker.reset(unfinished())
  })
}
