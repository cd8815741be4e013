/** Holds a finished video against its original: takes both inventories and compares them. */
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import type { Loss } from '../../shared/loss/loss.ts'
import type { FileJob, FinishedFile } from '../protocol.ts'
import { openSourceFile } from '../video/source-file.ts'
import { compareInventories, mergeLosses } from './compare-inventories.ts'
import type { AudioInventory, VideoInventory } from './inventory.ts'
import { hasTracks } from './video-comparisons.ts'
import { videoInventory } from './video-inventory.ts'

/**
 * @returns the finished file with what it lost
 * @throws FailureError if the result can't be read
 */
export async function holdVideo(
  { inputPath, recipe, variation, signal }: FileJob<VideoRecipe>,
  file: FinishedFile,
): Promise<FinishedFile> {
  if (!hasTracks(recipe)) return file
  const [whole, after] = [await inventoryOf(inputPath, signal), await inventoryOf(file.temporaryPath, signal)]
  const before = { ...whole, audio: withNamed(whole.audio, file.losses) }
  const asked = { recipe: { kind: 'video', video: recipe }, isVaried: variation !== undefined } as const
  return { ...file, losses: mergeLosses(file.losses, compareInventories(before, after, asked)) }
}

export async function inventoryOf(path: string, signal: AbortSignal): Promise<VideoInventory> {
  await using source = await openSourceFile(path, signal)
  // The file must stay open until the inventory is complete.
  return await videoInventory(path, source)
}

/** Marks the audio tracks that the conversion left out, so that the comparison doesn't take other tracks for them. */
const withNamed = (audio: readonly AudioInventory[], losses: readonly Loss[]): readonly AudioInventory[] =>
  audio.map((track, index) => ({
    ...track,
    isNamed: losses.some(({ code, values }) => code === 'audioTrack' && values.track === index + 1),
  }))
