/** Lets commands process and read files without keeping results. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startWorker } from '../../media/start-worker.ts'
import { makeTemporaryFolder } from '../../node/temporary-folder.ts'
import { basicDefaults, type Preset } from '../../shared/preset/preset.ts'
import { createTrials, type Trials } from '../estimate/estimate.ts'
import { presetsToOffer } from '../presets/presets.ts'
import type { Context } from './context.ts'
import { dataFolder, type Environment, presetFolder } from './environment.ts'
import { workerOf } from './job-worker.ts'

export type ChosenPreset = Preset | ReturnType<typeof basicDefaults>

/**
 * Returns the presets with these names, where null means the basic defaults.
 * @param changed the changed preset, which replaces the only named one
 * @returns undefined for each preset that doesn't exist or isn't valid
 */
export async function presetsNamed(
  environment: Environment,
  names: readonly (string | null)[],
  changed: Preset | undefined,
): Promise<readonly (ChosenPreset | undefined)[]> {
  if (changed !== undefined) return [changed]
  const documents = names.every((name) => name === null)
    ? []
    : await presetsToOffer(presetFolder(environment))
  return names.map((name) =>
    name === null
      ? basicDefaults()
      : (documents.find((document) => document.name === name)?.preset ?? undefined),
  )
}

/** Creates trials whose worker can write only to this folder. */
export function trialsIn(
  folder: string,
  pool: Parameters<typeof startWorker>[0],
  environment: Environment,
): Trials {
  const worker = workerOf(environment)
  const start = () => startWorker(pool, { ...worker, folders: [folder] })
  return createTrials({ start, folder, timing: environment.timing })
}

/** Runs a task with a worker. The worker starts with the task's first file and stops when the task ends. */
export async function withTrials<Found>(
  { environment }: Context,
  task: (trials: Trials) => Promise<Found>,
): Promise<Found> {
  const folder = await makeTemporaryFolder('mediatray-estimate-', dataFolder(environment))
  const trials = trialsIn(join(folder, 'trials'), 'trials', environment)
  try {
    return await task(trials)
  } finally {
    trials.close()
    await rm(folder, { recursive: true, force: true })
  }
}
