/** Chooses the part of an image to encode for the window, and the most useful position for a preview. */
import type { Area, Extent } from '../../shared/extent.ts'
import sharp from 'sharp'
import type { PreviewView, Spot } from '../../shared/model/preview.ts'
import type { RawImage } from './raw-image.ts'

/**
 * Largest block size of the encoders, which divide an image into blocks from its corner. A part that starts on a block boundary looks the
 * same as in the whole image.
 */
const BLOCK = 64
/**
 * JPEG's largest block size. A part ends at a multiple of it, because JPEG's blocks can't be cut at the edge. Other effects at this edge
 * aren't visible, so encoding more pixels would only take longer.
 */
const END_BLOCK = 16
/** Border around the view. It is wide enough that all filters across block edges read the same pixels as in the whole image. */
const MARGIN = 16

/** Returns the view with its border, extended to start on a block boundary of the result. */
export function areaInView(extent: Extent, view: PreviewView & { readonly middle: Spot }): Area {
  const [left, right] = along(extent.width, view.width, view.middle.x)
  const [top, bottom] = along(extent.height, view.height, view.middle.y)
  return { left, top, width: right - left, height: bottom - top }
}

function along(whole: number, wanted: number, middle: number): readonly [number, number] {
  const { begin, length } = within(whole, wanted, middle)
  const first = Math.floor(Math.max(0, begin - MARGIN) / BLOCK) * BLOCK
  const last = Math.ceil((begin + length + MARGIN) / END_BLOCK) * END_BLOCK
  return [first, Math.min(whole, last)]
}

function within(whole: number, wanted: number, middle: number) {
  const length = Math.min(whole, Math.max(1, Math.round(wanted)))
  return { begin: Math.max(0, Math.min(whole - length, Math.round(middle * whole - length / 2))), length }
}

export function cutOut(content: RawImage, { left, top, width, height }: Area): RawImage {
  const { channels, depth = 8 } = content
  const bytes = (channels * depth) / 8
  const row = width * bytes
  const pixels = new Uint8Array(row * height)
  for (let y = 0; y < height; y++) {
    const begin = ((top + y) * content.width + left) * bytes
    pixels.set(content.pixels.subarray(begin, begin + row), y * row)
  }
  return { ...content, pixels, width, height }
}

/** Longest side of the reduced image in which to measure contrast. Large enough to find a face or a treetop. */
const SKETCH_PIXELS = 256

/**
 * Returns the center of the view with the most contrast between neighboring pixels.
 * Aligns the view so that as few pixels as possible around it have to be encoded.
 */
export async function mostDetail(content: RawImage, view: Extent): Promise<Spot> {
  const { pixels, width, height, channels, depth = 8 } = content
  const share = Math.min(1, SKETCH_PIXELS / Math.max(width, height))
  const raw = depth === 16 ? new Uint16Array(pixels.slice().buffer) : pixels
  const { data, info } = await sharp(raw, { raw: { width, height, channels } })
    .resize({
      width: Math.max(1, Math.round(width * share)),
      height: Math.max(1, Math.round(height * share)),
      fit: 'fill',
      kernel: 'nearest',
    })
    .flatten()
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const window = {
    width: Math.min(info.width, Math.max(1, Math.round(view.width * share))),
    height: Math.min(info.height, Math.max(1, Math.round(view.height * share))),
  }
  const { left, top } = busiest(contrastSums(data, info), info, window)
  return {
    x: besideBlocks(width, view.width, (left + window.width / 2) / info.width),
    y: besideBlocks(height, view.height, (top + window.height / 2) / info.height),
  }
}

/**
 * Aligns the view so that its border starts on a block boundary. This is possible because the user hasn't chosen an exact position.
 */
function besideBlocks(whole: number, wanted: number, middle: number): number {
  const { begin, length } = within(whole, wanted, middle)
  const moved = Math.round((begin - MARGIN) / BLOCK) * BLOCK + MARGIN
  return (Math.max(0, Math.min(whole - length, moved)) + length / 2) / whole
}

/** Returns a summed-area table of the contrast. Its first row and column are zero. */
function contrastSums(gray: Uint8Array, { width, height }: Extent): Float64Array {
  const sums = new Float64Array((width + 1) * (height + 1))
  const at = (x: number, y: number) => gray[y * width + x] ?? 0
  for (let y = 0; y < height; y++) {
    let inRow = 0
    for (let x = 0; x < width; x++) {
      const across = Math.abs(at(x, y) - at(Math.max(0, x - 1), y))
      const down = Math.abs(at(x, y) - at(x, Math.max(0, y - 1)))
      inRow += across + down
      sums[(y + 1) * (width + 1) + x + 1] = (sums[y * (width + 1) + x + 1] ?? 0) + inRow
    }
  }
  return sums
}

/**
 * Returns the view with the most contrast. If several have the same contrast, prefers the one closest to the center, where the
 * subject usually is.
 */
function busiest(
  sums: Float64Array,
  extent: Extent,
  window: Extent,
): { readonly left: number; readonly top: number } {
  const row = extent.width + 1
  const sum = (x: number, y: number) => sums[y * row + x] ?? 0
  const middle = { left: (extent.width - window.width) / 2, top: (extent.height - window.height) / 2 }
  let best = { left: Math.round(middle.left), top: Math.round(middle.top) }
  let most = -1
  let nearest = Infinity
  for (let top = 0; top + window.height <= extent.height; top++)
    for (let left = 0; left + window.width <= extent.width; left++) {
      const [right, bottom] = [left + window.width, top + window.height]
      const inside = sum(right, bottom) - sum(left, bottom) - sum(right, top) + sum(left, top)
      const distance = Math.hypot(left - middle.left, top - middle.top)
      if (inside < most || (inside === most && distance >= nearest)) continue
      best = { left, top }
      most = inside
      nearest = distance
    }
  return best
}
