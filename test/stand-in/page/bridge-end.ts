/**
 * One end of the context bridge.
 * Each JavaScript world of a page has its own objects but shares the page's nodes. A node that only the two ends hold carries
 * synchronous events, and the browser clones their `detail` from world to world. Files travel in a DataTransfer instead, so that
 * the other world gets the same files and not copies. This file is injected into both worlds as source text.
 */

/** Part of a packed value. */
type Packed =
  | { readonly kind: 'clone'; readonly value: unknown }
  | { readonly kind: 'function'; readonly id: number }
  | { readonly kind: 'promise'; readonly id: number }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'file'; readonly index: number }
  | { readonly kind: 'array'; readonly items: readonly Packed[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Packed])[] }

type Message =
  | { readonly type: 'expose'; readonly key: string; readonly api: Packed }
  | { readonly type: 'call'; readonly id: number; readonly args: Packed }
  | { readonly type: 'returned'; readonly value: Packed }
  | { readonly type: 'threw'; readonly message: string }
  | { readonly type: 'settled'; readonly id: number; readonly ok: boolean; readonly value: Packed }

export function createBridgeEnd(port: EventTarget, here: string, there: string) {
  // Captured now, because the page's scripts may replace them later.
  const { CustomEvent, DragEvent, DataTransfer, structuredClone, Reflect, Object, Array, Promise, Error } =
    globalThis
  const dispatch = port.dispatchEvent.bind(port)

  const functions = new Map<number, (...args: unknown[]) => unknown>()
  const idOfFunction = new WeakMap<object, number>()
  const promises = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  let nextId = 1
  let filesThatCame: readonly File[] = []
  let answer: Message | null = null

  const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

  const pack = (value: unknown, files: File[], depth: number): Packed => {
    if (depth > 1_000) throw new Error('Electron contextBridge recursion depth exceeded.')
    if (typeof value === 'function') {
      const id = idOfFunction.get(value) ?? nextId++
      idOfFunction.set(value, id)
      functions.set(id, (...args) => Reflect.apply(value, undefined, args))
      return { kind: 'function', id }
    }
    if (value instanceof Promise) {
      const id = nextId++
      void value.then(
        (result: unknown) => settle(id, true, result),
        (error: unknown) => settle(id, false, error),
      )
      return { kind: 'promise', id }
    }
    if (value instanceof Error) return { kind: 'error', message: value.message }
    if (value instanceof File) return { kind: 'file', index: files.push(value) - 1 }
    if (Array.isArray(value))
      return { kind: 'array', items: value.map((item) => pack(item, files, depth + 1)) }
    const isPlain =
      typeof value === 'object' &&
      value !== null &&
      (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null)
    if (isPlain)
      return {
        kind: 'object',
        entries: Object.entries(value).map(([key, item]) => [key, pack(item, files, depth + 1)] as const),
      }
    // Throws if the value can't be cloned; the browser itself would silently pass null.
    return { kind: 'clone', value: structuredClone(value) }
  }

  const post = (create: (files: File[]) => Message) => {
    const files: File[] = []
    const detail = create(files)
    if (files.length > 0) {
      const dataTransfer = new DataTransfer()
      for (const file of files) dataTransfer.items.add(file)
      dispatch(new DragEvent(there, { dataTransfer }))
    }
    dispatch(new CustomEvent(there, { detail }))
  }

  const settle = (id: number, ok: boolean, result: unknown) => {
    try {
      post((files) => ({ type: 'settled', id, ok, value: pack(result, files, 0) }))
    } catch (error) {
      post((files) => ({ type: 'settled', id, ok: false, value: pack(error, files, 0) }))
    }
  }

  const callThere = (id: number, args: unknown[]): unknown => {
    post((files) => ({ type: 'call', id, args: pack(args, files, 0) }))
    const given = answer
    answer = null
    if (given?.type === 'threw') throw new Error(given.message)
    return given?.type === 'returned' ? unpack(given.value) : undefined
  }

  const unpack = (packed: Packed): unknown => {
    switch (packed.kind) {
      case 'clone':
        return packed.value
      case 'function':
        return (...args: unknown[]) => callThere(packed.id, args)
      case 'promise':
        return new Promise((resolve, reject) => promises.set(packed.id, { resolve, reject }))
      case 'error':
        return new Error(packed.message)
      case 'file':
        return filesThatCame[packed.index]
      case 'array':
        return packed.items.map(unpack)
      case 'object':
        return Object.fromEntries(packed.entries.map(([key, item]) => [key, unpack(item)]))
    }
  }

  const freeze = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const item of Object.values(value)) freeze(item)
    Object.freeze(value)
  }

  const receive = (message: Message) => {
    switch (message.type) {
      case 'expose': {
        const api = unpack(message.api)
        freeze(api)
        Object.defineProperty(globalThis, message.key, { value: api, enumerable: true })
        break
      }
      case 'call':
        try {
          const args = unpack(message.args)
          const returned = functions.get(message.id)?.(...(Array.isArray(args) ? args : []))
          post((files) => ({ type: 'returned', value: pack(returned, files, 0) }))
        } catch (error) {
          const message = messageOf(error)
          post(() => ({ type: 'threw', message }))
        }
        break
      case 'returned':
      case 'threw':
        answer = message
        break
      case 'settled': {
        const waiting = promises.get(message.id)
        promises.delete(message.id)
        if (message.ok) waiting?.resolve(unpack(message.value))
        else waiting?.reject(unpack(message.value))
        break
      }
    }
  }

  port.addEventListener(here, (event) => {
    if (event instanceof DragEvent) filesThatCame = [...(event.dataTransfer?.files ?? [])]
    else if (event instanceof CustomEvent) receive(event.detail as Message)
  })
  return {
    /** Makes a value of this world available in the other world, under a key. Functions and promises become proxies. */
    expose: (key: string, api: unknown) =>
      post((files) => ({ type: 'expose', key, api: pack(api, files, 0) })),
  }
}
