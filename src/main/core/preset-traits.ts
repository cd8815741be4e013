/** What a draft needs to know about its presets. */
import { join } from 'node:path'
import { slugOf } from '../../shared/preset/slug.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { PresetTraits } from '../outbox/index.ts'
import { createPresetFiles } from '../presets/presets.ts'

/**
 * Describes the built-in service's presets. Nothing is known about another service's.
 * @param dataDir absolute; contains the built-in service's folder
 */
export async function presetTraits(
  dataDir: string,
  connection: { readonly view: () => Pick<ConnectionView, 'kind'> },
): Promise<PresetTraits> {
  if (connection.view().kind !== 'builtIn') return { namesItself: new Set(), audioOnly: new Set() }
  const { documents } = await createPresetFiles(join(dataDir, 'service', 'presets')).list()
  const presets = documents.flatMap(({ preset }) => preset ?? [])
  const slugs = presets.map(({ name }) => slugOf(name))
  return {
    namesItself: new Set(
      presets
        .filter(({ results }) => results.name.includes('{preset}'))
        .map(({ name }) => name)
        .filter((name) => slugs.filter((slug) => slug === slugOf(name)).length === 1),
    ),
    audioOnly: new Set(presets.filter(({ video }) => video?.codec === 'none').map(({ name }) => name)),
  }
}
