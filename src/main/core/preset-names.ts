import { join } from 'node:path'
import { slugOf } from '../../shared/preset/slug.ts'
import type { Connection } from '../connection/index.ts'
import { createPresetFiles } from '../presets/presets.ts'

/**
 * Returns the built-in service's presets that include their name in the names of their results, unless another one would write the
 * same name. How another service names its results is unknown.
 * @param dataDir absolute; contains the built-in service's folder
 */
export async function presetsThatNameThemselves(
  dataDir: string,
  connection: Pick<Connection, 'view'>,
): Promise<ReadonlySet<string>> {
  if (connection.view().kind !== 'builtIn') return new Set()
  const { documents } = await createPresetFiles(join(dataDir, 'service', 'presets')).list()
  const presets = documents.flatMap(({ preset }) => preset ?? [])
  const slugs = presets.map(({ name }) => slugOf(name))
  return new Set(
    presets
      .filter(({ results }) => results.name.includes('{preset}'))
      .map(({ name }) => name)
      .filter((name) => slugs.filter((slug) => slug === slugOf(name)).length === 1),
  )
}
