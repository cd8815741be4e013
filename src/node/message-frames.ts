/**
 * Length-prefixed messages over a pipe or a socket, for example between a process that decodes untrusted files and its parent. Node's own
 * IPC channel isn't safe for that, because invalid input to its parser ends the process. A frame consists of the length of the JSON and the
 * total length of the binary data (4 bytes each, little-endian), the JSON, and the binary data. In the JSON, `{ "$bytes": n }` stands for
 * the next n bytes.
 */

const HEADER = 8
export type FrameLimits = {
  /** Maximum length of the JSON, in bytes. */
  readonly json: number
  /** Maximum length of the binary data, in bytes. */
  readonly bytes: number
}

/** The limits for workers. Paths, recipes and reasons are far smaller. So are two images for a large screen, or two video samples. */
const WORKER_LIMITS: FrameLimits = { json: 1024 ** 2, bytes: 256 * 1024 ** 2 }

/**
 * Encodes a message.
 * @param message plain data that may contain `Uint8Array`s; undefined values are omitted
 */
export function frameOf(message: object): readonly Uint8Array[] {
  const parts: Uint8Array[] = []
  const json = Buffer.from(JSON.stringify(withoutBytes(message, parts)))
  const header = Buffer.alloc(HEADER)
  header.writeUInt32LE(json.byteLength, 0)
  header.writeUInt32LE(
    parts.reduce((sum, part) => sum + part.byteLength, 0),
    4,
  )
  return [header, json, ...parts]
}

/**
 * Replaces binary data with placeholders, and appends it to `parts`. Not a replacer function, because `JSON.stringify` converts each Buffer
 * to an array of numbers before it calls a replacer.
 */
function withoutBytes(value: unknown, parts: Uint8Array[]): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) {
    parts.push(value)
    return { $bytes: value.byteLength }
  }
  if (Array.isArray(value)) return value.map((item) => withoutBytes(item, parts))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutBytes(item, parts)]))
}

/**
 * Reassembles frames from chunks.
 * @returns a function that accepts the next chunk. It throws if the data isn't a valid frame; the stream is unusable after that
 */
export function createFrameReader(
  onMessage: (message: unknown) => void,
  limits: FrameLimits = WORKER_LIMITS,
): (chunk: Uint8Array) => void {
  let isHeader = true
  let jsonLength = 0
  let wanted = Buffer.allocUnsafeSlow(HEADER)
  let filled = 0

  function begin(length: number, header: boolean): void {
    isHeader = header
    // Reserved memory isn't used until it is written to.
    wanted = Buffer.allocUnsafeSlow(length)
    filled = 0
  }

  function finish(): void {
    const whole = wanted
    if (!isHeader) {
      begin(HEADER, true)
      return onMessage(messageIn(whole.subarray(0, jsonLength), whole.subarray(jsonLength)))
    }
    jsonLength = whole.readUInt32LE(0)
    const bytes = whole.readUInt32LE(4)
    if (jsonLength === 0 || jsonLength > limits.json || bytes > limits.bytes)
      throw new Error('a message of an invalid size')
    begin(jsonLength + bytes, false)
  }

  return (chunk) => {
    for (let offset = 0; offset < chunk.byteLength;) {
      const part = chunk.subarray(offset, offset + wanted.byteLength - filled)
      wanted.set(part, filled)
      filled += part.byteLength
      offset += part.byteLength
      if (filled === wanted.byteLength) finish()
    }
  }
}

/**
 * Parses a message. Copies each part of the binary data into its own memory, because transferring a slice of a larger buffer would copy the
 * whole buffer.
 */
function messageIn(json: Buffer, bytes: Buffer): unknown {
  let taken = 0
  return JSON.parse(json.toString('utf8'), (_key, value: unknown) => {
    const length = lengthIn(value)
    if (length === undefined) return value
    const end = taken + length
    if (!(length >= 0 && end <= bytes.byteLength))
      throw new Error('a placeholder for more bytes than the message has')
    const own = new Uint8Array(bytes.subarray(taken, end))
    taken = end
    return own
  })
}

const lengthIn = (value: unknown): number | undefined =>
  typeof value === 'object' && value !== null && '$bytes' in value && typeof value.$bytes === 'number'
    ? value.$bytes
    : undefined
