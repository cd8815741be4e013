/** Overwrites packets of a video, as damaged disks do. */
import { readFile, writeFile } from 'node:fs/promises'
import { FFmpegError, FormatContext } from 'node-av/lib'
import { newPacket } from '../../../src/media/ffmpeg/ffmpeg.ts'

/** @param isSpoiled receives the index of the packet's stream and the packet's time in seconds */
export async function spoilPackets(
  path: string,
  isSpoiled: (stream: number, seconds: number) => boolean,
): Promise<void> {
  const bytes = await readFile(path)
  await using input = new FormatContext()
  FFmpegError.throwIfError(await input.openInput(`file:${path}`))
  const { streams } = input
  for (;;) {
    using packet = newPacket()
    if (input.readFrameSync(packet) < 0) break
    const { num, den } = streams[packet.streamIndex]?.timeBase ?? { num: 0, den: 1 }
    const at = Number(packet.pos)
    if (isSpoiled(packet.streamIndex, (Number(packet.pts) * num) / den))
      bytes.fill(0xff, at, at + packet.size)
  }
  await writeFile(path, bytes)
}
