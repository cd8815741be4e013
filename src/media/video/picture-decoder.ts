/** Opens what turns a video track's packets into pictures. */
import { AV_PKT_DATA_DOVI_CONF, FF_DECODER_LIBVPX_VP8, FF_DECODER_LIBVPX_VP9 } from 'node-av/constants'
import { Codec, CodecContext, type Stream } from 'node-av/lib'
import { ProcessingError } from '../protocol.ts'
import { mustSucceed } from './media-failure.ts'
import { codecName } from './source-file.ts'
import { withOptions } from './with-options.ts'

/** More than any camera makes; a header that promises more is meant to exhaust the memory. */
const MOST_PIXELS = 16_384 * 8_192

/** FFmpeg's own VP8 and VP9 decoders drop transparency; libvpx keeps it. */
function decoderFor(stream: Stream): Codec | null {
  if (stream.metadata?.get('alpha_mode') === '1') {
    const name = codecName(stream)
    if (name === 'vp9') return Codec.findDecoderByName(FF_DECODER_LIBVPX_VP9)
    if (name === 'vp8') return Codec.findDecoderByName(FF_DECODER_LIBVPX_VP8)
  }
  return Codec.findDecoder(stream.codecpar.codecId)
}

/** The third byte of the Dolby Vision configuration. */
const DOLBY_PROFILE_BYTE = 2
/** This one has colours of its own kind and no picture beneath that ordinary decoders show rightly. */
const DOLBY_PROFILE_ALONE = 5

function refuseUnknownColours(stream: Stream): void {
  const configuration = stream.codecpar.getCodedSideData(AV_PKT_DATA_DOVI_CONF)
  if (configuration?.[DOLBY_PROFILE_BYTE] !== DOLBY_PROFILE_ALONE) return
  throw new ProcessingError('The colours of Dolby Vision profile 5 can’t be converted.')
}

/** @throws ProcessingError where the pictures can't be decoded, or not with their right colours */
export async function openPictureDecoder(stream: Stream): Promise<CodecContext> {
  refuseUnknownColours(stream)
  const codec = decoderFor(stream)
  if (codec === null)
    throw new ProcessingError(`There is no decoder for ${codecName(stream).toUpperCase()} video.`)
  const decoder = new CodecContext()
  decoder.allocContext3(codec)
  mustSucceed(decoder.parametersToContext(stream.codecpar), 'decoded')
  decoder.pktTimebase = stream.timeBase
  // The library's default is one thread; 0 is one for each core, pictures and slices alike.
  decoder.threadCount = 0
  const opened = await withOptions({ max_pixels: MOST_PIXELS }, (options) => decoder.open2(codec, options))
  mustSucceed(opened, 'decoded')
  return decoder
}
