/**
 * Moving pictures for a window: VP9, which every Chromium decodes without help of the system, and without loss, so that each
 * pixel is what a player of the result would show. A film of one's own never meets a decoder of the window.
 */
import {
  AV_FRAME_DATA_DISPLAYMATRIX,
  AVCOL_SPC_BT2020_NCL,
  AVCOL_SPC_BT470BG,
  AVCOL_SPC_BT709,
  AVCOL_SPC_SMPTE170M,
} from 'node-av/constants'
import type { Frame, IRational } from 'node-av/lib'
import type { FilmColours, FilmTrack } from '../../shared/model/preview.ts'
import { VideoRecipe } from '../../shared/preset/preset.ts'
import { createFilterChain } from '../ffmpeg/filter-chain.ts'
import { ProcessingError } from '../protocol.ts'
import type { EncoderSettings } from './encoder-settings.ts'
import { softwareEncoder } from './picture-codecs.ts'
import { factsOfFrame, pictureFilters, sourceOf } from './picture-filters.ts'
import type { FilteredPicture } from './picture-stages.ts'
import { encodeSample } from './sample.ts'

/** Each picture in one packet, in the order in which they are shown: the window decodes them as it needs them. */
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

/** Both sides pass the same packing, so that what differs is the recipe's. */
export type TrackOptions = {
  readonly rate: IRational
  /** What the pictures' own clock shows where the sample begins, in seconds. */
  readonly zero: number
}

/** @param pictures in the order of time, all of one shape; they stay the caller's to free */
export async function filmTrackOf(
  pictures: readonly FilteredPicture[],
  { rate, zero }: TrackOptions,
): Promise<FilmTrack> {
  const shown = await forWindow(pictures)
  try {
    const [first] = shown
    if (first === undefined) throw new ProcessingError('The file is damaged: a part of it can’t be decoded.')
    const encoded = await encodeSample({ pictures: shown, rate }, softwareEncoder(PACKING))
    try {
      const packets = encoded.packets.map(({ data }) => data ?? Buffer.alloc(0))
      return {
        width: first.frame.width,
        height: first.frame.height,
        pictures: shown.map(({ frame: { pts }, timeBase: { num, den } }, index) => ({
          seconds: Math.max(0, (Number(pts) * num) / den - zero),
          bytes: packets[index]?.length ?? 0,
        })),
        bytes: new Uint8Array(Buffer.concat(packets)),
        colours: coloursOf(first.frame),
      }
    } finally {
      encoded.free()
    }
  } finally {
    for (const { frame } of shown) frame.free()
  }
}

type Shown = [FilteredPicture, ...FilteredPicture[]]

/** As ordinary screens show them: eight bits, no transparency, no more brightness than they have. */
async function forWindow(pictures: readonly FilteredPicture[]): Promise<Shown> {
  const [first] = pictures
  if (first === undefined) throw new ProcessingError('The file is damaged: a part of it can’t be decoded.')
  const filters = pictureFilters(factsOfFrame(first.frame, null), VideoRecipe.parse({}), undefined, {
    keepAlpha: false,
    bitDepth: 8,
    keepHdr: false,
    lossless: false,
    leastSide: 2,
    losslessFormats: [],
  })
  const isWide = first.frame.colorSpace === AVCOL_SPC_BT2020_NCL
  const chain = await createFilterChain(
    sourceOf(first.frame, first.timeBase),
    isWide ? `${filters},scale=out_color_matrix=bt709,format=yuv420p` : filters,
  )
  const ready: FilteredPicture[] = []
  const take = () => {
    for (const frame of chain.ready()) ready.push({ frame, timeBase: chain.timeBase })
  }
  try {
    for (const { frame } of pictures) {
      const copy = frame.clone()
      if (copy === null) throw new Error('There is no memory for another picture')
      copy.removeSideData(AV_FRAME_DATA_DISPLAYMATRIX)
      await chain.put(copy)
      copy.free()
      take()
    }
    await chain.put(null)
    take()
    const [begin, ...rest] = ready
    if (begin === undefined) throw new ProcessingError('The picture could not be changed.')
    return [begin, ...rest]
  } catch (error) {
    for (const { frame } of ready) frame.free()
    throw error
  } finally {
    chain.free()
  }
}

/** The height from which players take colours for those of high definition, where a file doesn't say. */
const HIGH_DEFINITION = 720

function coloursOf({ colorSpace, height }: Frame): FilmColours {
  switch (colorSpace) {
    case AVCOL_SPC_BT709:
      return 'bt709'
    case AVCOL_SPC_BT470BG:
    case AVCOL_SPC_SMPTE170M:
      return 'smpte170m'
    default:
      return height < HIGH_DEFINITION ? 'smpte170m' : 'bt709'
  }
}
