/**
 * Rejects an assistant's messages that are too expensive to parse. A few megabytes with millions of values would keep the library's checks
 * busy for minutes, and each invalid value would add an error to memory.
 */
import { jsonExcess, type JsonExcess, type JsonLimits } from '../../../node/json-limits.ts'

/** Limits of a message, far above what a call with the maximum number of paths needs. */
const MESSAGE: JsonLimits = { bytes: 4 * 1024 * 1024, values: 10_000 }
/** Maximum length of a line, in bytes. A longer line ends the connection. */
const MOST_BYTES = 10 * 1024 * 1024

const WHY: Readonly<Record<JsonExcess, string>> = {
  tooLong: 'The message is too long.',
  tooManyValues: 'The message has too many values.',
  tooDeep: 'The message is nested too deeply.',
}

const NEWLINE = 0x0a
const QUOTE = 0x22
const BACKSLASH = 0x5c

export type MessageChannel = {
  readonly input: AsyncIterable<Uint8Array>
  readonly write: (line: string) => void
  /** Resolves when the client has caught up. Prevents unread answers from piling up in memory. */
  readonly ready: () => Promise<void>
}

/** Passes on the messages that are within the limits, one per chunk. Answers the other messages with an error. */
export async function* limitedMessages({ input, write, ready }: MessageChannel): AsyncGenerator<Buffer> {
  let pending: Uint8Array[] = []
  let length = 0
  for await (const chunk of input) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end + 1)])
      pending = []
      length = 0
      from = end + 1
      const excess = jsonExcess(line, MESSAGE)
      if (excess !== undefined) write(refusal(line, WHY[excess]))
      await ready()
      if (excess === undefined) yield line
    }
    length += chunk.length - from
    if (length > MOST_BYTES) return write(refusal(Buffer.alloc(0), WHY.tooLong))
    pending.push(chunk.subarray(from))
  }
}

function refusal(line: Buffer, message: string): string {
  // In JSON-RPC 2.0, -32600 means an invalid request, and the ID null means that the request's ID isn't known.
  return `${JSON.stringify({ jsonrpc: '2.0', id: idIn(line), error: { code: -32_600, message } })}\n`
}

/** Returns the ID of a request without parsing it: the value of the outermost object's `id`, or null if it isn't found. */
function idIn(line: Buffer): string | number | null {
  let levels = 0
  for (let at = 0; at < line.length; at++) {
    const byte = line[at]
    if (byte === QUOTE) {
      const start = at
      for (at++; at < line.length && line[at] !== QUOTE; at++) if (line[at] === BACKSLASH) at++
      if (levels !== 1 || line.toString('latin1', start, at + 1) !== '"id"') continue
      const value = /^\s*:\s*(\d{1,15}|"[\w-]{0,100}")\s*[,}]/.exec(
        line.toString('latin1', at + 1, at + 200),
      )?.[1]
      if (value !== undefined) return value.startsWith('"') ? value.slice(1, -1) : Number(value)
    } else if (byte === 0x7b || byte === 0x5b) levels++
    else if (byte === 0x7d || byte === 0x5d) levels--
  }
  return null
}
