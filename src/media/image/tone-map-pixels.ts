/** Pixels in PQ or HLG become sRGB, through the same curve as those of films. */
import { AV_PIX_FMT_RGB48LE, AV_PIX_FMT_RGBA64LE } from 'node-av/constants'
import { createFilterChain } from '../ffmpeg/filter-chain.ts'
import { frameOfPixels } from '../ffmpeg/frame-of-pixels.ts'
import type { HdrColours } from './hdr-colours.ts'
import { damagedPicture } from './picture-failure.ts'
import type { RawPicture } from './raw-picture.ts'

const PRIMARIES: ReadonlyMap<number, string> = new Map([
  [1, 'bt709'],
  [12, 'smpte432'],
])
const CURVES = { pq: 'smpte2084', hlg: 'arib-std-b67' } as const

type DeepPixels = Pick<RawPicture, 'width' | 'height'> & {
  /** Of 16 bits. */
  readonly pixels: Buffer
  readonly channels: 3 | 4
}

export async function toneMapPixels(content: DeepPixels, colours: HdrColours): Promise<Buffer> {
  const { width, height } = content
  const [packed, whole, light] =
    content.channels === 4 ? ['rgba64le', 'gbrap16le', 'gbrapf32le'] : ['rgb48le', 'gbrp16le', 'gbrpf32le']
  const primaries = PRIMARIES.get(colours.primaries) ?? 'bt2020'
  const chain = await createFilterChain(
    {
      kind: 'picture',
      parameters: `video_size=${width}x${height}:pix_fmt=${packed}:time_base=1/1:pixel_aspect=1/1`,
    },
    [
      `format=${whole}`,
      `setparams=color_primaries=${primaries}:color_trc=${CURVES[colours.curve]}:colorspace=gbr:range=pc`,
      'zscale=t=linear:npl=100',
      `format=${light}`,
      'zscale=p=bt709',
      'tonemap=hable:desat=0',
      'zscale=t=iec61966-2-1:m=gbr:r=full',
      `format=${packed}`,
    ].join(','),
  )
  const format = content.channels === 4 ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGB48LE
  const frame = frameOfPixels(content.pixels, content, format)
  try {
    await chain.put(frame)
    await chain.put(null)
    const [mapped] = chain.ready()
    if (mapped === undefined) throw damagedPicture('its brightness could not be changed')
    const pixels = mapped.toBuffer()
    mapped.free()
    return pixels
  } finally {
    frame.free()
    chain.free()
  }
}
