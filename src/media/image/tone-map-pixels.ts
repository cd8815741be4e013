/** Converts PQ or HLG pixels to sRGB with the tone curve that videos use. */
import { damagedFile } from '../damaged-file.ts'
import { AV_PIX_FMT_RGB48LE, AV_PIX_FMT_RGBA64LE } from 'node-av/constants'
import { frameOfPixels } from '../ffmpeg/ffmpeg.ts'
import { filterFrame } from '../ffmpeg/filter-chain.ts'
import type { HdrColors } from './hdr-colors.ts'
import type { RawImage } from './raw-image.ts'

const PRIMARIES: ReadonlyMap<number, string> = new Map([
  [1, 'bt709'],
  [12, 'smpte432'],
])
const CURVES = { pq: 'smpte2084', hlg: 'arib-std-b67' } as const

export async function toneMapPixels(
  content: Pick<RawImage, 'width' | 'height'> & {
    /** 16 bits per channel. */
    readonly pixels: Buffer
    readonly channels: 3 | 4
  },
  colors: HdrColors,
): Promise<Buffer> {
  const [packed, whole, light] =
    content.channels === 4 ? ['rgba64le', 'gbrap16le', 'gbrapf32le'] : ['rgb48le', 'gbrp16le', 'gbrpf32le']
  const primaries = PRIMARIES.get(colors.primaries) ?? 'bt2020'
  const filters = [
    `format=${whole}`,
    `setparams=color_primaries=${primaries}:color_trc=${CURVES[colors.curve]}:colorspace=gbr:range=pc`,
    'zscale=t=linear:npl=100',
    `format=${light}`,
    'zscale=p=bt709',
    'tonemap=hable:desat=0',
    'zscale=t=iec61966-2-1:m=gbr:r=full',
    `format=${packed}`,
  ]
  const format = content.channels === 4 ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGB48LE
  using frame = frameOfPixels(content.pixels, content, format)
  using mapped = await filterFrame(frame, filters.join(','))
  if (mapped === undefined) throw damagedFile('brightnessUnchangeable')
  return mapped.toBuffer()
}
