/** Foresees what the result of a video will lose, by the inventory of the best possible result. */
import { type Foresight, NOTHING_FORESEEN } from '../../shared/loss/foreseen.ts'
import type { VideoRecipe } from '../../shared/preset/preset.ts'
import { containerFor, holdsSubtitles } from '../video/container.ts'
import { AS_ASKED, changedSpeeds, undecodableAudio } from '../video/convert-plan.ts'
import { copyingVideo } from '../video/convert-video.ts'
import { hasAudio, keepsEverySample } from '../video/encoder-settings.ts'
import { silence } from '../video/process-video.ts'
import { audioCodec } from '../video/audio-codec.ts'
import { holdsFileBoxes } from '../video/mp4-file-boxes.ts'
import { openSourceFile } from '../video/source-file.ts'
import { withWantedTracks } from '../video/track-languages.ts'
import { keepsAlpha, keepsHdr } from '../video/video-stages.ts'
import { isWithinLimits } from '../video/within-limits.ts'
import { compareInventories, mergeLosses } from './compare-inventories.ts'
import { hasTracks, mostOfVideo, VIDEO_COMPARISONS } from './video-comparisons.ts'
import { videoInventory } from './video-inventory.ts'

/** @throws FailureError if the file isn't a video, or the recipe can't process it */
export async function foreseeInVideo(
  path: string,
  recipe: VideoRecipe,
  signal: AbortSignal,
): Promise<Foresight> {
  if (!hasTracks(recipe)) return NOTHING_FORESEEN
  const { before, after, known } = await inventoriesOf(path, recipe, signal)
  const found = compareInventories(VIDEO_COMPARISONS, before, after, { recipe, isVaried: false })
  return {
    losses: mergeLosses(known, found),
    holds: {
      pages: 1,
      chapters: before.chapters,
      keepsHdr: before.hdr !== 'none' && after.hdr !== 'none' && recipe.hdr === 'keep',
      resultFormat: after.format,
    },
  }
}

/**
 * Takes the inventory of the video, and derives that of the best possible result.
 * @returns the inventories, and losses for audio tracks that can't be decoded and for playback speeds that the result can't keep
 */
async function inventoriesOf(path: string, wanted: VideoRecipe, signal: AbortSignal) {
  silence()
  await using whole = await openSourceFile(path, signal)
  const before = await videoInventory(path, whole)
  const source = withWantedTracks(whole, wanted)
  const recipe = isWithinLimits(source.video, wanted) ? copyingVideo(wanted) : wanted
  const { codec } = recipe
  const isExact = keepsEverySample(wanted)
  const plan = { ...AS_ASKED, isExact }
  const container = containerFor({ recipe, variation: undefined }, source, plan)
  const isCopied = codec === 'copy' || codec === 'none'
  const hasFileBoxes = isCopied && holdsFileBoxes(container)
  const audioIn = (present: string) => {
    const track = { codec: present, format: source.format, mayCopy: true, isExact }
    const way = audioCodec(wanted.audio, track, container)
    return way === 'copy' ? {} : { codec: way, isLossless: way === 'pcm' || way === 'alac' }
  }
  const after = mostOfVideo(before, {
    format: container.title,
    hasAlpha: before.hasAlpha && (isCopied || keepsAlpha({ codec, container })),
    hdr: isCopied || keepsHdr({ codec, recipe, variation: undefined }) ? before.hdr : 'none',
    dolbyVision: before.dolbyVision && isCopied,
    xmp: before.xmp && hasFileBoxes,
    contentCredentials: false,
    metadataBlocks: hasFileBoxes ? before.metadataBlocks : [],
    inFrames: codec === 'copy' ? before.inFrames : [],
    audio: before.audio.map((track) => ({ ...track, ...audioIn(track.codec) })),
    subtitles: before.subtitles.filter((track) => holdsSubtitles(container, track.codec)),
  })
  const undecodable = hasAudio(wanted) ? undecodableAudio(source, wanted, new Set()) : []
  return { before, after, known: [...undecodable, ...changedSpeeds(source, wanted)] }
}
