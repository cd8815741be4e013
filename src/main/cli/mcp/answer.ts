/** Answers tool calls with JSON, as text for models and as data for programs. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import { messageOf } from '../../../node/errors.ts'
import { Refused } from './access.ts'

/** Maximum number of names in an answer. Resources contain the rest. */
export const MOST_NAMES = 20

export type Data = Readonly<Record<string, unknown>>

/** Runs a tool and returns its answer. Also returns errors as answers, so that the assistant can report them to the user. */
export async function answer(work: () => Data | Promise<Data>): Promise<CallToolResult> {
  try {
    const data = await work()
    return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data }
  } catch (error) {
    const why = error instanceof Refused ? error.message : `Mediatray couldn’t do this: ${messageOf(error)}`
    return { content: [{ type: 'text', text: why }], isError: true }
  }
}

/** Shortens a list, and counts the rest. */
export const someOf = <T>(all: readonly T[]): { readonly listed: readonly T[]; readonly more: number } => ({
  listed: all.slice(0, MOST_NAMES),
  more: Math.max(0, all.length - MOST_NAMES),
})
