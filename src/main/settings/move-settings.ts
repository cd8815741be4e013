/**
 * Moves settings to another computer as one JSON file: settings, presets and what follows jobs, but no keys. Paths below the home folder
 * begin with `~`. What could run or give access to something is imported switched off.
 */
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Hooks } from '../../shared/model/after-job.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { parseJson } from '../../shared/parse-json.ts'
import { Settings, type SettingsPatch, withoutDefaults } from '../../shared/model/settings.ts'
import type { SettingsImportView } from '../../shared/model/settings-import.ts'
import { defaultDocuments } from '../../shared/preset/default-presets.ts'

type Values = Readonly<Record<string, unknown>>

const Exported = z.object({
  mediatraySettings: z.literal(1),
  exportedAt: z.iso.datetime().optional().catch(undefined),
  computer: z.string().max(300).default('').catch(''),
  settings: z.record(z.string(), z.unknown()),
  presets: z.array(z.object({ name: z.string() }).loose()).default([]),
})

/** Settings that belong to one computer: its state, a program that the app would run, and a file that it would replace. */
const STAYS: ReadonlySet<string> = new Set<keyof Settings>([
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
  'underMegabytes',
])

/** The fields that contain paths, at any depth. */
const PATHS: ReadonlySet<string> = new Set(['path', 'realPath', 'program', 'usualOutput'])

/**
 * Returns the file's text. Contains the presets that differ from the shipped ones.
 * @param from `home` is absolute; `at` is in ms since 1970
 */
export function exportedSettings(
  settings: Settings,
  presets: readonly Pick<PresetDocument, 'text' | 'preset'>[],
  { home, computer, at }: { readonly home: string; readonly computer: string; readonly at: number },
): string {
  const moved = Object.entries(settings).filter(([name]) => !STAYS.has(name))
  const shipped = defaultDocuments().map(({ text }) => parseJson(text))
  const own = presets
    .filter(({ preset }) => preset !== null)
    .map(({ text }) => parseJson(text))
    .filter((document) => !shipped.some((one) => isDeepStrictEqual(one, document)))
  const exported = {
    mediatraySettings: 1,
    exportedAt: new Date(at).toISOString(),
    computer,
    settings: withPaths(Object.fromEntries(moved), (path) => shortened(path, home)),
    presets: own,
  }
  return `${JSON.stringify(exported, null, 2)}\n`
}

/** What an import would change. Nothing has changed yet. */
export type SettingsImport = Omit<SettingsImportView, 'file' | 'presets'> & {
  readonly patch: SettingsPatch
  readonly presets: readonly (SettingsImportView['presets'][number] & { readonly text: string })[]
}

/**
 * Compares a file with the settings of this computer.
 * @param isFolder whether a folder exists at an absolute path
 * @returns undefined if it isn't a file with settings
 */
export async function readSettingsImport(
  text: string,
  current: Settings,
  presets: readonly Pick<PresetDocument, 'name' | 'text'>[],
  { home, isFolder }: { readonly home: string; readonly isFolder: (path: string) => Promise<boolean> },
): Promise<SettingsImport | undefined> {
  const file = Exported.safeParse(parsed(text))
  if (!file.success) return undefined
  const given = withPaths(file.data.settings, (path) => lengthened(path, home))
  const { values, newer, unreadable } = sorted(given)
  const { missing, ...folders } = await existing(values.watchFolders ?? [], isFolder)
  const imported: Partial<Settings> = {
    ...values,
    ...(values.watchFolders && { watchFolders: folders.existing }),
  }
  const safe = switchedOff(imported, current)
  const changes = Object.entries(safe.values).flatMap(([name, next]) => {
    const now: unknown = Reflect.get(current, name)
    return isDeepStrictEqual(now, next) ? [] : { name, now, next }
  })
  const { exportedAt, computer } = file.data
  return {
    exported: exportedAt === undefined ? null : { at: Date.parse(exportedAt), computer },
    changes,
    patch: Object.fromEntries(changes.map(({ name, next }) => [name, next])),
    presets: changedPresets(file.data.presets, presets),
    newer,
    unreadable,
    missing,
    off: safe.off,
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Separates the values that this version can use from the others. */
function sorted(given: Values) {
  const values: Record<string, unknown> = {}
  const newer: string[] = []
  const unreadable: string[] = []
  const schemas: Readonly<Record<string, z.ZodType | undefined>> = withoutDefaults(Settings).shape
  for (const [name, value] of Object.entries(given)) {
    if (STAYS.has(name)) continue
    const schema = schemas[name]
    const read = schema?.safeParse(value)
    if (read === undefined) newer.push(name)
    else if (read.success) values[name] = read.data
    else unreadable.push(name)
  }
  // Each value was parsed with the schema of its setting.
  return { values: values as Partial<Settings>, newer, unreadable }
}

type WatchFolders = Settings['watchFolders']

async function existing(folders: WatchFolders, isFolder: (path: string) => Promise<boolean>) {
  const found = await Promise.all(folders.map(({ path }) => isFolder(path)))
  return {
    existing: folders.map((folder, n) => ({ ...folder, enabled: folder.enabled && found[n] === true })),
    missing: folders.filter((_, n) => found[n] !== true).map(({ path }) => path),
  }
}

/** Switches off programs, requests, messages and assistants, except those that this computer uses already. */
function switchedOff(values: Partial<Settings>, current: Settings) {
  const off = new Set<SettingsImport['off'][number]>()
  const safeHooks = (hooks: Hooks, known: Hooks | undefined): Hooks => {
    if (hooks.program === null && hooks.url === null) return hooks
    if (hooks.program === known?.program && hooks.url === known.url) return known
    off.add('afterJob')
    return { ...hooks, on: [] }
  }
  const { afterJob, receivers, watchFolders, assistants, ...rest } = values
  const safe: Partial<Settings> = { ...rest }
  if (afterJob !== undefined) safe.afterJob = safeHooks(afterJob, current.afterJob)
  if (receivers !== undefined)
    safe.receivers = receivers.map((receiver) => {
      const known = current.receivers.find(({ id }) => id === receiver.id)
      if (known?.format === receiver.format && known.host === receiver.host) return known
      off.add('afterJob')
      return { ...receiver, on: [] }
    })
  if (watchFolders !== undefined)
    safe.watchFolders = watchFolders.map((folder) => {
      const known = current.watchFolders.find(({ id }) => id === folder.id)
      const hooks = folder.afterJob
      return hooks === undefined ? folder : { ...folder, afterJob: safeHooks(hooks, known?.afterJob) }
    })
  if (assistants !== undefined) {
    const isKnown = isDeepStrictEqual(assistants.folders, current.assistants.folders)
    if (!isKnown) off.add('assistants')
    safe.assistants = { ...assistants, enabled: isKnown && current.assistants.enabled }
  }
  return { values: safe, off: [...off] }
}

function changedPresets(
  documents: z.infer<typeof Exported>['presets'],
  presets: readonly Pick<PresetDocument, 'name' | 'text'>[],
): SettingsImport['presets'] {
  return documents.flatMap((document) => {
    const known = presets.find(({ name }) => name === document.name)
    if (known !== undefined && isDeepStrictEqual(parsed(known.text), document)) return []
    const text = `${JSON.stringify(document, null, 2)}\n`
    return { name: document.name, text, isNew: known === undefined }
  })
}

/** Returns the values with all paths changed. */
const withPaths = (values: Values, change: (path: string) => string): Values =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, changedIn(name, value, change)]))

function changedIn(name: string, value: unknown, change: (path: string) => string): unknown {
  if (typeof value === 'string') return PATHS.has(name) ? change(value) : value
  if (Array.isArray(value)) return value.map((one) => changedIn(name, one, change))
  return typeof value === 'object' && value !== null ? withPaths({ ...value }, change) : value
}

function shortened(path: string, home: string): string {
  if (path === home) return '~'
  const rest = path.slice(home.length)
  return path.startsWith(home) && /^[/\\]/.test(rest) ? `~${rest.replaceAll('\\', '/')}` : path
}

const lengthened = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? home + path.slice(1) : path
