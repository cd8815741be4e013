import { readFileSync, writeFileSync } from 'node:fs'
import { codeOf, hasCode } from '../../node/errors.ts'
import { writeWholeSync } from '../../node/write-file.ts'
import type { SettingsStore } from './settings.ts'

export type SettingsFileOptions = {
  /** False for a process that never writes: then a damaged file is left alone. */
  readonly keepsDamaged?: boolean
  /** What puts one value into the file; the app's is electron-store's. What it has left is read again and held to it. */
  readonly put?: (key: string, value: unknown) => void
}

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
  { keepsDamaged = true, put }: SettingsFileOptions = {},
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
