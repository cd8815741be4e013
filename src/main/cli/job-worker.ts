import { dirname, join } from 'node:path'
import { findConfinement } from '../../node/confinement.ts'
import type { Environment } from './environment.ts'

/** Returns the entry point of workers, which is next to the built-in service, and how to confine it. */
export function workerOf(environment: Pick<Environment, 'node' | 'builtInEntry' | 'platform'>) {
  const { node, builtInEntry, platform } = environment
  const worker = builtInEntry.endsWith('.ts') ? '../media/worker.ts' : 'worker.js'
  return {
    node,
    path: join(dirname(builtInEntry), worker),
    confinement: findConfinement({ platform, log: () => undefined }),
  }
}
