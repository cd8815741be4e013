/** The worker's line to its parent: Node's IPC channel, or the message port of an Electron utility process. */
import { isToWorker, type FromWorker, type ToWorker } from './messages.ts'

export type ParentLine = { send(message: FromWorker): void }

type UtilityPort = {
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown
  postMessage(message: unknown): void
}

export function connectToParent(options: {
  onMessage(message: ToWorker): void
  onGone: () => void
}): ParentLine {
  const receive = (message: unknown) => {
    if (isToWorker(message)) options.onMessage(message)
  }
  const port = utilityPort()
  if (port !== undefined) {
    // A utility process is ended by Electron itself when the app is gone.
    port.on('message', (event) => receive(event.data))
    return { send: (message) => port.postMessage(message) }
  }
  process.on('message', receive)
  process.on('disconnect', options.onGone)
  return { send: (message) => void process.send?.(message, undefined, undefined, () => {}) }
}

function utilityPort(): UtilityPort | undefined {
  const port: unknown = 'parentPort' in process ? process.parentPort : undefined
  return isUtilityPort(port) ? port : undefined
}

function isUtilityPort(port: unknown): port is UtilityPort {
  return typeof port === 'object' && port !== null && 'postMessage' in port && 'on' in port
}
