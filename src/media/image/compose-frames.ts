/** Composes the frames of an animation whose file stores only the parts that change. */
import { deepSamples } from './raw-image.ts'
import type { Area, Extent } from '../../shared/extent.ts'
import sharp from 'sharp'
import type { FrameStrip } from './frame-strip.ts'
import { refuseTooManyPixels } from './image-failure.ts'

export type FramePart = Area & {
  readonly file: Buffer
  /** How its area changes before the next frame: it stays, becomes transparent, or returns to its content before this frame. */
  readonly after: 'keep' | 'clear' | 'restore'
  /** Whether the frame's pixels, even transparent ones, replace the pixels below. */
  readonly covers: boolean
}

type Samples = Uint8Array | Uint16Array
const CHANNELS = 4

export async function composeFrames(
  parts: readonly FramePart[],
  { width, height }: Extent,
  depth: 8 | 16,
): Promise<FrameStrip> {
  const length = width * height * CHANNELS
  let canvas: Samples = depth === 16 ? new Uint16Array(length) : new Uint8Array(length)
  const frames: Uint8Array[] = []
  for (const part of parts) {
    const shown = canvas.slice()
    draw(shown, width, height, part, await samplesOf(part, depth))
    frames.push(new Uint8Array(shown.buffer))
    if (part.after !== 'restore') canvas = shown.slice()
    if (part.after === 'clear') for (const [from, to] of rowsOf(part, width, height)) canvas.fill(0, from, to)
  }
  return { frames, width, height, channels: CHANNELS, depth }
}

async function samplesOf({ file, width, height }: FramePart, depth: 8 | 16): Promise<Samples> {
  refuseTooManyPixels(width, height)
  const data = await sharp(file, { ignoreIcc: true, failOn: 'warning', limitInputPixels: false })
    .toColourspace(depth === 16 ? 'rgb16' : 'srgb')
    .ensureAlpha()
    .raw({ depth: depth === 16 ? 'ushort' : 'uchar' })
    .toBuffer()
  return depth === 16 ? deepSamples(data) : data
}

/** Yields where each row starts and ends in the canvas, and where it starts in the part. */
function* rowsOf(
  { left, top, ...part }: Area,
  width: number,
  height: number,
): Generator<readonly [from: number, to: number, inPart: number]> {
  const columns = Math.min(part.width, width - left)
  const rows = columns <= 0 ? 0 : Math.min(part.height, height - top)
  for (let y = 0; y < rows; y++) {
    const from = ((top + y) * width + left) * CHANNELS
    yield [from, from + columns * CHANNELS, y * part.width * CHANNELS]
  }
}

function draw(canvas: Samples, width: number, height: number, part: FramePart, samples: Samples): void {
  const top = canvas instanceof Uint16Array ? 0xffff : 0xff
  for (const [from, to, inPart] of rowsOf(part, width, height)) {
    if (part.covers) canvas.set(samples.subarray(inPart, inPart + to - from), from)
    else
      for (let at = from, own = inPart; at < to; at += CHANNELS, own += CHANNELS)
        blend(canvas, at, samples, own, top)
  }
}

function blend(canvas: Samples, at: number, samples: Samples, own: number, top: number): void {
  const opacity = (samples[own + 3] ?? 0) / top
  if (opacity === 0) return
  const below = ((canvas[at + 3] ?? 0) / top) * (1 - opacity)
  const both = opacity + below
  for (let channel = 0; channel < 3; channel++) {
    const over = samples[own + channel] ?? 0
    const under = canvas[at + channel] ?? 0
    canvas[at + channel] = Math.round((over * opacity + under * below) / both)
  }
  canvas[at + 3] = Math.round(both * top)
}
