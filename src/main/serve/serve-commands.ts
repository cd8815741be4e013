/** Runs commands for clients that connect to the owner's socket. */
import type { Socket } from 'node:net'
import { acceptLink, listenForLinks } from '../../node/owner-link/accept-link.ts'
import { ClientMessage, type FromOwner } from '../../node/owner-link/messages.ts'
import { PROGRAM_VERSION } from '../../node/version.ts'
import type { socketPlace } from '../../node/owner-link/socket-place.ts'
import type { OwnerLock } from '../database/index.ts'
import { createSession, type RunCommand } from './session.ts'

/** Maximum number of clients, more than any user has. Further clients are disconnected immediately. */
const MOST_CLIENTS = 100
/** Time limit for commands to end, in ms. */
const ENDING_MS = 10_000

/**
 * Why another process asks the owner to end: the app takes over (`yield`), a container ends or a command of another version replaces an
 * idle owner (`end`), or the program's files are replaced (`update`).
 */
export type OwnerEnd = 'yield' | 'end' | 'update'

export type Serving = Awaited<ReturnType<typeof serveCommands>>

/**
 * @param dataDir absolute; this process owns it
 * @param options `onChange` is called when a client connects or disconnects. `end` is called when another process asks this one to end; if
 * that process only wants to replace this one, `end` is called only while `isIdle` returns true. `onLost` is called repeatedly while the
 * folder no longer belongs to this process
 * @throws the system's error if the socket can't be created
 */
export async function serveCommands(
  dataDir: string,
  place: Parameters<typeof socketPlace>[1],
  run: RunCommand,
  {
    onChange,
    end,
    isIdle = () => false,
    onLost,
    lock,
  }: {
    readonly onChange: () => void
    readonly end?: (reason: OwnerEnd) => void
    readonly isIdle?: () => boolean
    readonly onLost?: () => void
    readonly lock?: OwnerLock
  },
) {
  const sessions = new Set<ReturnType<typeof createSession>>()
  const open = new Set<{ close(): void }>()
  let isClosing = false
  function take(socket: Socket, secret: string): void {
    if (open.size >= MOST_CLIENTS) return void socket.destroy()
    let session: ReturnType<typeof createSession> | undefined
    const link = acceptLink<FromOwner>(socket, {
      secret,
      version: PROGRAM_VERSION,
      isOpen: () => !isClosing,
      accept(proven, version) {
        session = version === PROGRAM_VERSION ? createSession(proven, run) : undefined
        if (session !== undefined) sessions.add(session)
        return (raw) => {
          const message = ClientMessage.parse(raw)
          // The sender of this message doesn't run a command.
          if (message.type === 'yield' || message.type === 'end' || message.type === 'update') {
            session?.left()
            return end?.(message.type)
          }
          if (message.type === 'replace') return isIdle() ? end?.('end') : proven.send({ type: 'working' })
          return session === undefined ? proven.close() : session.hear(message)
        }
      },
      onClose() {
        open.delete(link)
        session?.left()
        if (session !== undefined) sessions.delete(session)
        onChange()
      },
    })
    open.add(link)
    onChange()
  }

  const keeping = lock && { owns: lock.isHeld, ...(onLost && { onLost }) }
  const listener = await listenForLinks(dataDir, place, take, keeping)
  return {
    clients: (): number => open.size,
    /** Whether a client of this version is connected. */
    hasCommands: (): boolean => sessions.size > 0,
    /**
     * Stops accepting clients, and tells running commands that the owner is ending.
     * @param isUpdate whether the program's files are about to be replaced: no client continues its command then
     * @returns whether a client continues its command at the next owner
     */
    async close(isUpdate = false): Promise<boolean> {
      isClosing = true
      const closed = listener.close()
      let isContinued = false
      const ended = [...sessions].map(async (session) => {
        if (await session.end(isUpdate)) isContinued = true
      })
      // For example, a suspended client doesn't read its output.
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, ENDING_MS)
      await Promise.race([Promise.all(ended), late.promise])
      clearTimeout(timer)
      for (const link of open) link.close()
      await closed
      return isContinued
    },
  }
}
