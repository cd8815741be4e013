/** Makes what the stand-in has not got say so by name, instead of being quietly undefined. */
import type { EventEmitter } from 'node:events'

const ASKED_BY_THE_LANGUAGE = new Set([
  'then',
  'toJSON',
  'constructor',
  'prototype',
  'domain',
  'inspect',
  '$$typeof',
])

const isAskedByTheLanguage = (key: string | symbol): boolean =>
  typeof key === 'symbol' || key.startsWith('_') || ASKED_BY_THE_LANGUAGE.has(key)

/** @returns the same object; reading a member that it lacks throws "The stand-in has no app.foo". */
export function lacking<T extends object>(name: string, object: T): T {
  return new Proxy(object, {
    get(target, key, receiver) {
      if (key in target || isAskedByTheLanguage(key)) return Reflect.get(target, key, receiver)
      throw new Error(`The stand-in has no ${name}.${String(key)}`)
    },
  })
}

/** The same for a class: for its static members and for those of every instance. */
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

/** Listening for an event that the stand-in never emits throws by name. */
export function onlyEvents(name: string, emitter: EventEmitter, events: readonly string[]): void {
  const known = new Set(['newListener', 'removeListener', 'error', ...events])
  emitter.on('newListener', (event: string | symbol) => {
    if (typeof event === 'string' && !known.has(event))
      throw new Error(`The stand-in has no event '${event}' of ${name}`)
  })
}

/** An event that a listener can prevent. */
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
