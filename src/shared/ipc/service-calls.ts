/** The calls about services other than the one in use. */
import * as z from 'zod'
import type { ConnectionTest } from '../model/connection.ts'
import { service, serviceId, serviceName } from './arguments.ts'
import { gives, takes, type Contract } from './call.ts'

export const serviceCalls = {
  /** Adds an external service, or replaces its key. */
  add: takes(service.extend({ name: serviceName })).gives<ConnectionTest>(),
  addBuiltIn: gives<void>(),
  /** Removes a service. Its waiting jobs go to the service in use. */
  remove: takes(serviceId).gives<void>(),
  /** Names any service. An empty name removes the current name. */
  rename: takes(z.strictObject({ service: serviceId, name: serviceName })).gives<void>(),
  setSeesFiles: takes(z.strictObject({ service: serviceId, seesFiles: z.boolean() })).gives<void>(),
  /** Swaps this service with the one in use. */
  makeMain: takes(serviceId).gives<void>(),
  check: takes(serviceId).gives<void>(),
} as const satisfies Contract[string]
