/** Defines the hardware encoders and each vendor's settings. */
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
import type { HardwareCodec } from '../../shared/video-cores.ts'
import { cloneOf, pixelFormatName } from '../ffmpeg/ffmpeg.ts'
import { createFilterChain, type FilterChain, sourceOf } from '../ffmpeg/filter-chain.ts'
import { openGpuMemory, uploading } from './gpu-memory.ts'
import { type EncoderOpening, openEncoder } from './video-codecs.ts'
import { encoderOver, type OpenEncoder, type VideoEncoder } from './video-encoder.ts'

export type HardwareRequest =
  /** 0 is the encoder's best quality, 1 is its lowest. */
  | { readonly kind: 'coarseness'; readonly coarseness: number }
  | { readonly kind: 'bitrate'; readonly bitrate: number }

export type HardwareEncoder = {
  readonly name: string
  /** @returns undefined if this kind of encoder doesn't exist for the codec, or this build of FFmpeg lacks it */
  encoder(codec: HardwareCodec, request: HardwareRequest): OpenEncoder | undefined
}

type Maker = {
  readonly name: string
  readonly encoders: Readonly<Partial<Record<HardwareCodec, FFVideoEncoder>>>
  /** Set if frames must be uploaded to GPU memory. */
  readonly uploads?: true
  /** Options for a bit rate. */
  readonly forBitrate: EncoderOpening['options']
  /** @param coarseness 0 is the best quality, 1 is the lowest */
  atQuality(
    coarseness: number,
    codec: HardwareCodec,
  ): Pick<EncoderOpening, 'options' | 'bitrate' | 'globalQuality'>
}

const settingsOf = (maker: Maker, codec: HardwareCodec, request: HardwareRequest) =>
  request.kind === 'bitrate'
    ? { options: maker.forBitrate, bitrate: request.bitrate }
    : maker.atQuality(request.coarseness, codec)

const between = (finest: number, coarsest: number, share: number): string =>
  String(Math.round(finest + (coarsest - finest) * share))

const NVENC: Maker = {
  name: 'NVENC',
  encoders: { h264: FF_ENCODER_H264_NVENC, hevc: FF_ENCODER_HEVC_NVENC, av1: FF_ENCODER_AV1_NVENC },
  forBitrate: { rc: 'vbr', preset: 'p5' },
  atQuality(coarseness, codec) {
    const cq = between(1, codec === 'av1' ? 63 : 51, coarseness)
    return { options: { rc: 'vbr', preset: 'p5', cq }, bitrate: 0 }
  },
}

const QUICK_SYNC: Maker = {
  name: 'QSV',
  encoders: { h264: FF_ENCODER_H264_QSV, hevc: FF_ENCODER_HEVC_QSV, av1: FF_ENCODER_AV1_QSV },
  forBitrate: {},
  atQuality: (coarseness) => ({ options: { global_quality: between(1, 51, coarseness) }, bitrate: 0 }),
}

const AMF: Maker = {
  name: 'AMF',
  encoders: { h264: FF_ENCODER_H264_AMF, hevc: FF_ENCODER_HEVC_AMF, av1: FF_ENCODER_AV1_AMF },
  forBitrate: { rc: 'vbr_peak' },
  atQuality(coarseness, codec) {
    const step = between(1, codec === 'av1' ? 255 : 51, coarseness)
    return { options: { rc: 'cqp', qp_i: step, qp_p: step }, bitrate: undefined }
  },
}

/** Works with the open-source Intel and AMD drivers on Linux, without vendor software. */
const VAAPI: Maker = {
  name: 'VAAPI',
  encoders: { h264: FF_ENCODER_H264_VAAPI, hevc: FF_ENCODER_HEVC_VAAPI, av1: FF_ENCODER_AV1_VAAPI },
  uploads: true,
  forBitrate: { rc_mode: 'VBR' },
  atQuality(coarseness, codec) {
    const step = between(1, codec === 'av1' ? 255 : 51, coarseness)
    return { options: { rc_mode: 'CQP', global_quality: step }, bitrate: undefined }
  },
}

/** FFmpeg's FF_QP2LAMBDA, which scales VideoToolbox's own range of 1 to 100. */
const LAMBDA = 118

const VIDEO_TOOLBOX: Maker = {
  name: 'VideoToolbox',
  encoders: { h264: FF_ENCODER_H264_VIDEOTOOLBOX, hevc: FF_ENCODER_HEVC_VIDEOTOOLBOX },
  forBitrate: {},
  atQuality: (coarseness) => ({
    options: {},
    bitrate: undefined,
    globalQuality: Number(between(100, 1, coarseness)) * LAMBDA,
  }),
}

const MAKERS: Readonly<Partial<Record<NodeJS.Platform, readonly Maker[]>>> = {
  darwin: [VIDEO_TOOLBOX],
  linux: [NVENC, QUICK_SYNC, AMF, VAAPI],
  win32: [NVENC, QUICK_SYNC, AMF],
}

/**
 * Returns the hardware encoders that may exist on this platform. Only opening an encoder shows whether the computer has it.
 */
export function possibleHardware(platform = process.platform): readonly HardwareEncoder[] {
  return (MAKERS[platform] ?? []).map((maker) => ({
    name: maker.name,
    encoder: (codec, request) => encoderOf(maker, codec, request),
  }))
}

function encoderOf(
  maker: Maker,
  codecName: HardwareCodec,
  request: HardwareRequest,
): OpenEncoder | undefined {
  const name = maker.encoders[codecName]
  const codec = name === undefined ? null : Codec.findEncoderByName(name)
  if (codec === null) return undefined
  return async (first, rate) => {
    const pixelFormat = hardwareFormat(pixelFormatName(first.frame))
    const settings = settingsOf(maker, codecName, request)
    if (maker.uploads === undefined) {
      const context = await openEncoder({ ...settings, codec, pixelFormat }, first, rate)
      return repacking(encoderOver(context), pixelFormat)
    }
    const memory = openGpuMemory(first.frame, pixelFormat)
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

const hardwareFormat = (pixelFormat: string): AVPixelFormat =>
  pixelFormat.endsWith('10le') ? AV_PIX_FMT_P010LE : AV_PIX_FMT_NV12

/** Converts frames to semi-planar formats (interleaved chroma), which hardware encoders require. */
function repacking(encoder: VideoEncoder, pixelFormat: AVPixelFormat): VideoEncoder {
  let chain: FilterChain | undefined
  return {
    ...encoder,
    async send(frame) {
      if (frame === null) return encoder.send(null)
      chain ??= await createFilterChain(
        sourceOf(frame, encoder.context.timeBase),
        `format=${avGetPixFmtName(pixelFormat)}`,
      )
      using copy = cloneOf(frame)
      await chain.put(copy)
      let code = 0
      for (const packed of chain.ready()) {
        if (code >= 0) code = await encoder.send(packed)
        packed.free()
      }
      return code
    },
    [Symbol.dispose]() {
      chain?.[Symbol.dispose]()
      encoder[Symbol.dispose]()
    },
  }
}
