/** Encoders on graphics chips, in the words of each maker. */
import {
  AV_PIX_FMT_NV12,
  AV_PIX_FMT_P010LE,
  AV_PIX_FMT_VAAPI,
  type AVPixelFormat,
  FF_ENCODER_AV1_AMF,
  FF_ENCODER_AV1_NVENC,
  FF_ENCODER_AV1_QSV,
  FF_ENCODER_AV1_VAAPI,
  FF_ENCODER_H264_AMF,
  FF_ENCODER_H264_NVENC,
  FF_ENCODER_H264_QSV,
  FF_ENCODER_H264_VAAPI,
  FF_ENCODER_H264_VIDEOTOOLBOX,
  FF_ENCODER_HEVC_AMF,
  FF_ENCODER_HEVC_NVENC,
  FF_ENCODER_HEVC_QSV,
  FF_ENCODER_HEVC_VAAPI,
  FF_ENCODER_HEVC_VIDEOTOOLBOX,
  type FFVideoEncoder,
} from 'node-av/constants'
import { avGetPixFmtName, Codec } from 'node-av/lib'
import { pixelFormatName } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain } from '../ffmpeg/filter-chain.ts'
import { openChipMemory, uploading } from './chip-memory.ts'
import { type EncoderOpening, openEncoder } from './picture-codecs.ts'
import { encoderOver, type OpenEncoder, type PictureEncoder } from './picture-encoder.ts'
import { sourceOf } from './picture-filters.ts'

export type ChipCodec = 'h264' | 'hevc' | 'av1'

export type ChipWish =
  /** From 0, the finest that the chip has, to 1, its coarsest. */
  | { readonly kind: 'coarseness'; readonly coarseness: number }
  | { readonly kind: 'bitrate'; readonly bitrate: number }

export type Chip = {
  readonly name: string
  /** @returns undefined where the chip can't encode this codec */
  encoder(codec: ChipCodec, wish: ChipWish): OpenEncoder | undefined
}

type Maker = {
  readonly name: string
  readonly encoders: Readonly<Partial<Record<ChipCodec, FFVideoEncoder>>>
  /** Whether it takes pictures only from its own memory. */
  readonly uploads?: true
  settings(codec: ChipCodec, wish: ChipWish): Pick<EncoderOpening, 'options' | 'bitrate' | 'globalQuality'>
}

const between = (finest: number, coarsest: number, share: number): string =>
  String(Math.round(finest + (coarsest - finest) * share))

const NVENC: Maker = {
  name: 'NVENC',
  encoders: { h264: FF_ENCODER_H264_NVENC, hevc: FF_ENCODER_HEVC_NVENC, av1: FF_ENCODER_AV1_NVENC },
  settings: (codec, wish) =>
    wish.kind === 'bitrate'
      ? { options: { rc: 'vbr', preset: 'p5' }, bitrate: wish.bitrate }
      : {
          options: { rc: 'vbr', preset: 'p5', cq: between(1, codec === 'av1' ? 63 : 51, wish.coarseness) },
          bitrate: 0,
        },
}

const QUICK_SYNC: Maker = {
  name: 'QSV',
  encoders: { h264: FF_ENCODER_H264_QSV, hevc: FF_ENCODER_HEVC_QSV, av1: FF_ENCODER_AV1_QSV },
  settings: (_, wish) =>
    wish.kind === 'bitrate'
      ? { options: {}, bitrate: wish.bitrate }
      : { options: { global_quality: between(1, 51, wish.coarseness) }, bitrate: 0 },
}

const AMF: Maker = {
  name: 'AMF',
  encoders: { h264: FF_ENCODER_H264_AMF, hevc: FF_ENCODER_HEVC_AMF, av1: FF_ENCODER_AV1_AMF },
  settings(codec, wish) {
    if (wish.kind === 'bitrate') return { options: { rc: 'vbr_peak' }, bitrate: wish.bitrate }
    const step = between(1, codec === 'av1' ? 255 : 51, wish.coarseness)
    return { options: { rc: 'cqp', qp_i: step, qp_p: step }, bitrate: undefined }
  },
}

/** What the free drivers of Intel and AMD on Linux offer, without a program of the maker. */
const VAAPI: Maker = {
  name: 'VAAPI',
  encoders: { h264: FF_ENCODER_H264_VAAPI, hevc: FF_ENCODER_HEVC_VAAPI, av1: FF_ENCODER_AV1_VAAPI },
  uploads: true,
  settings(codec, wish) {
    if (wish.kind === 'bitrate') return { options: { rc_mode: 'VBR' }, bitrate: wish.bitrate }
    const step = between(1, codec === 'av1' ? 255 : 51, wish.coarseness)
    return { options: { rc_mode: 'CQP', global_quality: step }, bitrate: undefined }
  },
}

/** FFmpeg's FF_QP2LAMBDA, by which it hands the chip's own scale of 1 to 100 on. */
const LAMBDA = 118

const VIDEO_TOOLBOX: Maker = {
  name: 'VideoToolbox',
  encoders: { h264: FF_ENCODER_H264_VIDEOTOOLBOX, hevc: FF_ENCODER_HEVC_VIDEOTOOLBOX },
  settings: (_, wish) =>
    wish.kind === 'bitrate'
      ? { options: {}, bitrate: wish.bitrate }
      : {
          options: {},
          bitrate: undefined,
          globalQuality: Number(between(100, 1, wish.coarseness)) * LAMBDA,
        },
}

const MAKERS: Readonly<Partial<Record<NodeJS.Platform, readonly Maker[]>>> = {
  darwin: [VIDEO_TOOLBOX],
  linux: [NVENC, QUICK_SYNC, AMF, VAAPI],
  win32: [NVENC, QUICK_SYNC, AMF],
}

/** Those that a computer could have; whether it has one shows when it is opened. */
export function chipsHere(platform = process.platform): readonly Chip[] {
  return (MAKERS[platform] ?? []).map((maker) => ({
    name: maker.name,
    encoder: (codec, wish) => encoderOf(maker, codec, wish),
  }))
}

function encoderOf(maker: Maker, codecName: ChipCodec, wish: ChipWish): OpenEncoder | undefined {
  const name = maker.encoders[codecName]
  const codec = name === undefined ? null : Codec.findEncoderByName(name)
  if (codec === null) return undefined
  return async (first, rate) => {
    const pixelFormat = chipFormat(pixelFormatName(first.frame))
    const settings = maker.settings(codecName, wish)
    if (maker.uploads === undefined) {
      const context = await openEncoder({ ...settings, codec, pixelFormat }, first, rate)
      return repacking(encoderOver(context), pixelFormat)
    }
    const memory = openChipMemory(first.frame, pixelFormat)
    try {
      const there = { ...settings, codec, memory, pixelFormat: AV_PIX_FMT_VAAPI }
      const context = await openEncoder(there, first, rate)
      return repacking(uploading(encoderOver(context), memory), pixelFormat)
    } catch (error) {
      memory.free()
      throw error
    }
  }
}

const chipFormat = (pixelFormat: string): AVPixelFormat =>
  pixelFormat.endsWith('10le') ? AV_PIX_FMT_P010LE : AV_PIX_FMT_NV12

/** Chips want both colours of a pixel side by side. */
function repacking(encoder: PictureEncoder, pixelFormat: AVPixelFormat): PictureEncoder {
  let chain: Awaited<ReturnType<typeof createFilterChain>> | undefined
  return {
    ...encoder,
    async send(frame) {
      if (frame === null) return encoder.send(null)
      chain ??= await createFilterChain(
        sourceOf(frame, encoder.context.timeBase),
        `format=${avGetPixFmtName(pixelFormat)}`,
      )
      const copy = frame.clone()
      if (copy === null) throw new Error('There is no memory for another picture')
      await chain.put(copy)
      copy.free()
      let code = 0
      for (const packed of chain.ready()) {
        if (code >= 0) code = await encoder.send(packed)
        packed.free()
      }
      return code
    },
    free() {
      chain?.free()
      encoder.free()
    },
  }
}
