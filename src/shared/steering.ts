/** The instructions for running jobs that the owner of a data folder sends to its built-in service. Other clients can't send them. */
import * as z from 'zod'

export const Steering = z.object({
  /** Whether to pause: a photo in progress is finished, a video waits between two frames, and nothing else starts. */
  hold: z.boolean(),
  /** Whether workers run at low priority. A worker with low priority keeps it until it exits. */
  lowPriority: z.boolean(),
})
export type Steering = z.infer<typeof Steering>

export const NOT_STEERED: Steering = { hold: false, lowPriority: false }

export const sameSteering = (one: Steering, other: Steering): boolean =>
  one.hold === other.hold && one.lowPriority === other.lowPriority
