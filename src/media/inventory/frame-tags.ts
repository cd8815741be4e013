/** Finds metadata within a video's frames. Re-encoding the frames removes this metadata. */
import { codecName, newPacket } from '../ffmpeg/ffmpeg.ts'
import { unlessTooShort } from '../image/image-failure.ts'
import { metadataIn } from '../metadata/read-metadata.ts'
import type { PhotoMetadata } from '../metadata/photo-metadata.ts'
import { hasDate } from '../video/frame-metadata/dv-packs.ts'
import type { SourceFile } from '../video/source-file.ts'
import type { OtherTag, Tags, VideoInventory } from './inventory.ts'
import { isFilled, tagsOf } from './photo-tags.ts'

/** Number of frames to search. A camera may get its GPS fix only after many frames. */
const FRAMES_SEARCHED = 100

export type FrameTags = Pick<VideoInventory, 'inFrames'> & { readonly tags: Tags }

const NO_TAGS: Tags = { camera: false, captureDate: false, author: false, location: false, others: [] }

const FOUND: Readonly<Record<string, (frame: Buffer) => FrameTags>> = {
  mjpeg: (frame) => ofPicture(metadataIn(frame, 'jpeg')),
  png: (frame) => ofPicture(metadataIn(frame, 'png')),
  dvvideo: (frame) => ({ inFrames: [], tags: { ...NO_TAGS, captureDate: hasDate(frame) } }),
}

export async function frameTags(source: SourceFile): Promise<FrameTags> {
  const find = FOUND[codecName(source.video)]
  let found: FrameTags = { inFrames: [], tags: NO_TAGS }
  if (find === undefined) return found
  // The search for flight logs has already read the beginning.
  if (source.subtitles.length > 0) await source.seek(0)
  using packet = newPacket()
  for (let frames = 0; frames < FRAMES_SEARCHED && (await source.read(packet));) {
    const { data, streamIndex } = packet
    if (streamIndex === source.video.index && data !== null) {
      frames += 1
      found = joined(found, unlessTooShort(() => find(data)) ?? found)
    }
    packet.unref()
  }
  return found
}

function ofPicture(metadata: PhotoMetadata): FrameTags {
  const { exif, xmp, iptc, comments } = metadata
  const kinds = { Exif: isFilled(exif), XMP: xmp !== undefined, IPTC: iptc !== undefined }
  const tags = tagsOf(metadata)
  return {
    inFrames: Object.entries(kinds).flatMap(([kind, isThere]) => (isThere ? [kind] : [])),
    tags: { ...tags, others: [...tags.others, ...comments.flatMap(textOf)] },
  }
}

/** Comments that encoders write about themselves and their settings. */
const OF_ENCODER = /^(?:Lavc|CS=|CREATOR:|LEAD |Intel)/
const SOFTWARE = 'software'

function textOf({ keyword = 'comment', text }: PhotoMetadata['comments'][number]): readonly OtherTag[] {
  const name = keyword.toLowerCase()
  return name === SOFTWARE || text.trim() === '' || OF_ENCODER.test(text) ? [] : [{ name, value: text }]
}

export function joinedTags(one: Tags, other: Tags): Tags {
  const names = new Set(one.others.map(({ name }) => name))
  return {
    camera: one.camera || other.camera,
    captureDate: one.captureDate || other.captureDate,
    author: one.author || other.author,
    location: one.location || other.location,
    others: [...one.others, ...other.others.filter(({ name }) => !names.has(name))],
  }
}

const joined = (one: FrameTags, other: FrameTags): FrameTags => ({
  inFrames: [...new Set([...one.inFrames, ...other.inFrames])],
  tags: joinedTags(one.tags, other.tags),
})
