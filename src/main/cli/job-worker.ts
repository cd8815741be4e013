import { dirname, join } from 'node:path'
import { findConfinement, type Confinement } from '../../node/confinement.ts'
import type { Environment } from './environment.ts'

/** Returns the entry point of workers, which is next to the built-in service, and how to confine it. */
export function workerOf({
  node,
  builtInEntry,
  platform,
}: Pick<Environment, 'node' | 'builtInEntry' | 'platform'>): {
  readonly path: string
  readonly node: string
  readonly confinement: Promise<Confinement>
} {
  const worker = builtInEntry.endsWith('.ts') ? '../media/worker.ts' : 'worker.js'
  return {
    node,
    path: join(dirname(builtInEntry), worker),
    confinement: findConfinement({ platform, log: () => undefined }),
  }
}
