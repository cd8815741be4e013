import { createCalls } from './calls.ts'
import { createRequests, type ServiceApiOptions } from './requests.ts'
import { createTransfers } from './transfers.ts'

export type ServiceApi = ReturnType<typeof createServiceApi>

/**
 * Creates a client of a Local Media Job service, with one method per route (section 4). Nothing throws: every failure is a `ServiceError`.
 * Each request is sent exactly once, redirects aren't followed, and responses are validated before use.
 */
export function createServiceApi(options: ServiceApiOptions) {
  const requests = createRequests(options)
  const { baseUrl, close } = requests
  return { baseUrl, ...createCalls(requests), ...createTransfers(requests), close }
}
