/** Clocks and statistics that the benchmarks share. */

/** Returns how long the call takes, in ms of wall-clock time. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Returns the CPU time of this process so far, all threads included, in ms. */
export const cpuTime = (): number => milliseconds(process.cpuUsage())

/** Converts a CPU usage in µs to ms. */
export const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(0.95 * values.length) - 1] ?? Infinity
}
