/** Starts programs at low disk priority, which processes inherit from the wrapper that starts them. */
import { existsSync } from 'node:fs'

/** `ionice`: the lowest priority that isn't starved by other programs; `-t` ignores failures. `taskpolicy`: also lowers CPU priority. */
const WRAPPERS: Partial<Readonly<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>>> = {
  linux: ['/usr/bin/ionice', '-t', '-c', '2', '-n', '7'],
  darwin: ['/usr/sbin/taskpolicy', '-c', 'utility'],
}

/** Returns a command prefix that starts a program at low disk priority; empty if the system has no such command. */
export function lowPriorityWrapper(): readonly string[] {
  const wrapper = WRAPPERS[process.platform]
  return wrapper !== undefined && existsSync(wrapper[0]) ? wrapper : []
}
