/** A process's connection to its parent: frames on stdin and on descriptor 3. stdin closes when the parent has exited. */
import { Socket } from 'node:net'
import { exitWhenTooLarge } from '../node/memory-limit.ts'
import { createFrameReader, frameOf } from '../node/message-frames.ts'

export type ParentLine<Sent> = { send(message: Sent): void }

/** Not stdout, because a library may print there. */
const TO_PARENT = 3

export function connectToParent<Received, Sent extends object>(options: {
  isReceived(message: unknown): message is Received
  onMessage(message: Received): void
  /** Called when the parent has exited. */
  onGone: () => void
}): ParentLine<Sent> {
  exitWhenTooLarge()
  // Ctrl-C, a logoff and service managers signal all processes. The parent decides what happens to its work.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const toParent = new Socket({ fd: TO_PARENT, readable: false, writable: true })
  // A write fails only if the parent has exited, so there is no one to notify.
  toParent.on('error', () => undefined)
  process.stdin.on(
    'data',
    createFrameReader((message) => {
      if (options.isReceived(message)) options.onMessage(message)
    }),
  )
  process.stdin.on('close', options.onGone).on('error', () => undefined)
  return {
    send(message) {
      toParent.cork()
      for (const part of frameOf(message)) toParent.write(part)
      toParent.uncork()
    },
  }
}
