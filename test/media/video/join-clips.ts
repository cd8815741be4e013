/** Joins videos as careless programs do: their packets one after the other, in one track. */
import { AVMEDIA_TYPE_VIDEO, AV_NOPTS_VALUE } from 'node-av/constants'
import { Dictionary, FormatContext, type Stream } from 'node-av/lib'
import { check, openClip, packetsIn } from './open-clip.ts'

/**
 * @param paths videos whose keyframes contain their dimensions, such as VP9
 * @param begin time at which each one starts, in seconds
 * @param options of the muxer
 */
export async function joinClips(
  paths: readonly string[],
  joined: string,
  begin: (index: number) => number,
  options: Readonly<Record<string, string>> = {},
): Promise<void> {
  await using output = new FormatContext()
  check(output.allocOutputContext2(null, null, `file:${joined}`))
  check(await output.openOutput())
  let target: Stream | undefined
  for (const [index, path] of paths.entries()) {
    await using input = await openClip(path)
    const source = input.streams.find(({ codecpar }) => codecpar.codecType === AVMEDIA_TYPE_VIDEO)
    if (source === undefined) throw new Error('no video to join')
    if (target === undefined) {
      target = output.newStream()
      check(source.codecpar.copy(target.codecpar))
      target.codecpar.codecTag = 0
      target.timeBase = source.timeBase
      using written = Dictionary.fromObject({ ...options })
      check(await output.writeHeader(written))
    }
    const shift = BigInt(Math.round((begin(index) * source.timeBase.den) / source.timeBase.num))
    for (const packet of packetsIn(input)) {
      if (packet.streamIndex !== source.index) continue
      if (packet.pts !== AV_NOPTS_VALUE) packet.pts += shift
      if (packet.dts !== AV_NOPTS_VALUE) packet.dts += shift
      packet.rescaleTs(source.timeBase, target.timeBase)
      packet.streamIndex = target.index
      check(await output.writeFrame(packet))
    }
  }
  check(await output.writeTrailer())
}
