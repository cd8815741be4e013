import { DEFAULT_BASE_URL } from '../../shared/api/limits.ts'
import type { FoundService } from '../../shared/model/connection.ts'
import {
  createServiceApi,
  parseBaseUrl,
  type ServiceApi,
  type ServiceApiOptions,
} from '../service-api/index.ts'

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
