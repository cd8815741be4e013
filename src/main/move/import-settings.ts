import type { Lines } from '../core/index.ts'
import type { SettingsPatch } from '../../shared/model/settings.ts'
import type { PresetFiles } from '../presets/presets.ts'
import type { Settings } from '../settings/settings.ts'
import type { SettingsImport } from './read-import.ts'

/** Where settings are imported to. */
export type ImportTarget = {
  readonly settings: Settings
  readonly presets: Pick<PresetFiles, 'put'>
  /** Switches the main service. */
  readonly services: MainService
}

export type MainService = Pick<Lines, 'useBuiltIn' | 'useKnown'>

export type Imported = {
  /** Names of the settings that were imported. */
  readonly names: readonly string[]
  /** Names of invalid presets, which weren't imported. */
  readonly unsaved: readonly string[]
  /** Addresses of services that the user didn't confirm, which weren't imported. */
  readonly unconfirmed: readonly string[]
  /** Reverts the import. Presets that have changed since stay as they are. */
  readonly undo: () => Promise<void>
}

/**
 * Imports settings and presets as one change.
 * @param found the result of `readSettingsImport`, or a part of it
 * @param mayReach asks the user whether requests, files and the key may go to a service that this computer doesn't use yet
 */
export async function importSettings(
  found: Pick<SettingsImport, 'patch' | 'presets' | 'newServices'>,
  { settings, presets, services }: ImportTarget,
  mayReach: (service: string) => Promise<boolean>,
): Promise<Imported> {
  const unconfirmed: string[] = []
  for (const service of servicesOf(found)) if (!(await mayReach(service))) unconfirmed.push(service)
  const { connection, baseUrl, ...rest } = confirmed(found.patch, settings.view(), unconfirmed)
  const { unsaved, undo: undoPresets } = await presets.put(found.presets)
  const before = settings.view()
  // Switching the main service may also change these.
  const isSwitched = connection !== undefined || baseUrl !== undefined
  const restore = settings.remember([...Object.keys(found.patch), ...(isSwitched ? SWITCHED : [])])
  const use = async (next: SettingsPatch): Promise<void> => {
    if (next.connection !== 'external') return services.useBuiltIn()
    return services.useKnown(next.baseUrl ?? before.baseUrl)
  }
  if (isSwitched) await use({ connection: connection ?? before.connection, baseUrl })
  // Watched folders refer to presets and services, so these come first.
  settings.update(rest)
  return {
    names: Object.keys({
      ...rest,
      ...(connection !== undefined && { connection }),
      ...(baseUrl !== undefined && { baseUrl }),
    }),
    unsaved,
    unconfirmed,
    async undo() {
      if (isSwitched) await use(before)
      restore()
      await undoPresets()
    },
  }
}

/** The settings that change with the main service. */
const SWITCHED = ['connection', 'baseUrl', 'otherServices', 'seesFiles'] as const

/** Returns the new services that this part of the import would use. */
const servicesOf = ({ patch, newServices }: Pick<SettingsImport, 'patch' | 'newServices'>) =>
  newServices.filter(
    (service) => patch.baseUrl === service || patch.otherServices?.some((one) => one.service === service),
  )

/** Returns the part of the import that is left without the unconfirmed services. */
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
