/** Compares a finished video with its original by their inventories. */
import { failed } from '../../shared/failure/failure-error.ts'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { Loss } from '../../shared/loss/loss.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { newPacket } from '../ffmpeg/ffmpeg.ts'
import { cleanerOf } from '../video/frame-metadata/clean-frames.ts'
import { openSourceFile } from '../video/source-file.ts'
import { compareInventories, mergeLosses } from './compare-inventories.ts'
import type { AudioInventory, VideoInventory } from './inventory.ts'
import { hasTracks, VIDEO_COMPARISONS } from './video-comparisons.ts'
import { videoInventory } from './video-inventory.ts'

/**
 * Returns the finished file with what it lost; unchanged if it is an animated image or only audio.
 * @throws FailureError if the result can't be read, or has metadata that the recipe removes
 */
export async function holdVideo(
  { inputPath, recipe, variation, signal }: FileJob<VideoRecipe>,
  file: FinishedFile,
): Promise<FinishedFile> {
  if (!hasTracks(recipe)) return file
  const isCopied = file.notes.includes('pictures-copied') || recipe.codec === 'copy'
  if (isCopied && !file.notes.includes('encoded-instead')) await requireClean(file, recipe, signal)
  const [whole, after] = [await inventoryOf(inputPath, signal), await inventoryOf(file.temporaryPath, signal)]
  const before = { ...whole, audio: withNamed(whole.audio, file.losses) }
  const asked = { recipe, isVaried: variation !== undefined }
  const found = compareInventories(VIDEO_COMPARISONS, before, after, asked)
  return { ...file, losses: mergeLosses(file.losses, found) }
}

/** Number of packets to search. Programs write metadata into every frame, or into the first frames. */
const PACKETS_SEARCHED = 100

/** @throws FailureError if the header or the first packets of a copied video contain metadata that the recipe removes */
async function requireClean(
  { temporaryPath }: FinishedFile,
  { metadata }: VideoRecipe,
  signal: AbortSignal,
): Promise<void> {
  if (metadata === 'keep') return
  await using result = await openSourceFile(temporaryPath, signal)
  const { extradata } = result.video.codecpar
  const cleaner = cleanerOf(result.video, metadata)
  let isClean = extradata === null || cleaner?.header(extradata) === extradata
  for (let count = 0; isClean && count < PACKETS_SEARCHED; count++) {
    using packet = newPacket()
    if (!(await result.read(packet))) break
    const { data, streamIndex } = packet
    isClean = streamIndex !== result.video.index || data === null || cleaner?.frame(data) === data
  }
  if (!isClean) throw failed('metadataRemains')
}

export async function inventoryOf(path: string, signal: AbortSignal): Promise<VideoInventory> {
  await using source = await openSourceFile(path, signal)
  // The file must stay open until the inventory is complete.
  return await videoInventory(path, source)
}

/** Marks the audio tracks that the conversion left out, so that the comparison doesn't confuse other tracks with them. */
const withNamed = (audio: readonly AudioInventory[], losses: readonly Loss[]): readonly AudioInventory[] =>
  audio.map((track, index) => ({
    ...track,
    isNamed: losses.some(({ code, values }) => code === 'audioTrack' && values.track === index + 1),
  }))
