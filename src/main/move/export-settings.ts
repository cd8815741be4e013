import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parseJson } from '../../shared/parse-json.ts'
import { isAbsolutePath } from '../../shared/paths.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'
import type { StoredPreset } from '../presets/presets.ts'
import type { Settings } from '../settings/settings.ts'
import { STAYS, withoutSecrets, withPaths } from './moved-values.ts'

export type SettingsExport =
  /** `leftOut`: invalid presets, and settings of a newer version, because they might contain secrets. */
  | { readonly text: string; readonly leftOut: readonly string[] }
  /** Settings that can't be read. An export without them would remove these settings on the computer that imports it. */
  | { readonly unread: readonly string[] }

/**
 * Returns the export file's text, or the settings that can't be read. Leaves out shipped presets that haven't been changed.
 * @param stored the presets in the folder
 * @param from `home` is absolute; `at` is in ms since 1970
 */
export function exportedSettings(
  settings: Pick<Settings, 'view' | 'unread' | 'newer'>,
  stored: readonly Pick<StoredPreset, 'name' | 'text' | 'preset'>[],
  { home, computer, at }: { readonly home: string; readonly computer: string; readonly at: number },
): SettingsExport {
  const unread = settings.unread()
  if (unread.length > 0) return { unread }
  const all = settings.view()
  const moved = Object.entries(all).filter(
    // Only an external service has an address.
    ([name]) => !STAYS.has(name) && (name !== 'baseUrl' || all.connection === 'external'),
  )
  const shipped = defaultDocuments().map(({ text }) => parseJson(text))
  const own = stored
    .filter(({ preset }) => preset !== null)
    .map(({ text }) => parseJson(text))
    .filter((document) => !shipped.some((one) => isDeepStrictEqual(one, document)))
  const exported = {
    mediatraySettings: 1,
    exportedAt: new Date(at).toISOString(),
    computer,
    settings: withPaths(withoutSecrets(Object.fromEntries(moved)), shortening(home)),
    presets: own,
  }
  const invalid = stored.filter(({ preset }) => preset === null).map(({ name }) => name)
  return { text: `${JSON.stringify(exported, null, 2)}\n`, leftOut: [...settings.newer(), ...invalid] }
}

/** Creates a function that replaces the home folder at the start of a path with `~`. */
function shortening(given: string): (path: string) => string {
  // HOME may be empty, or end in a slash.
  const home = isAbsolutePath(given) ? resolve(given) : undefined
  return (path) => {
    if (home === undefined || !path.startsWith(home)) return path
    const rest = path.slice(home.length)
    return rest === '' || /^[/\\]/.test(rest) ? `~${rest.replaceAll('\\', '/')}` : path
  }
}
