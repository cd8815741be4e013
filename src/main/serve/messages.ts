/** Parses what clients send. */
import * as z from 'zod'
import type { ClientMessage } from '../../node/owner-link/messages.ts'

/** Far more than a shell passes to a program. */
const MOST_ARGUMENTS = 200_000
const text = z.string().max(1024 * 1024)
const columns = z.int().min(1).nullable()
const widths = z.object({ stdout: columns, stderr: columns })

export const Message: z.ZodType<ClientMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run'),
    argv: z.array(text).max(MOST_ARGUMENTS),
    env: z.record(text, text),
    cwd: text,
    home: text,
    umask: z.int().min(0).max(0o7777),
    stdout: z.enum(['terminal', 'pipe', 'closed']),
    widths,
    hasTerminal: z.boolean(),
    canConfirm: z.boolean(),
  }),
  z.object({ type: z.literal('resized'), widths }),
  z.object({ type: z.literal('stdin'), bytes: z.instanceof(Uint8Array).nullable() }),
  z.object({ type: z.literal('line'), text: text.nullable() }),
  z.object({ type: z.literal('answer'), isYes: z.boolean() }),
  z.object({ type: z.literal('interrupt'), isUsers: z.boolean() }),
  z.object({ type: z.literal('closed') }),
  z.object({
    type: z.literal('written'),
    failed: z.object({ code: text, message: text }).nullable(),
  }),
  z.object({ type: z.literal('ping') }),
  z.object({ type: z.literal('yield') }),
  z.object({ type: z.literal('end') }),
  z.object({ type: z.literal('update') }),
  z.object({ type: z.literal('replace') }),
])
