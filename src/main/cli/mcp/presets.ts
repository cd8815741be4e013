/** The presets of the service in use, as assistants see them. */
import type { Presets } from '../../../shared/api/resources.ts'
import type { MediaKind } from '../../../shared/media-types.ts'
import { shownText } from '../../../shared/paths.ts'
import { presetsToOffer } from '../../presets/presets.ts'
import type { Context } from '../context.ts'
import { presetFolder } from '../environment.ts'
import { Refused, usualOutput } from './access.ts'
import type { Data } from './answer.ts'
import type { AssistantSession } from './assistant-session.ts'

/** Lists the presets. Doesn't start the built-in service. @throws Refused */
export async function presetsOf({ service, environment }: Context, signal: AbortSignal): Promise<Presets> {
  if (service.kind === 'builtIn') {
    const documents = await presetsToOffer(presetFolder(environment))
    const namesWith = (part: MediaKind) =>
      documents.flatMap(({ name, preset }) => (preset?.[part] === undefined ? [] : [name]))
    return { image: namesWith('image'), video: namesWith('video') }
  }
  const reached = await service.api()
  if (!reached.ok) throw new Refused(reached.message)
  const listed = await reached.api.presets({ signal })
  if (!listed.ok) throw new Refused(`Couldn’t read the presets: ${listed.error.message}`)
  return listed.value
}

const WORD = { image: 'photos', video: 'videos' } as const

/** Checks that a preset can be used. @throws Refused if it doesn't exist, or if it doesn't handle files of one of these kinds */
export function requirePreset(name: string, kinds: ReadonlySet<MediaKind>, presets: Presets): void {
  const all = [...new Set([...presets.image, ...presets.video])]
  if (!all.includes(name)) {
    const shown = shownText(name.slice(0, 100))
    throw new Refused(`There is no preset “${shown}”. The presets are: ${all.map(shownText).join(', ')}.`)
  }
  for (const kind of kinds)
    if (!presets[kind].includes(name))
      throw new Refused(
        `The preset “${shownText(name)}” doesn’t handle ${WORD[kind]}. Submit them separately.`,
      )
}

export async function listPresets({ context, access }: AssistantSession, signal: AbortSignal): Promise<Data> {
  const settings = access.settings()
  const { image, video } = await presetsOf(context, signal)
  const output = usualOutput(settings)
  return {
    forPhotos: image,
    forVideos: video,
    usual: settings.defaultPresets ?? [],
    allowedFolders: settings.assistants.folders.map((folder) => folder.path),
    ...(output === undefined ? {} : { usualOutput: output }),
    ...(settings.assistants.folders.length === 0
      ? {
          note: 'No files can be used yet. Ask the user to allow a folder in Mediatray: Settings > Advanced > Assistants.',
        }
      : {}),
  }
}
