/** For encoders that only take pictures which lie in the memory of their graphics chip: brings them there. */
import { AV_HWDEVICE_TYPE_VAAPI, AV_PIX_FMT_VAAPI, type AVPixelFormat } from 'node-av/constants'
import { type Frame, HardwareDeviceContext, HardwareFramesContext } from 'node-av/lib'
import { mustSucceed } from '../ffmpeg/ffmpeg.ts'
import type { PictureEncoder } from './picture-encoder.ts'
import { newFrame } from './picture-stages.ts'

/** Pictures that an encoder may keep while it looks ahead, and the one that is on its way. */
const PICTURES_THERE = 32

/** @throws where this computer has no such chip, or it doesn't take pictures of this kind */
export function openChipMemory(
  { width, height }: Pick<Frame, 'width' | 'height'>,
  pixelFormat: AVPixelFormat,
): HardwareFramesContext {
  const chip = new HardwareDeviceContext()
  try {
    // The first that the system has.
    mustSucceed(chip.create(AV_HWDEVICE_TYPE_VAAPI, null), 'encoded')
    const memory = new HardwareFramesContext()
    memory.alloc(chip)
    memory.format = AV_PIX_FMT_VAAPI
    memory.swFormat = pixelFormat
    memory.width = width
    memory.height = height
    memory.initialPoolSize = PICTURES_THERE
    const opened = memory.init()
    if (opened < 0) memory.free()
    mustSucceed(opened, 'encoded')
    return memory
  } finally {
    // The memory holds on to it.
    chip.free()
  }
}

/** @param memory goes with the encoder */
export function uploading(
  encoder: PictureEncoder,
  memory: Pick<HardwareFramesContext, 'getBuffer' | 'transferData' | 'free'>,
): PictureEncoder {
  return {
    ...encoder,
    async send(frame) {
      if (frame === null) return encoder.send(null)
      const there = newFrame()
      try {
        mustSucceed(memory.getBuffer(there), 'encoded')
        mustSucceed(await memory.transferData(there, frame), 'encoded')
        mustSucceed(there.copyProps(frame), 'encoded')
        return await encoder.send(there)
      } finally {
        there.free()
      }
    },
    free() {
      encoder.free()
      memory.free()
    },
  }
}
