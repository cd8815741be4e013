/** Makes access to a member that the stand-in lacks throw an error naming that member, instead of returning undefined. */
import type { EventEmitter } from 'node:events'

const READ_BY_RUNTIME = new Set([
  'then',
  'toJSON',
  'constructor',
  'prototype',
  'domain',
  'inspect',
  '$$typeof',
])

const isReadByRuntime = (key: string | symbol): boolean =>
  typeof key === 'symbol' || key.startsWith('_') || READ_BY_RUNTIME.has(key)

/** @returns a proxy for the object; reading a member that it lacks throws "The stand-in has no app.foo". */
export function lacking<T extends object>(name: string, object: T): T {
  return new Proxy(object, {
    get(target, key, receiver) {
      if (key in target || isReadByRuntime(key)) return Reflect.get(target, key, receiver)
      throw new Error(`The stand-in has no ${name}.${String(key)}`)
    },
  })
}

/** Applies `lacking` to a class: to its static members and to those of every instance. */
export function lackingClass<Class extends new (...args: never[]) => object>(
  name: string,
  original: Class,
): Class {
  return new Proxy(lacking(name, original), {
    construct(target, args: never[]) {
      return lacking(name, new target(...args))
    },
  })
}

/** Throws an error that names the event if the app listens for one that the stand-in never emits. */
export function onlyEvents(name: string, emitter: EventEmitter, events: readonly string[]): void {
  const known = new Set(['newListener', 'removeListener', 'error', ...events])
  emitter.on('newListener', (event: string | symbol) => {
    if (typeof event === 'string' && !known.has(event))
      throw new Error(`The stand-in has no event '${event}' of ${name}`)
  })
}

/** An event whose default action a listener can prevent. */
export type PreventableEvent = { preventDefault(): void; readonly defaultPrevented: boolean }

export function preventable<Details extends object>(details: Details): PreventableEvent & Details {
  let prevented = false
  const event = {
    preventDefault: () => {
      prevented = true
    },
    get defaultPrevented() {
      return prevented
    },
  }
  return Object.assign(event, details)
}
