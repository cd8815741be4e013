/** The worker's line to its parent: Node's IPC channel, or the message port of an Electron utility process. */

export type ParentLine<Out> = { send(message: Out): void }

type UtilityPort = {
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  on(event: 'close', listener: () => void): void
  postMessage(message: unknown): void
}

/** What comes in is believed to be an `In`: both ends are ours, and of the same version. */
export function connectToParent<In, Out>(options: {
  onMessage(message: In): void
  onGone(): void
}): ParentLine<Out> {
  const port = utilityPort()
  if (port !== undefined) {
    port.on('message', (event) => options.onMessage(event.data as In))
    port.on('close', options.onGone)
    return { send: (message) => port.postMessage(message) }
  }
  process.on('message', (message) => options.onMessage(message as In))
  process.on('disconnect', options.onGone)
  return { send: (message) => void process.send?.(message, undefined, undefined, () => {}) }
}

function utilityPort(): UtilityPort | undefined {
  return 'parentPort' in process ? (process.parentPort as UtilityPort | undefined) : undefined
}
