/** The names of the tasks, without their documents (`tasks.ts`), which the window rarely needs. */

/** In the order in which they are offered. */
export const TASK_NAMES = ['Make smaller', 'For the web', 'Under a size', 'Remove location'] as const
export type TaskName = (typeof TASK_NAMES)[number]

/** Limits of the size that *Under a size* accepts, in MB. */
export const LEAST_MEGABYTES = 0.1
export const MOST_MEGABYTES = 1_000
export const USUAL_MEGABYTES = 2

export type Task = {
  readonly name: TaskName
  /** Maximum size of each result in MB; only for *Under a size*. */
  readonly megabytes?: number
}

const UNDER = 'Under a size'
const SIZED = /^Under a size: (\d{1,4}(?:\.\d{1,3})?) MB$/

/** Returns the name of *Under a size* with this maximum size. */
export const underSize = (megabytes: number): string => `${UNDER}: ${megabytes} MB`

export const isSizeAllowed = (megabytes: number): boolean =>
  megabytes >= LEAST_MEGABYTES && megabytes <= MOST_MEGABYTES

/** Returns the task that was changed for a single job: "Make smaller" for "Make smaller: adjusted". undefined for any other preset. */
export function changedTaskOf(preset: string): string | undefined {
  const end = preset.lastIndexOf(': ')
  const base = preset.slice(0, Math.max(0, end))
  return taskOf(base) === undefined || taskOf(preset) !== undefined ? undefined : base
}

/** Returns the task that a preset's name stands for; undefined if it isn't a task. */
export function taskOf(preset: string | null | undefined): Task | undefined {
  const name = TASK_NAMES.find((task) => task === preset)
  if (name === UNDER) return { name, megabytes: USUAL_MEGABYTES }
  if (name !== undefined) return { name }
  const megabytes = Number(SIZED.exec(preset ?? '')?.[1])
  // Each size has one name.
  return isSizeAllowed(megabytes) && underSize(megabytes) === preset ? { name: UNDER, megabytes } : undefined
}
