/** What a draft needs to know about its presets. */
import { join } from 'node:path'
import { slugOf } from '../../shared/preset/slug.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { PresetTraits } from '../outbox/index.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { oneOffPresets, readPresets } from '../presets/presets.ts'

/**
 * Describes the built-in service's presets. Those of other services aren't known.
 * @param dataDir absolute; contains the built-in service's folder
 * @param names the draft's presets
 */
export async function presetTraits(
  dataDir: string,
  connection: { readonly view: () => Pick<ConnectionView, 'kind'> },
  names: readonly string[],
): Promise<PresetTraits> {
  if (connection.view().kind !== 'builtIn') return NOTHING
  const folder = join(dataDir, 'service', 'presets')
  const [stored, oneOffs] = await Promise.all([readPresets(folder), oneOffPresets(folder, names)])
  const presets = stored.flatMap(({ preset }) => preset ?? [])
  const slugs = presets.map(({ name }) => slugOf(name))
  return {
    namesItself: new Set(
      presets
        .filter(({ results }) => results.name.includes('{preset}'))
        .map(({ name }) => name)
        .filter((name) => slugs.filter((slug) => slug === slugOf(name)).length === 1),
    ),
    audioOnly: new Set(
      [...presets, ...oneOffs].filter(({ video }) => video?.codec === 'none').map(({ name }) => name),
    ),
    oneOffs: { image: namesWith(oneOffs, 'image'), video: namesWith(oneOffs, 'video') },
  }
}

const NOTHING: PresetTraits = {
  namesItself: new Set(),
  audioOnly: new Set(),
  oneOffs: { image: [], video: [] },
}

const namesWith = (presets: readonly Preset[], part: 'image' | 'video'): string[] =>
  presets.filter((preset) => preset[part] !== undefined).map(({ name }) => name)
