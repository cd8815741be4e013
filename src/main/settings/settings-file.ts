import { existsSync, readFileSync, renameSync } from 'node:fs'
import type { SettingsStore } from './settings.ts'
import { writeWholeSync } from '../../node/write-file.ts'

/**
 * Settings in a JSON file of the form that `electron-store` writes, for where there is no Electron. Each write reads the
 * file again first, so that what the app has changed meanwhile under other keys is kept, and replaces it in one step.
 *
 * A file that is not JSON is kept next to the new one as `….damaged`, and the defaults apply.
 *
 * @param path absolute; its folder is made when missing
 */
export function openSettingsFile(path: string): SettingsStore {
  const listeners = new Set<{ key: string; listener: (value: unknown) => void }>()

  return {
    get: (key) => readContent(path)[key],

    set(key, value) {
      writeWholeSync(path, JSON.stringify({ ...readContent(path), [key]: value }, undefined, '\t'))
      for (const entry of listeners) if (entry.key === key) entry.listener(value)
    },

    onDidChange(key, listener) {
      const entry = { key, listener }
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
  }
}

function readContent(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {}
  const text = readFileSync(path, 'utf8')
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return { ...content }
  } catch {
    // Set aside below, like JSON that is no object.
  }
  renameSync(path, freeName(`${path}.damaged`))
  return {}
}

function freeName(wanted: string): string {
  let name = wanted
  for (let next = 2; existsSync(name); next++) name = `${wanted}-${next}`
  return name
}
