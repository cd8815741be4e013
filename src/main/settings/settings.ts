import { writeFileSync } from 'node:fs'
import {
  Settings as SettingsSchema,
  type Settings as SettingsValue,
  type SettingsPatch,
} from '../../shared/model/settings.ts'
import { codeOf, hasCode } from '../../node/errors.ts'
import { createListeners } from '../../node/listeners.ts'
import { readRegular } from '../../node/open-regular.ts'
import { writeWholeSync } from '../../node/write-file.ts'
import { ifPossible } from '../../node/if-possible.ts'
import { parseJson } from '../../shared/parse-json.ts'

/** All settings are stored under this key, so that a write changes either all of them or none. */
export const SETTINGS_KEY = 'settings'

export type SettingsStore = ReturnType<typeof openSettingsFile>

/** Number of days to keep originals; null to keep them forever. `unreadable`: the user's choice can't be read. */
export type KeepOriginals =
  | { readonly from: 'choice' | 'default'; readonly days: number | null }
  | { readonly from: 'unreadable' }

export type Settings = ReturnType<typeof createSettings>

/**
 * Provides typed access to the user's settings. Reading never fails: an invalid field falls back to its default. Values that this
 * version doesn't understand stay in the store until they are overwritten, so that nothing is lost when the user returns to a newer
 * version.
 */
export function createSettings(store: SettingsStore) {
  const listeners = createListeners<[SettingsValue]>()
  const first = store.get(SETTINGS_KEY)
  let current = read(first)
  let stored = asRecord(first)
  let unread = unreadIn(stored, current)

  function take(next: SettingsValue): void {
    if (JSON.stringify(next) === JSON.stringify(current)) return
    current = next
    listeners.call(current)
  }

  function write(written: Values, next = read(written)): void {
    store.set(SETTINGS_KEY, written)
    stored = written
    unread = unreadIn(written, next)
    take(next)
  }

  return {
    /** Returns the same object until a setting changes. */
    view: (): SettingsValue => current,
    /** Absolute path of the copy of a settings file that was damaged at startup; null if there is none. */
    keptAs: store.keptAs,
    /** Returns the names of stored values that this version can't read, such as `watchFolders` or `quiet.from`. */
    unread: (): readonly string[] => unread,

    /** Returns the names of stored settings that this version doesn't know. */
    newer: (): readonly string[] => Object.keys(stored).filter((name) => !Object.hasOwn(current, name)),

    /**
     * Remembers the stored values of settings, including those that can't be read.
     * @returns a function that stores them again
     */
    remember(names: readonly string[]): () => void {
      const kept = asRecord(store.get(SETTINGS_KEY))
      return () => {
        const others = Object.entries(asRecord(store.get(SETTINGS_KEY))).filter(
          ([name]) => !names.includes(name),
        )
        const again = Object.entries(kept).filter(([name]) => names.includes(name))
        write(Object.fromEntries([...others, ...again]))
      }
    },

    /**
     * Writes immediately.
     * @throws TypeError if a value is invalid for its field, or the file system's error; in both cases nothing changes
     */
    update(patch: SettingsPatch): SettingsValue {
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
      const wanted = { ...current, ...given }
      const next = read(wanted)
      const lost = Object.keys(given).find((key) => !sameValue(valueAt(wanted, key), valueAt(next, key)))
      if (lost !== undefined) throw new TypeError(`Invalid value for the setting “${lost}”.`)
      const chosen = Object.fromEntries(Object.keys(given).map((key) => [key, valueAt(next, key)]))
      const before = asRecord(store.get(SETTINGS_KEY))
      write({ ...before, ...chosen, ...keptRules(chosen, before) }, next)
      return current
    },

    keepOriginals(): KeepOriginals {
      const isStored = stored['keepOriginalsDays'] !== undefined
      const isUnreadable = isStored ? unread.includes('keepOriginalsDays') : store.damage !== null
      if (isUnreadable) return { from: 'unreadable' }
      return { from: isStored ? 'choice' : 'default', days: current.keepOriginalsDays }
    },

    /**
     * Adds a listener.
     * @returns a function that removes the listener
     */
    onChange: listeners.add,
  }
}

const read = (stored: unknown): SettingsValue => SettingsSchema.parse(asRecord(stored))

/** Returns the names of stored values that differ from those in `taken`, except fields that this version doesn't know. */
const unreadIn = (stored: Values, taken: object, parent = ''): readonly string[] =>
  Object.entries(taken).flatMap(([key, now]) => {
    const before = stored[key]
    if (before === undefined || isTaken(before, now)) return []
    const isGroup = isRecord(before) && isRecord(now) && parent === ''
    return isGroup ? unreadIn(before, now, `${key}.`) : [parent + key]
  })

/** Whether the parsed value equals the stored one, except for unknown fields and for spaces that parsing trims. */
function isTaken(stored: unknown, now: unknown): boolean {
  if (Array.isArray(now))
    return (
      Array.isArray(stored) &&
      stored.length === now.length &&
      now.every((one, index) => isTaken(stored[index], one))
    )
  if (isRecord(now))
    return (
      isRecord(stored) &&
      Object.entries(now).every(([key, one]) => stored[key] === undefined || isTaken(stored[key], one))
    )
  return stored === now || (typeof stored === 'string' && stored.trim() === now)
}

const isRecord = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the folder rules to store. Rules that this version can't read stay as they are when the rules of another folder change. */
function keptRules(chosen: Values, stored: Values): Values {
  if (!Object.hasOwn(chosen, 'folderRules')) return {}
  const before = asRecord(stored['folderRules'])
  const rules = Object.entries(asRecord(chosen['folderRules']))
  return { folderRules: Object.fromEntries(rules.map(([id, now]) => [id, now ?? before[id] ?? null])) }
}

const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? { ...value } : {})

const valueAt = (settings: object, key: string): unknown => asRecord(settings)[key]

const sameValue = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

/** Serializes with sorted keys, because parsing may reorder the fields of an object. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? ''

export type SettingsFileOptions = {
  /** Whether to copy a damaged file. False for a process that never writes settings. */
  readonly keepsDamaged?: boolean
  /**
   * Returns a function that writes one value into the file, if available. The app uses electron-store. The written file is read
   * back and verified.
   */
  readonly writer?: () => Put | undefined
}

export type Put = (key: string, value: unknown) => void

type Values = Readonly<Record<string, unknown>>

type Content =
  | { readonly kind: 'read'; readonly values: Values }
  /** The content or its settings aren't a JSON object. */
  | { readonly kind: 'damaged'; readonly text: string }
  /** Reading the file failed, so the content is unknown. */
  | { readonly kind: 'unreadable'; readonly error: unknown }

/**
 * Opens settings in a JSON file: one object with a value per key. Each write rereads the file first, so that other processes'
 * changes to other keys are kept, and then replaces the file atomically. A damaged file is copied next to itself as `….damaged`
 * before anything is written, and the defaults apply. A file that can't be read is never written.
 * @param path absolute; its folder is created if missing
 */
export function openSettingsFile(path: string, { keepsDamaged = true, writer }: SettingsFileOptions = {}) {
  const first = readContent(path)
  const keptAs = first.kind === 'damaged' && keepsDamaged ? keepCopy(path, first.text) : null

  return {
    /** Why the file couldn't be used when it was opened; null if it could. */
    damage: first.kind === 'read' ? null : first.kind,
    /** Absolute path of the copy of a damaged file; null if there is none. */
    keptAs,

    get: (key: string): unknown => valuesOf(readContent(path))[key],

    set(key: string, value: unknown): void {
      const content = readContent(path)
      if (content.kind === 'unreadable') {
        throw new Error(`Couldn’t read ${path} (${codeOf(content.error)}), so nothing was written.`)
      }
      if (content.kind === 'damaged') keepCopy(path, content.text)
      const put = writer?.()
      if (put === undefined) writeValues(path, { ...valuesOf(content), [key]: value })
      else putAndCheck(path, valuesOf(content), () => put(key, value))
    },
  }
}

const writeValues = (path: string, values: Values): void =>
  writeWholeSync(path, JSON.stringify(values, undefined, '\t'))

/**
 * Writes with a library that doesn't detect a full disk. If the library leaves a partial file, restores the previous content and
 * throws.
 */
function putAndCheck(path: string, before: Values, put: () => void): void {
  put()
  if (readContent(path).kind === 'read') return
  writeValues(path, before)
  throw new Error(`Couldn’t write ${path}. Its previous content was restored.`)
}

const valuesOf = (content: Content): Values => (content.kind === 'read' ? content.values : {})

function readContent(path: string): Content {
  let text: string
  try {
    text = readRegular(path)
  } catch (error) {
    return hasCode(error, 'ENOENT') ? { kind: 'read', values: {} } : { kind: 'unreadable', error }
  }
  const values = ifPossible(() => parseJson(text))
  const isWhole = isRecord(values) && isRecord(values[SETTINGS_KEY])
  return isWhole ? { kind: 'read', values: { ...values } } : { kind: 'damaged', text }
}

/**
 * Copies the damaged text. Renaming the file would be unsafe: if two processes find the same damage, one may have written a valid
 * file before the other renames it.
 * @returns the path of the copy
 */
function keepCopy(path: string, text: string): string {
  for (let attempt = 1; ; attempt++) {
    const name = `${path}.damaged${attempt === 1 ? '' : `-${attempt}`}`
    try {
      writeFileSync(name, text, { flag: 'wx', mode: 0o600 })
      return name
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      if (ifPossible(() => readRegular(name)) === text) return name
    }
  }
}
