import { readFileSync, writeFileSync } from 'node:fs'
import {
  Settings as SettingsSchema,
  type Settings as SettingsValue,
  type SettingsPatch,
} from '../../shared/model/settings.ts'
import { codeOf, hasCode } from '../../node/errors.ts'
import { writeWholeSync } from '../../node/write-file.ts'

/** All settings are kept under this one name, so that one write changes all of them or none. */
export const SETTINGS_KEY = 'settings'

/** What the settings are kept in. */
export type SettingsStore = {
  get(key: string): unknown
  set(key: string, value: unknown): void
  /** @returns a function that ends the listening */
  onDidChange(key: string, listener: (value: unknown) => void): () => void
  /** What was wrong with it when it was opened. */
  readonly damage: 'damaged' | 'unreadable' | null
  /** Where a copy of what was damaged is; absolute. */
  readonly keptAs: string | null
}

export interface Settings {
  /** The same object until something changes. */
  view(): SettingsValue
  /**
   * Writes at once. A value that its field cannot hold is a mistake of the caller and throws; nothing is written then.
   */
  update(patch: SettingsPatch): SettingsValue
  /** Where a copy of a damaged file is, which could not be read when these were opened; absolute. */
  readonly keptAs: string | null
  /** Told after every change, whoever made it. @returns a function that ends the listening */
  onChange(listener: (settings: SettingsValue) => void): () => void
}

/**
 * Typed access to what the person has chosen. Reading never fails: each field that does not fit falls back to its default.
 * What this version doesn't understand stays in the store until something else is chosen for it, so that going back to a newer
 * version loses nothing.
 */
export function createSettings(store: SettingsStore): Settings {
  const listeners = new Set<(settings: SettingsValue) => void>()
  let current = read(store.get(SETTINGS_KEY))

  function take(next: SettingsValue): void {
    if (JSON.stringify(next) === JSON.stringify(current)) return
    current = next
    for (const listener of listeners) listener(current)
  }

  store.onDidChange(SETTINGS_KEY, (value) => take(read(value)))

  return {
    view: () => current,
    keptAs: store.keptAs,

    update(patch) {
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
      const wanted = { ...current, ...given }
      const next = read(wanted)
      const lost = Object.keys(given).find((key) => !sameValue(valueAt(wanted, key), valueAt(next, key)))
      if (lost !== undefined) throw new TypeError(`The setting “${lost}” cannot hold this value.`)
      const chosen = Object.fromEntries(Object.keys(given).map((key) => [key, valueAt(next, key)]))
      store.set(SETTINGS_KEY, { ...asRecord(store.get(SETTINGS_KEY)), ...chosen })
      take(next)
      return current
    },

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const read = (stored: unknown): SettingsValue => SettingsSchema.parse(asRecord(stored))

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const valueAt = (settings: object, key: string): unknown => asRecord(settings)[key]

const sameValue = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

/** As JSON with sorted keys: parsing may have put the fields of an object in another order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? ''

export type SettingsFileOptions = {
  /** False for a process that never writes: then a damaged file is left alone. */
  readonly keepsDamaged?: boolean
  /**
   * What puts one value into the file, as soon as it is there; the app's is electron-store's. What it has left is read again and
   * held to it.
   */
  readonly putter?: () => Put | undefined
}

export type Put = (key: string, value: unknown) => void

type Values = Readonly<Record<string, unknown>>

type Content =
  | { readonly kind: 'read'; readonly values: Values }
  /** It is no JSON object. */
  | { readonly kind: 'damaged'; readonly text: string }
  /** The system does not give it to us, which says nothing about what is in it. */
  | { readonly kind: 'unreadable'; readonly error: unknown }

/**
 * Settings in a JSON file, one object with a value under each key. Each write reads the file again first, so that what another
 * process has changed meanwhile under other keys is kept, and replaces it in one step.
 *
 * A damaged file is copied beside it as `….damaged` before anything is written, and the defaults apply. A file that can't be
 * read is never written.
 *
 * @param path absolute; its folder is made when missing
 */
export function openSettingsFile(
  path: string,
  { keepsDamaged = true, putter }: SettingsFileOptions = {},
): SettingsStore {
  const listeners = new Set<{ key: string; listener: (value: unknown) => void }>()
  const first = readContent(path)
  const keptAs = first.kind === 'damaged' && keepsDamaged ? keepCopy(path, first.text) : null

  return {
    damage: first.kind === 'read' ? null : first.kind,
    keptAs,

    get: (key) => valuesOf(readContent(path))[key],

    set(key, value) {
      const content = readContent(path)
      if (content.kind === 'unreadable') {
        throw new Error(`${path} can’t be read (${codeOf(content.error)}), so it is not written either.`)
      }
      if (content.kind === 'damaged') keepCopy(path, content.text)
      const put = putter?.()
      if (put === undefined) writeValues(path, { ...valuesOf(content), [key]: value })
      else putAndCheck(path, valuesOf(content), () => put(key, value))
      for (const entry of listeners) if (entry.key === key) entry.listener(value)
    },

    onDidChange(key, listener) {
      const entry = { key, listener }
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
  }
}

const writeValues = (path: string, values: Values): void =>
  writeWholeSync(path, JSON.stringify(values, undefined, '\t'))

/** A library that does not notice a full disk leaves half a file: then what was there before comes back, and the call fails. */
function putAndCheck(path: string, before: Values, put: () => void): void {
  put()
  if (readContent(path).kind === 'read') return
  writeValues(path, before)
  throw new Error(`${path} could not be written whole. It is as it was before.`)
}

const valuesOf = (content: Content): Values => (content.kind === 'read' ? content.values : {})

function readContent(path: string): Content {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return hasCode(error, 'ENOENT') ? { kind: 'read', values: {} } : { kind: 'unreadable', error }
  }
  try {
    const values: unknown = JSON.parse(text)
    if (typeof values === 'object' && values !== null && !Array.isArray(values)) {
      return { kind: 'read', values: { ...values } }
    }
  } catch {
    // Said below, like JSON that is no object.
  }
  return { kind: 'damaged', text }
}

/**
 * A copy, because of two processes that find the same damage one may have written a good file by the time the other moves it.
 *
 * @returns where it is
 */
function keepCopy(path: string, text: string): string {
  for (let attempt = 1; ; attempt++) {
    const name = `${path}.damaged${attempt === 1 ? '' : `-${attempt}`}`
    try {
      writeFileSync(name, text, { flag: 'wx', mode: 0o600 })
      return name
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      if (holds(name, text)) return name
    }
  }
}

function holds(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8') === text
  } catch {
    return false
  }
}
