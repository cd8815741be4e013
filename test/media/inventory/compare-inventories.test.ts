import { AV_DISPOSITION_COMMENT } from 'node-av/constants'
import { describe, expect, it } from 'vitest'
import { compareInventories, mergeLosses } from '../../../src/media/inventory/compare-inventories.ts'
import { PHOTO_COMPARISONS } from '../../../src/media/inventory/photo-comparisons.ts'
import { VIDEO_COMPARISONS } from '../../../src/media/inventory/video-comparisons.ts'
import type { OtherTag, PhotoInventory, VideoInventory } from '../../../src/media/inventory/inventory.ts'
import { loss, lossReason } from '../../../src/shared/loss/loss.ts'
import { ImageRecipe, VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { audio, NO_TAGS, photo, track, video } from './sample-inventories.ts'
import { sentencesOf } from '../loss-sentences.ts'

type ImageOptions = Parameters<typeof ImageRecipe.parse>[0]
type VideoOptions = Parameters<typeof VideoRecipe.parse>[0]

const lostInPhoto = (
  before: Partial<PhotoInventory>,
  after: Partial<PhotoInventory> = {},
  recipe: ImageOptions = {},
  isVaried = false,
) => {
  const image = ImageRecipe.parse(recipe)
  const asked = { recipe: image, isVaried }
  return sentencesOf(compareInventories(PHOTO_COMPARISONS, photo(before), photo(after), asked))
}

const lostInVideo = (
  before: Partial<VideoInventory>,
  after: Partial<VideoInventory> = {},
  recipe: VideoOptions = {},
) => {
  const asked = { recipe: VideoRecipe.parse(recipe), isVaried: false }
  return sentencesOf(compareInventories(VIDEO_COMPARISONS, video(before), video(after), asked))
}

const missing = (...parts: readonly string[]) =>
  parts.map((part) => `${part}. The result doesn’t contain it.`)

describe('what a photo lost', () => {
  it('is nothing if the result has everything, or more than the original', () => {
    const rich = { exif: true, xmp: true, hasAlpha: true, bitDepth: 16, pages: 2, embeddedImages: 1 }
    expect(lostInPhoto({})).toEqual([])
    expect(lostInPhoto(rich, rich, { metadata: 'keep' })).toEqual([])
    expect(lostInPhoto({}, rich, { metadata: 'keep' })).toEqual([])
  })

  it('is its pages and frames, unless the first frame was asked for', () => {
    expect(lostInPhoto({ format: 'TIFF', pages: 5 })).toEqual(['Pages 2 to 5. JPEG holds one page.'])
    expect(lostInPhoto({ format: 'TIFF', pages: 2 })).toEqual(['Page 2. JPEG holds one page.'])
    expect(lostInPhoto({ frames: 3 })).toEqual(['2 frames of the animation. JPEG holds one frame.'])
    expect(lostInPhoto({ frames: 3 }, {}, { animation: 'first-frame' })).toEqual([])
    expect(lostInPhoto({ frames: 3, animationMs: 300 }, { frames: 3, animationMs: 900 })).toEqual(
      missing('Timing of the frames'),
    )
  })

  it('is transparency, unless a background was chosen', () => {
    expect(lostInPhoto({ hasAlpha: true })).toEqual(['Transparency. JPEG can’t hold it.'])
    expect(lostInPhoto({ hasAlpha: true }, {}, { background: '#202020' })).toEqual([])
  })

  it('is bit depth if the format stays the same, but not if one with 8 bits was asked for', () => {
    const png = { format: 'PNG' }
    expect(lostInPhoto({ bitDepth: 16 }, png)).toEqual(missing('16 bits per channel'))
    expect(lostInPhoto({ bitDepth: 32 }, { ...png, bitDepth: 16 })).toEqual([
      '32 bits per channel. PNG holds 16 bits.',
    ])
    expect(lostInPhoto({ bitDepth: 10 }, {})).toEqual(['10 bits per channel. JPEG holds 8 bits.'])
    expect(lostInPhoto({ bitDepth: 16 }, {}, { format: 'jpeg' })).toEqual([])
    expect(lostInPhoto({ bitDepth: 16 }, png, { format: 'png' })).toHaveLength(1)
  })

  it('is HDR, unless the recipe tone-maps or the result is a variation', () => {
    const hdr = { hdr: 'pq', bitDepth: 10, color: 'own' } as const
    expect(lostInPhoto(hdr)).toEqual(['HDR. JPEG doesn’t support this type.'])
    expect(lostInPhoto({ hdr: 'gainMap' }, { format: 'PNG' })).toEqual([
      'HDR (gain map). PNG doesn’t support this type.',
    ])
    expect(lostInPhoto(hdr, {}, { hdr: 'tone-map' })).toEqual([])
    expect(lostInPhoto(hdr, {}, {}, true)).toEqual([])
    expect(lostInPhoto(hdr, { ...hdr, format: 'AVIF' })).toEqual([])
  })

  it('is metadata only if the recipe keeps it', () => {
    const tags = { camera: true, captureDate: true, author: false, location: true, others: [] }
    const full = { exif: true, iptc: true, comment: true, tags }
    const png = { format: 'PNG', exif: true, tags: { ...tags, location: false } }
    expect(lostInPhoto(full, png)).toEqual([])
    expect(lostInPhoto(full, png, { metadata: 'strip-location' })).toEqual([])
    expect(lostInPhoto(full, png, { metadata: 'keep' })).toEqual(missing('IPTC', 'Comment', 'Location'))
    const noCamera = { ...png, tags: { ...tags, camera: false } }
    expect(lostInPhoto(full, noCamera, { metadata: 'strip-location' })).toEqual(missing('Camera'))
  })

  it('is the color profile, unless the recipe converts to sRGB', () => {
    expect(lostInPhoto({ color: 'own' })).toEqual([])
    expect(lostInPhoto({ color: 'own' }, {}, { colour: 'keep' })).toEqual(missing('Color profile'))
  })

  it('is size, unless the recipe resizes, crops or rotates to that size', () => {
    expect(lostInPhoto({}, { width: 200, height: 150 })).toEqual(missing('Dimensions of 400 × 300 pixels'))
    expect(lostInPhoto({}, { width: 200, height: 150 }, { size: { width: 200 } })).toEqual([])
    expect(lostInPhoto({}, { width: 300, height: 300 }, { crop: { aspect: 1 } })).toEqual([])
    expect(lostInPhoto({}, { width: 300, height: 400 }, { rotate: 90 })).toEqual([])
    const shrunk = { maxBytes: 9_000, mayShrink: true }
    expect(lostInPhoto({}, { width: 200, height: 150 }, shrunk)).toEqual([])
  })

  it('is the video of a motion photo, regardless of the setting for metadata', () => {
    expect(lostInPhoto({ motionPhoto: 2.7 })).toEqual([
      'Motion photo video, 3 s. Mediatray can’t write this in any format.',
    ])
  })
})

const tags = (...others: readonly OtherTag[]) => ({ tags: { ...NO_TAGS, others } })

describe('the other tags of a file', () => {
  const pair = { name: 'com.apple.quicktime.content.identifier', value: '6C2F-AB' }

  it('are lost unless the result has their name, or their value under another name', () => {
    const custom = { name: 'custom', value: 'notes' }
    expect(lostInVideo(tags(pair, custom), tags())).toEqual(missing('2 other tags'))
    expect(lostInVideo(tags(pair, custom), tags(pair))).toEqual(missing('1 other tag'))
    expect(lostInVideo(tags(pair), tags({ name: pair.name, value: 'other' }))).toEqual([])
    expect(lostInVideo(tags(pair), tags({ name: 'identifier', value: pair.value }))).toEqual([])
    const place = { name: 'com.apple.quicktime.location.name', value: 'Home' }
    expect(lostInVideo(tags(place), tags(), { metadata: 'strip-location' })).toEqual([])
    expect(lostInVideo(tags(pair, place), tags(), { metadata: 'strip-location' })).toEqual(
      missing('1 other tag'),
    )
  })

  it('of a photo count only if the rest of Exif or XMP is there', () => {
    const before = { exif: true, xmp: true, ...tags({ name: 'exif copyright' }, { name: 'xmp dc:title' }) }
    const keep = { metadata: 'keep' } as const
    expect(lostInPhoto(before, { exif: true, xmp: true }, keep)).toHaveLength(1)
    expect(lostInPhoto(before, { exif: true }, keep)).toEqual(missing('XMP', '1 other tag'))
    expect(lostInPhoto(before, { exif: true, xmp: true })).toEqual([])
  })
})

const languages = (...all: readonly string[]) => ({ audio: all.map((language) => audio({ language })) })

describe('what a video lost', () => {
  it('is nothing if it is only smaller and re-encoded, as the recipe says', () => {
    const before = { bitDepth: 10, chroma: '4:2:2', isInterlaced: true }
    const after = { width: 1280, height: 720, frameRate: 24 }
    expect(lostInVideo(before, after, { height: 720, fps: 24 })).toEqual([])
  })

  it('is depth, color resolution and fields if the recipe is lossless', () => {
    const before = { bitDepth: 10, chroma: '4:2:2', isInterlaced: true }
    expect(lostInVideo(before, {}, { crf: 0 })).toEqual(
      missing('10 bits per channel', 'Color resolution (4:2:2)', 'Interlaced fields'),
    )
  })

  it('names the audio track that is missing', () => {
    const tracks = [audio({ language: 'eng' }), audio({ language: 'fra' }), audio({ language: 'deu' })]
    expect(lostInVideo({ audio: tracks }, { audio: [tracks[0]!, tracks[2]!] })).toEqual(
      missing('Audio track 2 (fra)'),
    )
    expect(lostInVideo({ audio: tracks }, { audio: [] })).toHaveLength(3)
    expect(lostInVideo({ audio: tracks }, { audio: [] }, { audio: 'none' })).toEqual([])
    expect(lostInVideo({ audio: tracks }, { audio: [audio()] }, { codec: 'none' })).toEqual([])
  })

  it('is channels and lossless audio, but not another codec', () => {
    const surround = audio({ channels: 6, layout: '5.1', codec: 'ac3' })
    expect(lostInVideo({ audio: [surround] }, { audio: [audio()] })).toEqual([
      'Channels of audio track 1 (5.1). The AAC encoder can’t write it.',
    ])
    const pcm = audio({ codec: 'pcm_s24le', isLossless: true })
    expect(lostInVideo({ audio: [pcm] })).toEqual([])
    expect(lostInVideo({ audio: [pcm] }, {}, { crf: 0 })).toHaveLength(1)
  })

  it('is the tracks that the result lacks, by their numbers in the original', () => {
    const three = { videoTracks: 3, mainVideo: 2 }
    expect(lostInVideo(three)).toEqual([
      'Video track 1. Mediatray can’t write this in any format.',
      'Video track 3. Mediatray can’t write this in any format.',
    ])
    const [picture, text] = [track({ codec: 'hdmv_pgs_subtitle' }), track({ language: 'eng' })]
    const inMp4 = { format: 'MP4', subtitles: [track({ codec: 'mov_text', language: 'eng' })] }
    expect(lostInVideo({ subtitles: [picture, text] }, inMp4)).toEqual(
      missing('Subtitles 1 (HDMV_PGS_SUBTITLE)'),
    )
    const spoken = [audio({ language: 'eng' }), audio({ language: 'deu' }), audio({ language: 'deu' })]
    const inGerman = { audio: spoken.slice(2) }
    expect(lostInVideo({ audio: spoken }, inGerman, { audioLanguages: ['de'] })).toHaveLength(1)
  })

  it('is the names of chapters in other languages, unless a name with coordinates was to be removed', () => {
    const before = { chapters: 1, chapterNames: ['deu', 'fra'], placeNames: ['fra'] }
    const [kept, without] = [{ metadata: 'keep' }, { metadata: 'strip-location' }] as const
    const one = { chapters: 1, chapterNames: ['deu'] }
    expect(lostInVideo(before, one, without)).toEqual([])
    expect(lostInVideo(before, one, kept)).toHaveLength(1)
    expect(lostInVideo(before, { chapters: 1 }, without)).toHaveLength(1)
  })

  it('is chapters, subtitles and attachments, with the format that can’t hold them', () => {
    const before = { chapters: 12, attachments: 1, subtitles: [track({ title: 'Signs' })] }
    expect(lostInVideo(before, { format: 'WebM' })).toEqual([
      'Subtitles 1 (Signs). The result doesn’t contain it.',
      '12 chapters. The result doesn’t contain it.',
      '1 attachment. WebM can’t hold them.',
    ])
    expect(lostInVideo(before, { format: 'GIF', audio: [] }, { container: 'gif', codec: 'gif' })).toEqual([])
  })

  it('is what marks a track, unless metadata is removed', () => {
    const before = [audio({ language: 'eng', title: 'Director', roles: AV_DISPOSITION_COMMENT })]
    expect(lostInVideo({ audio: before }, { audio: [audio({ title: 'Director' })] })).toEqual(
      missing('Language of 1 track', 'Flags of 1 track (default, forced, comment)'),
    )
    expect(
      lostInVideo(
        { audio: before },
        { audio: [audio({ language: 'eng', roles: AV_DISPOSITION_COMMENT })] },
        { metadata: 'strip' },
      ),
    ).toEqual([])
  })

  it('is a more precise language tag, but not another code for the same language', () => {
    expect(lostInVideo(languages('pt-BR', 'zh-Hans'), languages('por', 'zh-Hans'))).toEqual(
      missing('Language of 1 track'),
    )
    expect(lostInVideo(languages('ger', 'pt'), languages('deu', 'pt-BR'))).toEqual([])
    expect(lostInVideo(languages('eng'), languages('fra'))).toHaveLength(1)
  })

  it('is seconds at the end, frames per second and rotation', () => {
    expect(lostInVideo({}, { seconds: 19.9 })).toEqual([])
    expect(lostInVideo({}, { seconds: 12 })).toEqual(missing('8 s at the end'))
    expect(lostInVideo({ frameRate: 300 }, { frameRate: 240 })).toEqual(missing('300 frames per second'))
    expect(lostInVideo({}, { width: 1080, height: 1920 })).toEqual(['Rotation. Matroska can’t hold it.'])
    expect(lostInVideo({}, { width: 1080, height: 1920 }, { rotate: 90 })).toEqual([])
  })

  it('is HDR and location, unless the recipe removes them', () => {
    const before = { hdr: 'pq', tags: { ...video().tags, location: true } } as const
    expect(lostInVideo(before, { format: 'WebM' }, { codec: 'vp9', container: 'webm' })).toEqual([
      'HDR. The VP9 encoder can’t write it.',
      'Location. The result doesn’t contain it.',
    ])
    expect(lostInVideo(before, { tags: before.tags }, { codec: 'copy' })).toEqual(missing('HDR'))
    expect(lostInVideo(before, {}, { hdr: 'tone-map', metadata: 'strip-location' })).toEqual([])
  })
})

it('takes the conversion’s reason for a loss that the comparison found too', () => {
  const undecodable = lossReason('undecodable')
  const noticed = [loss('audioTrack', { track: 2, detail: 'APAC' }, undecodable)]
  const found = [2, 3].map((number) =>
    loss('audioTrack', { track: number, detail: 'fra' }, lossReason('notWritten')),
  )
  expect(mergeLosses(noticed, found)).toEqual([noticed[0], found[1]])
})
