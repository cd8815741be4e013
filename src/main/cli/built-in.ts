import { join } from 'node:path'
import {
  createBuiltInService,
  createSessionKeyStore,
  spawnService,
  type BuiltInService,
  type BuiltInState,
} from '../connection/index.ts'
import { dataFolder } from './data-folder.ts'
import type { Surroundings } from './environment.ts'

/** The built-in service for one command: on a free port, with a key that nobody else has seen; it ends with the command. */
export function builtInForCommand(surroundings: Surroundings): BuiltInService {
  return createBuiltInService({
    spawn: spawnService(process.execPath, surroundings.builtInEntry, [
      '--disable-warning=ExperimentalWarning',
    ]),
    dataDir: join(dataFolder(surroundings), 'service'),
    keyStore: createSessionKeyStore(),
    timing: surroundings.timing,
    preferredPort: 0,
    // A command that can't have it says so instead of trying for minutes.
    limits: { crashes: 1 },
  })
}

/** Resolves when it runs, or has given up. */
export function builtInReady(
  builtIn: BuiltInService,
): Promise<Extract<BuiltInState, { kind: 'running' | 'failed' }>> {
  return new Promise((resolve) => {
    const look = (state: BuiltInState) => {
      if (state.kind !== 'running' && state.kind !== 'failed') return
      stop()
      resolve(state)
    }
    const stop = builtIn.onChange(look)
    builtIn.start()
    look(builtIn.state())
  })
}
