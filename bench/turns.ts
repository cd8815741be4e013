/** How long the turns of this process's event loop are, in processor time: what others on the machine do is not in it. */

/** @returns a function that ends the watching and says how much processor time the longest turn of the loop took, in ms */
export function watchTurns(): () => number {
  let longest = 0
  let isOver = false
  let last = processorTime()
  const look = () => {
    const now = processorTime()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(look)
  }
  look()
  return () => {
    isOver = true
    return longest
  }
}

/** ms */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Resolves in a turn of the loop of its own, as what comes over a network does. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
