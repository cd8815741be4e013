/** A process's line to its parent: Node's IPC channel, whose end says that the parent has gone, however it ended. */

export type ParentLine<Sent> = { send(message: Sent): void }

export function connectToParent<Received, Sent>(options: {
  isReceived(message: unknown): message is Received
  onMessage(message: Received): void
  /** The parent has ended. */
  onGone: () => void
}): ParentLine<Sent> {
  process.on('message', (message: unknown) => {
    if (options.isReceived(message)) options.onMessage(message)
  })
  process.on('disconnect', options.onGone)
  return {
    // What can't be sent any more has nobody to read it.
    send: (message) => void process.send?.(message, undefined, undefined, () => {}),
  }
}
