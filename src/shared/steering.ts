/** How the app tells its built-in service to run jobs, in lines on the service's stdin. Other clients can't do this. */
import * as z from 'zod'

export const Steering = z.object({
  /** Whether to pause: a photo in progress is finished, a video waits between two frames, and nothing else starts. */
  hold: z.boolean(),
  /** Whether workers run at low priority. A worker that runs at low priority keeps it until it exits. */
  lowPriority: z.boolean(),
})
export type Steering = z.infer<typeof Steering>

/** @returns undefined if the line isn't an instruction of this version */
export function readSteering(line: string): Steering | undefined {
  try {
    return Steering.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

export const NOT_STEERED: Steering = { hold: false, lowPriority: false }

export const sameSteering = (one: Steering, other: Steering): boolean =>
  one.hold === other.hold && one.lowPriority === other.lowPriority
