/** The calls about previews of a preset's effect. */
import * as z from 'zod'
import type { MediaItem } from '../model/media-item.ts'
import type {
  PreviewComparison,
  PreviewFiles,
  PreviewPart,
  PreviewQuality,
  PreviewWhole,
} from '../model/preview.ts'
import { comparisonRequest, mediaKind, path, previewRequest } from './arguments.ts'
import { gives, takes, type Contract } from './call.ts'

export const previewCalls = {
  files: takes(mediaKind).gives<PreviewFiles>(),
  /** Opens a file dialog. Returns null if the user dismissed it or chose a file of another kind. */
  choose: takes(mediaKind).gives<MediaItem | null>(),
  /** Uses the first photo or video. Accepts only paths returned by `pathForFile`; the preload drops all others. */
  bring: takes(z.array(path).max(1_000)).gives<MediaItem | null>(),
  part: takes(previewRequest).gives<PreviewPart>(),
  whole: takes(previewRequest).gives<PreviewWhole>(),
  /** Measures the photo that `whole` has just shown. */
  quality: gives<PreviewQuality>(),
  compare: takes(comparisonRequest).gives<PreviewComparison>(),
  /** Ends the preview after its view has been closed. */
  stop: gives<void>(),
} as const satisfies Contract[string]
