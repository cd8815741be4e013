/** The messages between the built-in service and the owner of its data folder. Other clients can't send them. */
import * as z from 'zod'
import { ServiceJob } from '../../shared/api/resources.ts'
import { Steering } from '../../shared/steering.ts'

export const ToService = z.discriminatedUnion('type', [
  /** How to run jobs, until the next such message. */
  Steering.extend({ type: z.literal('steer') }),
  /** Requests a clean shutdown. */
  z.object({ type: z.literal('end') }),
  /** This owner ends, and leaves the service to the next owner. */
  z.object({ type: z.literal('leave') }),
])
export type ToService = z.infer<typeof ToService>

/** How clients reach the service. The key is valid until the process ends, and isn't stored in any file. */
export const Serving = z.object({ baseUrl: z.string(), key: z.string() })
export type Serving = z.infer<typeof Serving>

export const FromService = z.discriminatedUnion('type', [
  Serving.extend({ type: z.literal('serving') }),
  /** A job has ended. Only `GET /jobs` reports which one, and how. */
  z.object({ type: z.literal('jobEnded') }),
  /** The last state of a job, when the service ends. */
  z.object({ type: z.literal('lastJob'), job: ServiceJob }),
])
export type FromService = z.infer<typeof FromService>
