/** Photos to preview, and what comes of them, as main would say it. */
import type { MediaItem } from '../../../src/shared/model/media-item.ts'
import type { PreviewPart, PreviewPixels, PreviewWhole } from '../../../src/shared/model/preview.ts'
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

/** The harness draws every picture 1066 pixels wide. */
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
  film: { start: 42, seconds: 2.5, filmSeconds: 178, isHdr: false },
  whole: {
    kind: 'reckoned',
    bytes: 68_000_000,
    refused: null,
    originalBytes: 212_000_000,
    milliseconds: 84_000,
  },
} as const satisfies Preview

export const previewFixtures = {
  fine: { files, part, whole },
  rendering: { files, part },
  larger: {
    files,
    part,
    whole: { ...whole, bytes: 4_100_000, refused: 21_000_000, notes: ['original-kept'] },
  },
  failed: {
    files,
    part,
    whole: { kind: 'failed', reason: 'There is not enough memory for a picture of this size.' },
  },
  least: {
    files,
    part,
    whole: {
      kind: 'failed',
      reason:
        "The photo can't be made as small as 100 kB: 148 kB is the least at 1066 × 600 pixels. It takes more bytes, or a recipe that may reduce the dimensions.",
      least: { bytes: 147_300, width: 1_066, height: 600 },
    },
  },
  video,
  videoHdr: { ...video, film: { ...video.film, isHdr: true } },
  videoFailed: {
    files: video.files,
    part: { kind: 'failed', reason: 'The file is damaged or incomplete: its index is missing.' },
  },
  videoRendering: { files: video.files, film: video.film },
  noFile: { files: { current: null, recent } },
} as const satisfies Record<string, Preview>
