/** Adds a data track to a file, as cameras write it for telemetry. */
import { readFile, writeFile } from 'node:fs/promises'
import { AV_CODEC_ID_BIN_DATA, AVMEDIA_TYPE_DATA } from 'node-av/constants'
import { FFmpegError, FormatContext, Rational } from 'node-av/lib'
import { newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'

/** The only one that FFmpeg writes: GoPro's. */
const WRITTEN = 'gpmd'

/**
 * @param path of an MP4 or QuickTime file to create
 * @param type of the samples, four letters
 * @param samples shown for a tenth of a second each
 */
export async function withData(
  sourcePath: string,
  path: string,
  type: string,
  samples: readonly Buffer[],
): Promise<void> {
  await mux(sourcePath, path, samples)
  if (type === WRITTEN) return
  const bytes = await readFile(path)
  bytes.write(type, bytes.lastIndexOf(WRITTEN), 'latin1')
  await writeFile(path, bytes)
}

async function mux(sourcePath: string, path: string, samples: readonly Buffer[]): Promise<void> {
  await using input = new FormatContext()
  check(await input.openInput(`file:${sourcePath}`))
  check(await input.findStreamInfo())
  await using output = new FormatContext()
  check(output.allocOutputContext2(null, null, `file:${path}`))
  check(await output.openOutput())
  for (const source of input.streams) {
    const stream = output.newStream()
    check(source.codecpar.copy(stream.codecpar))
    stream.codecpar.codecTag = 0
    stream.timeBase = source.timeBase
  }
  const data = output.newStream()
  data.codecpar.codecType = AVMEDIA_TYPE_DATA
  data.codecpar.codecId = AV_CODEC_ID_BIN_DATA
  data.codecpar.codecTag = WRITTEN
  data.timeBase = new Rational(1, 10)
  check(await output.writeHeader())
  for (const [index, sample] of samples.entries()) {
    using packet = newPacket()
    packet.data = sample
    packet.pts = packet.dts = BigInt(index)
    packet.duration = 1n
    packet.rescaleTs({ num: 1, den: 10 }, data.timeBase)
    packet.streamIndex = data.index
    check(output.interleavedWriteFrameSync(packet))
  }
  for (;;) {
    using packet = newPacket()
    if (input.readFrameSync(packet) < 0) break
    const [source, stream] = [input.streams[packet.streamIndex], output.streams[packet.streamIndex]]
    if (source === undefined || stream === undefined) continue
    packet.rescaleTs(source.timeBase, stream.timeBase)
    check(output.interleavedWriteFrameSync(packet))
  }
  check(await output.writeTrailer())
}

function check(code: number): void {
  FFmpegError.throwIfError(code)
}
