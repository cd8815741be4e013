/**
 * Workers for a service that runs inside Electron: a utility process can't start another one, so the app's main process
 * does it, and hands messages to and fro.
 */
import { isToService, type FromService, type ToService } from '../../shared/worker-relay.ts'
import type { UtilityPort } from '../../node/utility-port.ts'
import { isFromWorker, type FromWorker } from '../../media/protocol.ts'
import type { Fork, WorkerEnding } from './worker-process.ts'

type Listeners = {
  readonly message: ((message: FromWorker) => void)[]
  readonly exit: ((ending: WorkerEnding) => void)[]
}

/** @returns a way to start workers; from which file, and with which arguments, the main process knows itself */
export function relayedFork(port: UtilityPort): Fork {
  const workers = new Map<number, Listeners>()
  let lastWorker = 0
  const tell = (message: FromService) => port.postMessage(message)

  function follow(message: ToService): void {
    const listeners = workers.get(message.worker)
    if (listeners === undefined) return
    if (message.relay === 'message') {
      if (!isFromWorker(message.message)) return
      for (const listener of listeners.message) listener(message.message)
      return
    }
    workers.delete(message.worker)
    const { code, said } = message
    for (const listener of listeners.exit) listener({ code, signal: null, stderrTail: said })
  }

  // Not before there is something to hear: the port keeps what comes until its first listener, and others listen too.
  function listenOnce(): void {
    if (lastWorker > 0) return
    port.on('message', ({ data }) => {
      if (isToService(data)) follow(data)
    })
  }

  return () => {
    listenOnce()
    lastWorker += 1
    const worker = lastWorker
    const listeners: Listeners = { message: [], exit: [] }
    workers.set(worker, listeners)
    tell({ relay: 'start', worker })
    return {
      send: (message) => tell({ relay: 'send', worker, message }),
      onMessage: (listener) => void listeners.message.push(listener),
      onExit: (listener) => void listeners.exit.push(listener),
      kill: () => tell({ relay: 'kill', worker }),
    }
  }
}
