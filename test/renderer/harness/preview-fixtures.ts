/** Photos to preview and their results, as the main process would report them. */
import { failure, reason } from '../../../src/shared/failure/failure.ts'
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import type {
  PreviewPart,
  PreviewPixels,
  PreviewQuality,
  PreviewWhole,
} from '../../../src/shared/model/preview.ts'
import type { Script } from './fake-bridge.ts'

const photo = (name: string, size: number): MediaItem => ({
  path: `/home/ida/Pictures/${name}`,
  name,
  kind: 'image',
  size,
})
const lake = photo('DSC_4821.heic', 4_100_000)
const recent = [
  photo('IMG_0093.jpg', 6_200_000),
  photo('IMG_7720.jpg', 5_100_000),
  photo('mug-white_01.png', 8_800_000),
]

/** The harness draws every image 1,066 pixels wide. */
const pixels: PreviewPixels = {
  extent: { width: 1_066, height: 600 },
  original: { width: 4_264, height: 2_400 },
  area: { left: 0, top: 0, width: 1_066, height: 600 },
  before: '/home/ida/DSC_4821.heic',
  after: '/home/ida/DSC_4821.webp',
}
const part: PreviewPart = { kind: 'part', pixels, middle: { x: 0.5, y: 0.5 } }
const whole: PreviewWhole = {
  kind: 'whole',
  pixels,
  bytes: 612_000,
  refused: null,
  originalBytes: 4_100_000,
  milliseconds: 320,
  notes: [],
}

const quality: PreviewQuality = { kind: 'measured', quality: { score: 84, isSampled: true } }

type Preview = NonNullable<Script['preview']>
const files = { current: lake, recent }

const clip: MediaItem = {
  path: '/home/ida/Videos/clip_0147.mov',
  name: 'clip_0147.mov',
  kind: 'video',
  size: 212_000_000,
}
const video = {
  files: { current: clip, recent: [] },
  video: {
    start: 42,
    seconds: 2.5,
    videoSeconds: 178,
    isHdr: false,
    quality: { score: 75, isSampled: true },
  },
  whole: {
    kind: 'estimated',
    bytes: 68_000_000,
    refused: null,
    originalBytes: 212_000_000,
    milliseconds: 84_000,
  },
} as const satisfies Preview

/** Results of the lake by visual quality, which the scores miss slightly. */
const looks = {
  68: { bytes: 284_000, milliseconds: 210, score: 67 },
  84: { bytes: 612_000, milliseconds: 320, score: 85 },
  92: { bytes: 1_300_000, milliseconds: 410, score: 92 },
}

export const previewFixtures = {
  compared: { files, part, whole, quality, looks },
  comparing: { files, part, whole, quality, looks: { 84: looks[84], 68: looks[68] } },
  videoCompared: {
    ...video,
    looks: {
      68: { bytes: 41_000_000, milliseconds: 62_000, score: 68 },
      84: { bytes: 68_000_000, milliseconds: 84_000, score: 83 },
      92: { bytes: 112_000_000, milliseconds: 97_000, score: 92 },
    },
  },
  fine: { files, part, whole, quality },
  measuring: { files, part, whole },
  lossless: { files, part, whole, quality: { kind: 'measured', quality: 'lossless' } },
  unmeasured: { files, part, whole, quality: { kind: 'measured', quality: null } },
  rendering: { files, part },
  larger: {
    files,
    part,
    whole: { ...whole, bytes: 4_100_000, refused: 21_000_000, notes: ['original-kept'] },
  },
  failed: {
    files,
    part,
    whole: { kind: 'failed', failure: failure('photoNeedsMemory') },
  },
  least: {
    files,
    part,
    whole: {
      kind: 'failed',
      failure: failure('photoNotSmallEnoughAsIs', {
        maxKilobytes: 100,
        kilobytes: 148,
        width: 1_066,
        height: 600,
      }),
      least: { bytes: 147_300, width: 1_066, height: 600 },
    },
  },
  video,
  videoHdr: { ...video, video: { ...video.video, isHdr: true } },
  videoFailed: {
    files: video.files,
    part: { kind: 'failed', failure: failure('fileDamaged', { reason: reason('indexMissing') }) },
  },
  videoRendering: { files: video.files, video: video.video },
  noFile: { files: { current: null, recent } },
} as const satisfies Record<string, Preview>
