import { API_VERSION } from '../../shared/api/limits.ts'
import type { Health, Presets } from '../../shared/api/resources.ts'
import type { ConnectionState, FoundService } from '../../shared/model/connection.ts'
import type { Result, ServiceError } from '../../shared/service-error.ts'
import { createServiceApi, parseBaseUrl, type ServiceApi } from '../service-api/index.ts'

export type VersionRule = {
  readonly strict: boolean
  /** Other versions that the user has accepted. */
  readonly accepted: readonly string[]
}

export type Probed = { readonly state: ConnectionState; readonly presets: Presets | null }

/**
 * Checks whether a service is compatible and accepts the key: first health, then the presets, which require the key (section 5). In strict
 * mode, checks the version before sending the key.
 *
 * @param withJobs whether to also read the job list, which sending and tracking require
 */
export async function probe(
  api: ServiceApi,
  rule: VersionRule,
  signal: AbortSignal,
  withJobs = false,
): Promise<Probed> {
  const probed = await probeWithoutJobs(api, rule, signal)
  if (!withJobs || probed.state.status !== 'online') return probed
  const listed = await api.jobs({ signal })
  if (listed.ok) return probed
  const keyRefused = listed.error.kind === 'unauthorized'
  return { ...probed, state: keyRefused ? { status: 'keyRefused' } : offline(listed.error) }
}

async function probeWithoutJobs(api: ServiceApi, rule: VersionRule, signal: AbortSignal): Promise<Probed> {
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
      // The service is running. An unreadable preset list shouldn't prevent its use.
      return { state: answered, presets: null }
  }
}

/** Returns the state for a service that responds. In strict mode, allows only version 1.0.81 and accepted versions (section 9). */
export const stateFor = (version: string, { strict, accepted }: VersionRule): ConnectionState =>
  strict && version !== API_VERSION && !accepted.includes(version)
    ? { status: 'wrongVersion', version }
    : { status: 'online', version }

/**
 * Requests health, and repeats the request once if the connection breaks. A pooled connection fails if the service has ended in the
 * meantime. Only a new connection shows what is running now.
 */
async function askHealth(api: ServiceApi, signal: AbortSignal): Promise<Result<Health>> {
  const first = await api.health({ signal })
  const broken = !first.ok && first.error.kind === 'noAnswer' && first.error.reason !== 'timeout'
  return broken ? api.health({ signal }) : first
}

/** Returns the offline state for a failed request. */
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

/** How long `discover` may take, in ms. The first window waits for the result, to know which service to offer. */
const PATIENCE_MS = 5_000

/** Detects what responds at an address. Requests only health, which doesn't need a key. */
export async function discover(baseUrl: string): Promise<FoundService> {
  const parsed = parseBaseUrl(baseUrl)
  if (!parsed.ok) return { kind: 'nothing', baseUrl }
  const api = createServiceApi({
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
