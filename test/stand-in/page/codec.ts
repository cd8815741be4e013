/** Structured clone as text, because the debugging protocol carries only text. Runs in Node and, as source text, in the page. */

type Encoded =
  | string
  | boolean
  | null
  | number
  | readonly ['undefined' | 'NaN' | 'Infinity' | '-Infinity' | '-0']
  | readonly ['ref', number]
  | readonly ['bigint' | 'date' | 'error' | 'regexp' | 'buffer', ...string[]]
  | readonly ['bytes', string, string]
  | readonly ['array' | 'set', readonly Encoded[]]
  | readonly ['map', readonly (readonly [Encoded, Encoded])[]]
  | readonly ['object', readonly (readonly [string, Encoded])[]]

const views = {
  Uint8Array, Uint8ClampedArray, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array,
  Float64Array, BigInt64Array, BigUint64Array,
} // prettier-ignore
const isView = (name: string): name is keyof typeof views => name in views

const toText = (bytes: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < bytes.length; at += 32_768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(text)
}
const toBytes = (text: string): Uint8Array<ArrayBuffer> => {
  const raw = atob(text)
  const bytes = new Uint8Array(raw.length)
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at)
  return bytes
}

const encodeValue = (value: unknown, seen: Map<object, number>): Encoded => {
  if (value === undefined) return ['undefined']
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return ['NaN']
    if (value === Infinity) return ['Infinity']
    if (value === -Infinity) return ['-Infinity']
    return Object.is(value, -0) ? ['-0'] : value
  }
  if (typeof value === 'bigint') return ['bigint', value.toString()]
  if (typeof value !== 'object') throw new Error('An object could not be cloned.')
  const known = seen.get(value)
  if (known !== undefined) return ['ref', known]
  seen.set(value, seen.size)
  if (Array.isArray(value)) return ['array', value.map((item) => encodeValue(item, seen))]
  if (value instanceof Date) return ['date', String(value.getTime())]
  if (value instanceof RegExp) return ['regexp', value.source, value.flags]
  if (value instanceof Error) return ['error', value.name, value.message]
  if (value instanceof Map)
    return [
      'map',
      [...value].map(([key, item]) => [encodeValue(key, seen), encodeValue(item, seen)] as const),
    ]
  if (value instanceof Set) return ['set', [...value].map((item) => encodeValue(item, seen))]
  if (value instanceof ArrayBuffer) return ['buffer', toText(new Uint8Array(value))]
  if (ArrayBuffer.isView(value)) {
    const name = Object.prototype.toString.call(value).slice(8, -1)
    return ['bytes', name, toText(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))]
  }
  // Blobs, nodes and ports, which Electron's IPC rejects too.
  if (Object.prototype.toString.call(value) !== '[object Object]')
    throw new Error('An object could not be cloned.')
  return ['object', Object.entries(value).map(([key, item]) => [key, encodeValue(item, seen)] as const)]
}

const decodeValue = (encoded: Encoded, seen: unknown[]): unknown => {
  if (encoded === null || typeof encoded !== 'object') return encoded
  const remember = <T>(value: T): T => {
    seen.push(value)
    return value
  }
  switch (encoded[0]) {
    case 'undefined':
      return undefined
    case 'NaN':
      return Number.NaN
    case 'Infinity':
      return Infinity
    case '-Infinity':
      return -Infinity
    case '-0':
      return -0
    case 'ref':
      return seen[encoded[1]]
    case 'bigint':
      return BigInt(encoded[1] ?? '0')
    case 'date':
      return remember(new Date(Number(encoded[1])))
    case 'regexp':
      return remember(new RegExp(encoded[1] ?? '', encoded[2]))
    case 'error':
      return remember(Object.assign(new Error(encoded[2]), { name: encoded[1] }))
    case 'buffer':
      return remember(toBytes(encoded[1] ?? '').buffer)
    case 'bytes': {
      const { buffer } = toBytes(encoded[2] ?? '')
      const name = encoded[1] ?? ''
      return remember(isView(name) ? new views[name](buffer) : new DataView(buffer))
    }
    case 'array': {
      const array: unknown[] = remember([])
      for (const item of encoded[1]) array.push(decodeValue(item, seen))
      return array
    }
    case 'set': {
      const set = remember(new Set())
      for (const item of encoded[1]) set.add(decodeValue(item, seen))
      return set
    }
    case 'map': {
      const map = remember(new Map())
      for (const [key, item] of encoded[1]) {
        const decodedKey = decodeValue(key, seen)
        map.set(decodedKey, decodeValue(item, seen))
      }
      return map
    }
    case 'object': {
      const object: Record<string, unknown> = remember({})
      // Doesn't assign the property, because a key may be called __proto__.
      for (const [key, item] of encoded[1])
        Object.defineProperty(object, key, {
          value: decodeValue(item, seen), writable: true, enumerable: true, configurable: true,
        }) // prettier-ignore
      return object
    }
  }
}

export const createCodec = () => ({
  /**
   * The platform's own structured clone decides which values are allowed and how they are copied.
   * @throws Error "An object could not be cloned." for values that structured clone or Electron rejects
   */
  encode: (value: unknown): string => JSON.stringify(encodeValue(structuredClone(value), new Map())),
  decode: (text: string): unknown => decodeValue(JSON.parse(text) as Encoded, []),
})
