/** A process's line to its parent: Node's IPC channel, or the message port of an Electron utility process. */
import { utilityPort } from '../node/utility-port.ts'

export type ParentLine<Sent> = { send(message: Sent): void }

export function connectToParent<Received, Sent>(options: {
  isReceived(message: unknown): message is Received
  onMessage(message: Received): void
  /** The parent has ended. */
  onGone: () => void
}): ParentLine<Sent> {
  const receive = (message: unknown) => {
    if (options.isReceived(message)) options.onMessage(message)
  }
  const port = utilityPort()
  if (port !== undefined) {
    // A utility process is ended by Electron itself when the app is gone.
    port.on('message', (event) => receive(event.data))
    return { send: (message) => port.postMessage(message) }
  }
  process.on('message', receive)
  process.on('disconnect', options.onGone)
  return {
    // What can't be sent any more has nobody to read it.
    send: (message) => void process.send?.(message, undefined, undefined, () => {}),
  }
}
