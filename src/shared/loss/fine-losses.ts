/**
 * Losses that the user has marked as fine, so that they are no longer listed for a preset. *Replace the originals* still keeps an original
 * whose result has such a loss.
 */
import type { PartTitle } from '../model/job.ts'
import type { LossCode } from './loss.ts'

/** By the preset's name, '' for the basic defaults. */
type Fine = { readonly fineLosses: Readonly<Record<string, readonly LossCode[]>> }

export const fineLossesOf = ({ fineLosses }: Fine, preset: string | null): readonly LossCode[] =>
  fineLosses[preset ?? ''] ?? []

/** Returns the losses that a job doesn't list. A job with several presets lists all losses. */
export const fineLossesIn = (
  settings: Fine,
  { place, preset }: Pick<PartTitle, 'place' | 'preset'>,
): readonly LossCode[] => (place.presets > 1 ? [] : fineLossesOf(settings, preset))

/** Returns the fine losses after a preset's loss has been added or removed. */
export function withFineLoss(
  { fineLosses }: Fine,
  preset: string | null,
  code: LossCode,
  isFine: boolean,
): { readonly fineLosses: Record<string, LossCode[]> } {
  const others = (fineLosses[preset ?? ''] ?? []).filter((one) => one !== code)
  const changed = { ...fineLosses, [preset ?? '']: isFine ? [...others, code] : others }
  return {
    fineLosses: Object.fromEntries(Object.entries(changed).map(([name, codes]) => [name, [...codes]])),
  }
}
