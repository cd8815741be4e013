/** What all tools of a connection share. */
import type { ServerContext } from '@modelcontextprotocol/server'
import type { Line } from '../../core/index.ts'
import type { Context } from '../context.ts'
import type { Access } from './access.ts'
import type { SessionLimits } from './session-limits.ts'

export type AssistantSession = {
  readonly context: Context
  /** Reads and adds to the outbox and the history, but doesn't send. */
  readonly core: Line
  readonly access: Access
  readonly limits: SessionLimits
  /** Makes sure that some process sends what assistants have submitted. */
  readonly ensureSent: () => void
}

/** A request. Aborted when the client cancels it or disconnects. */
export type AssistantRequest = Pick<ServerContext['mcpReq'], 'signal' | 'notify' | '_meta'>
