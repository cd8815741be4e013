import type {
  AudioInventory,
  PhotoInventory,
  Tags,
  TrackInventory,
  VideoInventory,
} from '../../../src/media/inventory/inventory.ts'

export const NO_TAGS: Tags = { camera: false, captureDate: false, author: false, location: false, others: [] }

/** A photo with nothing that could be lost. */
export const photo = (facts: Partial<PhotoInventory> = {}): PhotoInventory => ({
  kind: 'image',
  format: 'JPEG',
  width: 400,
  height: 300,
  pages: 1,
  frames: 1,
  bitDepth: 8,
  pixelAspect: 1,
  hasAlpha: false,
  color: 'sRGB',
  hdr: 'none',
  exif: false,
  xmp: false,
  iptc: false,
  comment: false,
  tags: NO_TAGS,
  depthMap: false,
  embeddedImages: 0,
  furtherPictures: 0,
  appendedData: false,
  contentCredentials: false,
  clippingPath: false,
  layers: false,
  extraChannels: 0,
  georeference: false,
  ...facts,
})

export const track = (facts: Partial<TrackInventory> = {}): TrackInventory => ({
  codec: 'subrip',
  isDefault: false,
  roles: 0,
  ...facts,
})

export const audio = (facts: Partial<AudioInventory> = {}): AudioInventory => ({
  ...track({ codec: 'aac' }),
  channels: 2,
  layout: 'stereo',
  places: 0x3n,
  isLossless: false,
  ...facts,
})

/** A video with a single audio track, and nothing else that could be lost. */
export const video = (facts: Partial<VideoInventory> = {}): VideoInventory => ({
  kind: 'video',
  format: 'Matroska',
  width: 1920,
  height: 1080,
  seconds: 20,
  frameRate: 30,
  bitDepth: 8,
  chroma: '4:2:0',
  isInterlaced: false,
  hasAlpha: false,
  color: 'sRGB',
  hdr: 'none',
  dolbyVision: false,
  spherical: false,
  stereo3d: false,
  videoTracks: 1,
  mainVideo: 1,
  embeddedImages: 0,
  audio: [audio()],
  subtitles: [],
  dataTracks: [],
  chapters: 0,
  chapterNames: [],
  placeNames: [],
  inFrames: [],
  hasChapterOrder: false,
  attachments: 0,
  fonts: 0,
  xmp: false,
  contentCredentials: false,
  metadataBlocks: [],
  tags: NO_TAGS,
  ...facts,
})
