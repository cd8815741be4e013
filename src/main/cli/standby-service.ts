/**
 * Starts the built-in service's process before the command line has loaded. Both take about as long to load, and `submit` usually
 * needs the service. This module is loaded first, so it imports as little as possible.
 */
import { join } from 'node:path'
import { startNode, type NodeChild } from '../../node/child-process.ts'
import { readRegular } from '../../node/open-regular.ts'
import { dataFolder, type Environment, type Standby } from './environment.ts'

/** Node options of the built-in service. */
export const SERVICE_OPTIONS = ['--disable-warning=ExperimentalWarning']

/** Arguments with which `submit` starts the service later or not at all. `-` means a photo from stdin or to stdout. */
const WITHOUT_SERVICE: ReadonlySet<string> = new Set(['-', '-h', '--help', '--licences'])

/**
 * Returns whether the command will probably start the built-in service. A wrong answer only costs time: the process ends with the
 * command if it isn't needed, and is started later if it was.
 */
export function startsService(
  argv: readonly string[],
  place: Pick<Environment, 'env' | 'home' | 'platform' | 'cwd'>,
): boolean {
  if (argv.find((word) => !word.startsWith('-')) !== 'submit') return false
  if (argv.some((word) => WITHOUT_SERVICE.has(word) || word.startsWith('--base-url'))) return false
  return !place.env['MEDIATRAY_BASE_URL'] && !usesExternalService(join(dataFolder(place), 'settings.json'))
}

function usesExternalService(settings: string): boolean {
  try {
    return /"connection":\s*"external"/.test(readRegular(settings))
  } catch {
    return false
  }
}

/**
 * @param entry absolute path of the service's script
 * @returns undefined if the system refuses to start a process. A command that needs the service tries again and reports the reason
 */
export function createStandby(entry: string): Standby | undefined {
  const child = startIfPossible(entry)
  if (child === undefined) return undefined
  let isFree = true
  void child.ended.then(() => (isFree = false))
  return {
    take({ args, key }) {
      if (!isFree) return undefined
      isFree = false
      child.writeLine(JSON.stringify([...args, '--key-stdin']))
      child.writeLine(key)
      return child
    },
    end() {
      // It has no data yet.
      if (isFree) child.kill()
      isFree = false
    },
  }
}

function startIfPossible(entry: string): NodeChild | undefined {
  try {
    return startNode(entry, { nodeOptions: SERVICE_OPTIONS, args: ['--standby'] })
  } catch {
    // Node throws for some failures, such as too little memory. For others, the child just ends.
    return undefined
  }
}
