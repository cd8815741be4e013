import type { KeepingFormat } from '../../../shared/loss/loss.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Page } from './page.ts'

/**
 * Stores a copy of a preset with another format, for a single job.
 * @param preset null for the basic defaults
 * @returns the name of the changed preset
 * @throws UserFacingError if the preset is gone
 */
export async function presetWithFormat(
  { presets, t }: Pick<Page, 'presets' | 't'>,
  preset: string | null,
  format: KeepingFormat,
): Promise<string> {
  const path = format === 'mkv' || format === 'mp4' ? 'video.container' : 'image.format'
  const changed = await presets.keepChanged(preset, [{ path, value: format }], format.toUpperCase())
  if (changed === undefined) throw new UserFacingError('presetGone', t().error.presetGone)
  return changed
}
