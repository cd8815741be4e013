/** The presets of a new installation. Users can edit and remove them like any other preset. */
import { once } from '../once.ts'
import { slugOf } from './slug.ts'
import archiveLossless from './defaults/archive-lossless.json' with { type: 'json' }
import audioOff from './defaults/audio-off.json' with { type: 'json' }
import datasetVariations from './defaults/dataset-variations.json' with { type: 'json' }
import email from './defaults/email.json' with { type: 'json' }
import grayscale from './defaults/grayscale.json' with { type: 'json' }
import removeMetadata from './defaults/remove-metadata.json' with { type: 'json' }
import sameLookSmallest from './defaults/same-look-smallest.json' with { type: 'json' }
import socialSquare from './defaults/social-square.json' with { type: 'json' }
import socialStory from './defaults/social-story.json' with { type: 'json' }
import thumbnail from './defaults/thumbnail.json' with { type: 'json' }
import under8Mb from './defaults/under-8-mb.json' with { type: 'json' }
import web1080p from './defaults/web-1080p.json' with { type: 'json' }
import web2048 from './defaults/web-2048.json' with { type: 'json' }
import web720p from './defaults/web-720p.json' with { type: 'json' }
import webp1600 from './defaults/webp-1600.json' with { type: 'json' }

export const DEFAULT_PRESETS: readonly { readonly name: string }[] = [
  web1080p,
  web720p,
  web2048,
  webp1600,
  email,
  under8Mb,
  sameLookSmallest,
  thumbnail,
  archiveLossless,
  socialSquare,
  socialStory,
  grayscale,
  removeMetadata,
  audioOff,
  datasetVariations,
]

/** The preset files to write to a service's folder. */
export const defaultDocuments = once((): readonly DefaultDocument[] =>
  DEFAULT_PRESETS.map((preset) => ({
    name: preset.name,
    file: `${slugOf(preset.name)}.json`,
    text: `${JSON.stringify(preset, null, 2)}\n`,
  })),
)

export type DefaultDocument = { readonly name: string; readonly file: string; readonly text: string }
