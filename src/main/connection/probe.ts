import { API_VERSION, DEFAULT_BASE_URL } from '../../shared/api/limits.ts'
import type { Health, Presets } from '../../shared/api/resources.ts'
import type { ConnectionState, FoundService } from '../../shared/model/connection.ts'
import type { Result, ServiceError } from '../../shared/service-error.ts'
import {
  createServiceApi,
  parseBaseUrl,
  type ServiceApi,
  type ServiceApiOptions,
} from '../service-api/index.ts'

export type VersionRule = {
  readonly strict: boolean
  /** Other versions that the user has said are fine. */
  readonly accepted: readonly string[]
}

export type Probed = { readonly state: ConnectionState; readonly presets: Presets | null }

/**
 * Asks a service what it is, and whether it takes the key: health, then the presets, which need it (section 5).
 * Where the version matters it is looked at before the key is shown to anybody.
 */
export async function probe(api: ServiceApi, rule: VersionRule, signal: AbortSignal): Promise<Probed> {
  const health = await askHealth(api, signal)
  if (!health.ok) return { state: offline(health.error), presets: null }
  const answered = stateFor(health.value.version, rule)
  if (answered.status === 'wrongVersion') return { state: answered, presets: null }
  const presets = await api.presets({ signal })
  if (presets.ok) return { state: answered, presets: presets.value }
  switch (presets.error.kind) {
    case 'unauthorized':
      return { state: { status: 'keyRefused' }, presets: null }
    case 'notReachable':
    case 'noAnswer':
    case 'aborted':
      return { state: offline(presets.error), presets: null }
    default:
      // It is the service and it is up; a list of presets that can't be read is no reason to stop working.
      return { state: answered, presets: null }
  }
}

/** Of a service that answers. Other versions than 1.0.81 are fine unless the settings say otherwise (section 9). */
export const stateFor = (version: string, { strict, accepted }: VersionRule): ConnectionState =>
  strict && version !== API_VERSION && !accepted.includes(version)
    ? { status: 'wrongVersion', version }
    : { status: 'online', version }

/** A connection kept from before breaks when the service has ended; only a fresh one says what is there now. */
async function askHealth(api: ServiceApi, signal: AbortSignal): Promise<Result<Health>> {
  const first = await api.health({ signal })
  const broken = !first.ok && first.error.kind === 'noAnswer' && first.error.reason !== 'timeout'
  return broken ? api.health({ signal }) : first
}

/** What a failed health check says about the address. */
export function offline(error: ServiceError): ConnectionState & { readonly status: 'offline' } {
  const detail = error.message
  switch (error.kind) {
    case 'notReachable':
      return { status: 'offline', reason: error.reason === 'timeout' ? 'silent' : 'refused', detail }
    case 'noAnswer':
    case 'aborted':
    case 'serverError':
      return { status: 'offline', reason: 'silent', detail }
    default:
      return { status: 'offline', reason: 'notTheService', detail }
  }
}

/** Nobody wants to wait longer for the first window to know what to offer. */
const PATIENCE_MS = 2_000

/** What answers at an address, by default where the service usually is (section 1). Asks for health only: no key is needed. */
export async function discover(
  baseUrl: string = DEFAULT_BASE_URL,
  createApi: (options: ServiceApiOptions) => ServiceApi = createServiceApi,
): Promise<FoundService> {
  const parsed = parseBaseUrl(baseUrl)
  if (!parsed.ok) return { kind: 'nothing', baseUrl }
  const api = createApi({
    baseUrl: parsed.value,
    key: () => undefined,
    timeouts: { request: PATIENCE_MS, idle: PATIENCE_MS },
  })
  try {
    const health = await api.health()
    if (health.ok) return { kind: 'service', baseUrl: parsed.value.href, version: health.value.version }
    const nothing = health.error.kind === 'notReachable'
    return { kind: nothing ? 'nothing' : 'somethingElse', baseUrl: parsed.value.href }
  } finally {
    await api.close()
  }
}
