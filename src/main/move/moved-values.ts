/** Facts about settings that both export and import need. */
import type { Hooks } from '../../shared/model/after-job.ts'
import type { Settings } from '../../shared/model/settings.ts'

export type Values = Readonly<Record<string, unknown>>

/** Settings that belong to one computer: its state, a program that the app would run, and a file that it would replace. */
export const STAYS: ReadonlySet<string> = new Set<keyof Settings>([
  'closeToTraySaid',
  'lastPresets',
  'metricsFile',
  'namedPresetJobs',
  'newJobService',
  'outboxPaused',
  'pausedUntil',
  'pickedInFileManager',
  'rclonePath',
  'recentOutputs',
  'startAtLoginOn',
  'underMegabytes',
])

/** The fields that contain paths, at any depth. */
const PATHS: ReadonlySet<string> = new Set(['path', 'realPath', 'program', 'usualOutput'])

export const withPaths = <T extends Values>(values: T, change: (path: string) => string): T =>
  withTexts(values, (name, text) => (PATHS.has(name) ? change(text) : text))

export function everyPath(value: unknown, meets: (path: string) => boolean): boolean {
  let isEvery = true
  withPaths({ value }, (path) => {
    isEvery &&= meets(path)
    return path
  })
  return isEvery
}

/**
 * Returns the values without the secret parts of the URLs that get reports: a webhook's URL works like a password, so only its server is
 * kept.
 */
export const withoutSecrets = <T extends Values>(values: T): T =>
  withTexts(values, (name, text) => (name === 'url' ? serverOf(text) : text))

/** Whether two URLs are the same. An imported URL may lack the parts that an export removes. */
export const isSameUrl = (imported: Hooks['url'], known: Hooks['url']): boolean =>
  imported === known || (imported !== null && known !== null && imported === serverOf(known))

const serverOf = (url: string): string => (URL.canParse(url) ? new URL('/', new URL(url).origin).href : '')

/** Returns the values with all strings changed, at any depth. */
const withTexts = <T extends Values>(values: T, change: (name: string, text: string) => string): T =>
  // `change` maps strings to strings, so the type stays the same.
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, changedIn(name, value, change)]),
  ) as T

function changedIn(name: string, value: unknown, change: (name: string, text: string) => string): unknown {
  if (typeof value === 'string') return change(name, value)
  if (Array.isArray(value)) return value.map((one) => changedIn(name, one, change))
  return typeof value === 'object' && value !== null ? withTexts({ ...value }, change) : value
}
