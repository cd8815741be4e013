/** Uploads frames to GPU memory, for hardware encoders that don't accept frames in system memory. */
import { AV_HWDEVICE_TYPE_VAAPI, AV_PIX_FMT_VAAPI, type AVPixelFormat } from 'node-av/constants'
import { type Frame, HardwareDeviceContext, HardwareFramesContext } from 'node-av/lib'
import { mustSucceed, newFrame } from '../ffmpeg/ffmpeg.ts'
import type { VideoEncoder } from './video-encoder.ts'

/** Number of frames that an encoder may hold for lookahead, plus the one being uploaded. */
const GPU_FRAMES = 32

/** @throws if this computer doesn't have a GPU with VA-API, or the GPU doesn't support frames of this size and format */
export function openGpuMemory(
  { width, height }: Pick<Frame, 'width' | 'height'>,
  pixelFormat: AVPixelFormat,
): HardwareFramesContext {
  // Needed only until the frames context has its own reference.
  using hardware = new HardwareDeviceContext()
  // null selects the system's first device.
  mustSucceed(hardware.create(AV_HWDEVICE_TYPE_VAAPI, null), 'encoded')
  const memory = new HardwareFramesContext()
  memory.alloc(hardware)
  memory.format = AV_PIX_FMT_VAAPI
  memory.swFormat = pixelFormat
  memory.width = width
  memory.height = height
  memory.initialPoolSize = GPU_FRAMES
  const opened = memory.init()
  if (opened < 0) memory.free()
  mustSucceed(opened, 'encoded')
  return memory
}

/**
 * Returns an encoder that uploads each frame first.
 * @param memory freed with the encoder
 */
export function uploading(
  encoder: VideoEncoder,
  memory: Pick<HardwareFramesContext, 'getBuffer' | 'transferData' | 'free'>,
): VideoEncoder {
  return {
    ...encoder,
    async send(frame) {
      if (frame === null) return encoder.send(null)
      using there = newFrame()
      mustSucceed(memory.getBuffer(there), 'encoded')
      mustSucceed(await memory.transferData(there, frame), 'encoded')
      mustSucceed(there.copyProps(frame), 'encoded')
      return await encoder.send(there)
    },
    [Symbol.dispose]() {
      encoder[Symbol.dispose]()
      memory.free()
    },
  }
}
