/** Reads a file with exported settings. Anything that could run, or give access to something, is imported switched off. */
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { isNetworkPath } from '../../node/contained-path.ts'
import { languages } from '../../node/translation.ts'
import { ifPossible } from '../../node/if-possible.ts'
import type { Hooks } from '../../shared/model/after-job.ts'
import type { PresetDocument } from '../../shared/model/built-in-service.ts'
import { outputsIn } from '../../shared/model/folder-rules.ts'
import type { WatchedOutput } from '../../shared/model/stored-output.ts'
import { parseJson } from '../../shared/parse-json.ts'
import { isAbsolutePath } from '../../shared/paths.ts'
import { Settings, type SettingsPatch, usedServices, withoutDefaults } from '../../shared/model/settings.ts'
import type { SettingsImportView } from '../../shared/model/settings-import.ts'
import { parseBaseUrl } from '../service-api/index.ts'
import { everyPath, isSameUrl, STAYS, type Values, withPaths } from './moved-values.ts'

const Exported = z.object({
  mediatraySettings: z.literal(1),
  exportedAt: z.iso.datetime().optional().catch(undefined),
  computer: z.string().max(300).default('').catch(''),
  settings: z.record(z.string(), z.unknown()),
  presets: z.array(z.object({ name: z.string() }).loose()).default([]),
})

/** What an import would change. Nothing has changed yet. */
export type SettingsImport = Omit<SettingsImportView, 'file' | 'presets'> & {
  readonly patch: SettingsPatch
  /** Addresses of services in `patch` that this computer doesn't use yet. The user has to confirm each of them. */
  readonly newServices: readonly string[]
  readonly presets: readonly (SettingsImportView['presets'][number] & { readonly text: string })[]
}

/**
 * Compares a file with the settings of this computer.
 * @param here `home` is absolute; `isFolder` tells whether a folder exists at an absolute path
 * @returns undefined if the text isn't that of an export file
 */
export async function readSettingsImport(
  text: string,
  current: Settings,
  presets: readonly Pick<PresetDocument, 'name' | 'text'>[],
  here: {
    readonly home: string
    readonly platform: NodeJS.Platform
    readonly isFolder: (path: string) => Promise<boolean>
  },
): Promise<SettingsImport | undefined> {
  const file = Exported.safeParse(parsed(text))
  if (!file.success) return undefined
  const given = withPaths(file.data.settings, (path) => lengthened(path, here.home))
  const { values, newer, unreadable } = sorted(given)
  const { missing, ...folders } = await existing(values, current, here)
  const imported: Partial<Settings> = {
    ...values,
    ...(values.watchFolders && { watchFolders: folders.existing }),
  }
  const safe = switchedOff(imported, current)
  const { connection = current.connection } = values
  // Only an external service has an address, and it can't be imported without one.
  if (connection !== 'external' || unreadable.includes('baseUrl')) {
    delete safe.values.baseUrl
    if (connection === 'external') delete safe.values.connection
  }
  const changes = Object.entries(safe.values).flatMap(([name, next]) => {
    const now: unknown = Reflect.get(current, name)
    return isDeepStrictEqual(now, next) ? [] : { name, now, next }
  })
  const { exportedAt, computer } = file.data
  const patch: SettingsPatch = Object.fromEntries(changes.map(({ name, next }) => [name, next]))
  return {
    exported: exportedAt === undefined ? null : { at: Date.parse(exportedAt), computer },
    changes,
    patch,
    newServices: servicesIn(current, patch).filter((one) => !usedServices(current).includes(one)),
    presets: changedPresets(file.data.presets, presets),
    newer,
    unreadable,
    missing: [
      ...new Set([
        ...missing,
        ...foreignPaths([values.defaultOutput], values.connection ?? current.connection, here),
      ]),
    ],
    off: safe.off,
  }
}

const parsed = (text: string): unknown => ifPossible(() => parseJson(text))

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
    else if (read.success && isUsable(name, read.data)) values[name] = read.data
    else unreadable.push(name)
  }
  if (values['baseUrl'] !== undefined) values['baseUrl'] = addressOf(values['baseUrl'])
  for (const [id, rules] of Object.entries(given['folderRules'] ?? {}))
    // Rules that this version can't read became null, which makes the folder's files wait.
    if (rules !== null && Reflect.get(values['folderRules'] ?? {}, id) === null)
      unreadable.push(`folderRules.${id}`)
  // Each value was parsed with the schema of its setting.
  return { values: values as Partial<Settings>, newer, unreadable }
}

/** Whether the app would accept the value from the user. The schemas alone accept more, such as relative paths and invalid addresses. */
function isUsable(name: string, value: unknown): boolean {
  const isUsableHere = USABLE[name]
  return isUsableHere === undefined ? everyPath(value, isAbsolutePath) : isUsableHere(value)
}

const addressOf = (service: unknown): string | undefined => {
  const parsed = parseBaseUrl(String(service))
  return parsed.ok ? parsed.value.href : undefined
}

const isService = (service: string): boolean => service === 'builtIn' || addressOf(service) === service

const USABLE: Readonly<Record<string, ((value: unknown) => boolean) | undefined>> = {
  baseUrl: (value) => addressOf(value) !== undefined,
  otherServices: (value) =>
    Settings.shape.otherServices.parse(value).every(({ service }) => isService(service)),
  watchFolders: (value) =>
    everyPath(value, isAbsolutePath) &&
    Settings.shape.watchFolders
      .parse(value)
      .every(({ service }) => service === undefined || isService(service)),
  // The paths in conditions are relative.
  folderRules: (value) =>
    Object.values(Settings.shape.folderRules.parse(value))
      .flatMap(outputsIn)
      .every((output) => everyPath(output, isAbsolutePath)),
  language: (value) => value === 'system' || languages().some((language) => language === value),
}

/** Returns the addresses to which the changed settings send requests. */
const servicesIn = (
  current: Settings,
  { connection = current.connection, baseUrl = current.baseUrl, otherServices = [] }: SettingsPatch,
): readonly string[] => [
  ...(connection === 'external' ? [baseUrl] : []),
  ...otherServices.map(({ service }) => service).filter((service) => service !== 'builtIn'),
]

/**
 * Returns the paths of folders that can't exist on this system, such as `C:\Out` on Linux. Folders of other services don't count, because
 * those services may run on another system.
 */
function foreignPaths(
  outputs: readonly (WatchedOutput | null | undefined)[],
  service: string | null,
  { platform }: { readonly platform: NodeJS.Platform },
): readonly string[] {
  if (service !== 'builtIn' && service !== null) return []
  const isForeign = (path: string): boolean =>
    platform === 'win32' ? /^\/(?!\/)/.test(path) : !path.startsWith('/')
  return outputs.flatMap((output) =>
    output?.kind === 'folder' && isForeign(output.path) ? [output.path] : [],
  )
}

async function existing(
  { watchFolders: folders = [], folderRules = {}, connection }: Partial<Settings>,
  { watchFolders: known, connection: usual }: Settings,
  here: Pick<Parameters<typeof readSettingsImport>[3], 'platform' | 'isFolder'>,
) {
  const { platform, isFolder } = here
  // A network share that only the imported file mentions isn't opened, because Windows would send the user's credentials to it.
  const mayOpen = (path: string): boolean =>
    !isNetworkPath(path, platform) || known.some((folder) => folder.path === path)
  const missing = await Promise.all(
    folders.map(async ({ id, path, output, service }) => [
      ...(mayOpen(path) && (await isFolder(path)) ? [] : [path]),
      ...foreignPaths([output, ...outputsIn(folderRules[id] ?? null)], service ?? connection ?? usual, here),
    ]),
  )
  return {
    existing: folders.map((folder, n) => ({
      ...folder,
      enabled: folder.enabled && missing[n]?.length === 0,
    })),
    missing: missing.flat(),
  }
}

/** Switches off programs, requests, messages and assistants, except those that this computer uses already. */
function switchedOff(values: Partial<Settings>, current: Settings) {
  const off = new Set<SettingsImport['off'][number]>()
  const safeHooks = (hooks: Hooks, known: Hooks | undefined): Hooks => {
    if (hooks.program === null && hooks.url === null) return hooks
    if (known !== undefined && hooks.program === known.program && isSameUrl(hooks.url, known.url))
      return known
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
  // If several documents have the same name, the last one applies.
  const named = new Map(documents.map((document) => [document.name, document]))
  return [...named.values()].flatMap((document) => {
    const known = presets.find(({ name }) => name === document.name)
    if (known !== undefined && isDeepStrictEqual(parsed(known.text), document)) return []
    const text = `${JSON.stringify(document, null, 2)}\n`
    return { name: document.name, text, isNew: known === undefined }
  })
}

const lengthened = (path: string, home: string): string =>
  path === '~' || path.startsWith('~/') ? home + path.slice(1) : path
