/** The user's list of apps whose copied images automatic mode ignores. */

/** Maximum number of apps in the list, and of characters in a name. */
export const MAX_IGNORED_APPS = 50
export const MAX_APP_NAME = 100

/**
 * Returns the distinct names in a list, at most `MAX_IGNORED_APPS`, each cut to `MAX_APP_NAME` characters. Commas of any script and line
 * breaks separate the names.
 */
export function appsIn(text: string): readonly string[] {
  const names = new Map<string, string>()
  for (const part of text.split(/[,،、，\r\n]/)) {
    const name = part.trim().slice(0, MAX_APP_NAME)
    if (name !== '' && !names.has(comparable(name))) names.set(comparable(name), name)
  }
  return [...names.values()].slice(0, MAX_IGNORED_APPS)
}

/** Whether an app is in the list. @param names all names of the app, for example its bundle identifier and the name of its process */
export function isListed(apps: readonly string[], names: readonly string[]): boolean {
  const listed = new Set(apps.map(comparable))
  return names.some((name) => listed.has(comparable(name)))
}

const comparable = (name: string): string =>
  name
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/\.(?:exe|app)$/, '')
