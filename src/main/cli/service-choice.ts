import { join } from 'node:path'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../service-api/index.ts'
import { startBuiltInService } from './built-in-service.ts'
import { dataFolder } from './data-folder.ts'
import type { Surroundings } from './surroundings.ts'

export type ChosenService = {
  readonly api: ServiceApi
  /** The built-in one lives only as long as the command. */
  readonly kind: 'external' | 'builtIn'
  close(): Promise<void>
}

export type ServiceOptions = { readonly baseUrl?: string; readonly keyStdin?: boolean }

export type Choice =
  | { readonly ok: true; readonly service: ChosenService }
  | { readonly ok: false; readonly because: 'usage' | 'notStarted'; readonly message: string }

/** The service that was named, or else the built-in one, started for this command. */
export async function chooseService(options: ServiceOptions, surroundings: Surroundings): Promise<Choice> {
  const address = options.baseUrl ?? surroundings.env['MEDIATRAY_BASE_URL']
  if (address !== undefined && address !== '') return external(address, options, surroundings)
  if (options.keyStdin === true) {
    return { ok: false, because: 'usage', message: 'A key is only of use together with --base-url.' }
  }
  return builtIn(surroundings)
}

async function external(
  address: string,
  options: ServiceOptions,
  surroundings: Surroundings,
): Promise<Choice> {
  const baseUrl = parseBaseUrl(address)
  if (!baseUrl.ok) return { ok: false, because: 'usage', message: baseUrl.why }
  const key = options.keyStdin === true ? await surroundings.readKey() : surroundings.env['MEDIATRAY_API_KEY']
  const api = createServiceApi({ baseUrl: baseUrl.value, key: () => key })
  return { ok: true, service: { api, kind: 'external', close: () => api.close() } }
}

async function builtIn(surroundings: Surroundings): Promise<Choice> {
  const folder = join(dataFolder(surroundings), 'service')
  const started = await startBuiltInService(surroundings.builtInEntry, folder, surroundings.env)
  if (!started.ok) {
    return {
      ok: false,
      because: 'notStarted',
      message: `The built-in service could not be started: ${started.why}`,
    }
  }
  const { service } = started
  const baseUrl = parseBaseUrl(service.baseUrl)
  if (!baseUrl.ok) {
    await service.stop()
    return {
      ok: false,
      because: 'notStarted',
      message: `The built-in service gave an unusable address: ${baseUrl.why}`,
    }
  }
  const api = createServiceApi({ baseUrl: baseUrl.value, key: () => service.key })
  const close = async () => {
    await api.close()
    await service.stop()
  }
  return { ok: true, service: { api, kind: 'builtIn', close } }
}
