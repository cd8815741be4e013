/** What is written about the video beside the video. */
import type { Stream } from 'node-av/lib'
import type { VideoRecipe } from '../../shared/preset/preset.ts'

/** These describe the old file's form, and the muxer writes its own. */
const OF_THE_OLD_FILE = new Set(['major_brand', 'minor_version', 'compatible_brands', 'encoder', 'duration'])

const OF_THE_OLD_STREAM = new Set([...OF_THE_OLD_FILE, 'alpha_mode', 'rotate', 'vendor_id', 'handler_name'])

type Metadata = Readonly<Record<string, string>>

export function keptFileMetadata(metadata: Metadata, wanted: VideoRecipe['metadata']): Metadata {
  if (wanted === 'strip') return {}
  return without(OF_THE_OLD_FILE, metadata)
}

/** The language of a track is no private matter but what a player chooses by: it always stays. */
export function keptStreamMetadata(stream: Stream, wanted: VideoRecipe['metadata']): Metadata {
  const metadata = stream.metadata?.getAll() ?? {}
  if (wanted === 'keep') return without(OF_THE_OLD_STREAM, metadata)
  const { language } = metadata
  return language === undefined ? {} : { language }
}

/** Without this a player takes no notice of the transparency that a VP8 or VP9 stream carries. */
export function alphaMark(stream: Stream): Metadata {
  return stream.metadata?.get('alpha_mode') === '1' ? { alpha_mode: '1' } : {}
}

function without(names: ReadonlySet<string>, metadata: Metadata): Metadata {
  return Object.fromEntries(
    Object.entries(metadata).filter(([name]) => {
      const plain = name.toLowerCase()
      return !names.has(plain) && !plain.startsWith('_statistics_') && !plain.startsWith('bps')
    }),
  )
}
