/** Overwrites packets of a video, as damaged disks do. */
import { readFile, writeFile } from 'node:fs/promises'
import { openClip, packetsIn, secondsOf } from './open-clip.ts'

/** @param isSpoiled receives the index of the packet's stream and the packet's time in seconds */
export async function spoilPackets(
  path: string,
  isSpoiled: (stream: number, seconds: number) => boolean,
): Promise<void> {
  const bytes = await readFile(path)
  await using input = await openClip(path)
  for (const packet of packetsIn(input)) {
    const at = Number(packet.pos)
    if (isSpoiled(packet.streamIndex, secondsOf(packet, input.streams[packet.streamIndex]!)))
      bytes.fill(0xff, at, at + packet.size)
  }
  await writeFile(path, bytes)
}
