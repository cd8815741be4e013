import { filterAsync } from '../../node/limited.ts'
import type { Lines } from '../core/index.ts'
import type { SettingsPatch } from '../../shared/model/settings.ts'
import type { PresetFiles } from '../presets/presets.ts'
import type { Settings } from '../settings/settings.ts'
import type { SettingsImport } from './read-import.ts'

export type ImportTarget = {
  readonly settings: Settings
  readonly presets: Pick<PresetFiles, 'put'>
  readonly lines: MainService & Pick<Lines, 'to'>
}

export type MainService = Pick<Lines, 'useBuiltIn' | 'useKnown'>

/**
 * Imports settings and presets as one change. If a part can't be written, reverts the others and throws.
 * @param found the result of `readSettingsImport`, or a part of it
 * @param mayReach asks the user whether requests, files and the key may go to a service that this computer doesn't use yet
 */
export async function importSettings(
  found: Pick<SettingsImport, 'patch' | 'presets' | 'newServices'>,
  { settings, presets, lines }: ImportTarget,
  mayReach: (service: string) => Promise<boolean>,
) {
  const unconfirmed = await filterAsync(servicesOf(found), async (service) => !(await mayReach(service)))
  const patch = confirmed(found.patch, settings.view(), unconfirmed)
  const { connection, baseUrl, ...rest } = patch
  const { unsaved, undo: undoPresets } = await presets.put(found.presets)
  // The built-in service may not be the main one.
  const refreshPresets = async () => lines.to('builtIn')?.connection.refreshPresets()
  const before = settings.view()
  const isSwitched = connection !== undefined || baseUrl !== undefined
  const restore = settings.remember([...Object.keys(patch), ...(isSwitched ? SWITCHED : [])])
  const use = async (next: SettingsPatch): Promise<void> => {
    if (next.connection !== 'external') return lines.useBuiltIn()
    return lines.useKnown(next.baseUrl ?? before.baseUrl)
  }
  const undoStored = async (): Promise<void> => {
    try {
      restore()
    } finally {
      await undoPresets()
      await refreshPresets()
    }
  }
  const undo = async (): Promise<void> => {
    try {
      if (isSwitched) await use(before)
    } finally {
      await undoStored()
    }
  }
  try {
    // Watched folders refer to presets and services, so these come first.
    await refreshPresets()
    if (isSwitched) await use({ connection: connection ?? before.connection, baseUrl })
    settings.update(rest)
  } catch (error) {
    await undo().catch(() => undefined)
    throw error
  }
  return {
    names: Object.keys(patch),
    /** Names of invalid presets, which weren't imported. */
    unsaved,
    /** Addresses of services that the user didn't confirm, which weren't imported. */
    unconfirmed,
    /** Reverts the import, except for presets that have been changed since the import. */
    undo,
  }
}

/** The settings that switching the main service may change. */
const SWITCHED = ['connection', 'baseUrl', 'otherServices', 'seesFiles'] as const

/** Returns the new services that this part of the import would use. */
const servicesOf = ({ patch, newServices }: Pick<SettingsImport, 'patch' | 'newServices'>) =>
  newServices.filter(
    (service) => patch.baseUrl === service || patch.otherServices?.some((one) => one.service === service),
  )

/** Returns the settings to import, without the unconfirmed services, and without the main service among the others. */
function confirmed(
  { connection, baseUrl, otherServices, ...rest }: SettingsPatch,
  now: ReturnType<Settings['view']>,
  unconfirmed: readonly string[],
): SettingsPatch {
  const isMain = baseUrl === undefined || !unconfirmed.includes(baseUrl)
  const main = isMain
    ? { ...now, ...(connection !== undefined && { connection }), ...(baseUrl !== undefined && { baseUrl }) }
    : now
  const mainService = main.connection === 'external' ? main.baseUrl : 'builtIn'
  const others = otherServices?.filter(
    ({ service }) => !unconfirmed.includes(service) && service !== mainService,
  )
  return {
    ...rest,
    ...(isMain && connection !== undefined && { connection }),
    ...(isMain && baseUrl !== undefined && { baseUrl }),
    ...(others !== undefined && { otherServices: others }),
  }
}
