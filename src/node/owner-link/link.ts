/** A connection on which each message is one frame. */
import type { Socket } from 'node:net'
import { createFrameReader, frameOf, type FrameLimits } from '../message-frames.ts'

/** Limits that are higher than any command needs: a shell passes at most 2 MiB of arguments and variables. */
const LIMITS: FrameLimits = { json: 16 * 1024 ** 2, bytes: 1024 ** 2 }

export type Link<Sent extends object> = {
  send(message: Sent): void
  /** Number of bytes waiting to be sent. */
  waiting(): number
  /** Resolves when few bytes are waiting to be sent, or the connection is closed. */
  drained(): Promise<void>
  pause(): void
  resume(): void
  /** Sends the rest, then closes the connection. @param sent called when the system has accepted everything, or with the error */
  end(sent?: (error?: Error | null) => void): void
  close(): void
}

/**
 * Sends and receives messages over a socket.
 * @param hear called with each message; if it throws, the connection is closed
 * @param onClose called once
 */
export function linkOver<Sent extends object>(
  socket: Socket,
  hear: (message: unknown) => void,
  onClose: () => void,
): Link<Sent> {
  const read = createFrameReader(hear, LIMITS)
  socket.on('data', (chunk) => {
    try {
      read(chunk)
    } catch {
      socket.destroy()
    }
  })
  // `close` follows.
  socket.on('error', () => undefined)
  socket.once('close', onClose)
  return {
    send(message) {
      if (!socket.writable) return
      socket.cork()
      for (const part of frameOf(message)) socket.write(part)
      socket.uncork()
    },
    waiting: () => socket.writableLength,
    drained() {
      if (!socket.writable || !socket.writableNeedDrain) return Promise.resolve()
      return new Promise((resolve) => {
        socket.once('drain', resolve).once('close', () => resolve())
      })
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: (sent) => void socket.end(sent),
    close: () => void socket.destroy(),
  }
}
