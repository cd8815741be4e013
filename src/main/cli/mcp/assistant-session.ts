/** What all tools of a connection share. */
import type { ServerContext } from '@modelcontextprotocol/server'
import type { Context } from '../context.ts'
import type { Access } from './access.ts'
import type { createSessionLimits } from './session-limits.ts'

export type AssistantSession = {
  readonly context: Context
  readonly access: Access
  readonly limits: ReturnType<typeof createSessionLimits>
}

/** A request. Aborted when the client cancels it or disconnects. */
export type AssistantRequest = Pick<ServerContext['mcpReq'], 'signal' | 'notify' | '_meta'>
