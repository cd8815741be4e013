/**
 * Encodes video previews for the window as lossless VP9.
 * Every Chromium can decode VP9 without the system's codecs. Lossless encoding shows each pixel as a player would. The window never
 * decodes the user's files.
 */
import { damagedFile } from '../damaged-file.ts'
import { failed } from '../../shared/failure/failure-error.ts'
import {
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_SMPTE170M,
} from 'node-av/constants'
import type { Frame, IRational } from 'node-av/lib'
import type { VideoColors, VideoTrack } from '../../shared/model/preview.ts'
import { VideoRecipe } from '../../shared/preset/preset.ts'
import { filterAgain, type TimedFrame } from '../ffmpeg/filter-chain.ts'
import type { EncoderSettings } from './encoder-settings.ts'
import { secondsOf } from './packet-times.ts'
import { softwareEncoder } from './video-codecs.ts'
import { factsOfFrame, FOR_DISPLAY, videoFilters } from './video-filters.ts'
import { encodeSample, type Sample } from './sample.ts'

/** Settings for one packet per frame, in presentation order, so that the window can decode frames on demand. */
const PACKING: EncoderSettings = {
  encoder: 'libvpx-vp9',
  options: {
    lossless: '1',
    deadline: 'realtime',
    'cpu-used': '8',
    'row-mt': '1',
    'tile-columns': '2',
    'lag-in-frames': '0',
    'auto-alt-ref': '0',
  },
  bitrate: undefined,
  lossless: true,
  leastSide: 2,
}

/** Options for both sides. They are the same, so that only the recipe causes differences. */
export type TrackOptions = {
  readonly rate: IRational
  /** Timestamp at which the sample starts, in seconds. */
  readonly zero: number
}

/** @param frames in presentation order, all with the same size and format; the caller must free them */
export async function previewTrackOf(
  frames: readonly TimedFrame[],
  { rate, zero }: TrackOptions,
): Promise<VideoTrack> {
  using shown = await forWindow(frames)
  const [{ frame: first }] = shown.frames
  using encoded = await encodeSample({ frames: shown.frames, rate }, softwareEncoder(PACKING))
  const packets = encoded.packets.map(({ data }) => data ?? Buffer.alloc(0))
  return {
    width: first.width,
    height: first.height,
    pictures: shown.frames.map((one, index) => ({
      seconds: Math.max(0, secondsOf(one) - zero),
      bytes: packets[index]?.length ?? 0,
    })),
    bytes: new Uint8Array(Buffer.concat(packets)),
    colors: colorsOf(first),
  }
}

/** Converts frames for the window: SDR, 8 bits, no transparency. */
async function forWindow(frames: readonly TimedFrame[]): Promise<Disposable & Pick<Sample, 'frames'>> {
  const [first] = frames
  if (first === undefined) throw damagedFile('partNotDecodable')
  const filters = videoFilters(factsOfFrame(first.frame), VideoRecipe.parse({}), undefined, FOR_DISPLAY)
  const isWide = first.frame.colorSpace === AVCOL_SPC_BT2020_NCL
  const toHd = isWide ? ',scale=out_color_matrix=bt709,format=yuv420p' : ''
  const [begin, ...rest] = await filterAgain(frames, `${filters}${toHd}`)
  if (begin === undefined) throw failed('frameNotChanged')
  return {
    frames: [begin, ...rest],
    [Symbol.dispose]() {
      for (const { frame } of [begin, ...rest]) frame.free()
    },
  }
}

/** Height from which players assume HD colors (BT.709), unless the file specifies its colors. */
const HIGH_DEFINITION = 720

function colorsOf({ colorSpace, height }: Frame): VideoColors {
  if (colorSpace === AVCOL_SPC_BT709) return 'bt709'
  if (colorSpace === AVCOL_SPC_BT470BG || colorSpace === AVCOL_SPC_SMPTE170M) return 'smpte170m'
  return height < HIGH_DEFINITION ? 'smpte170m' : 'bt709'
}
