/** Losses that the user has called fine: they are no longer listed for their preset. Originals are kept all the same. */
import type { PartTitle } from '../model/job.ts'
import type { LossCode } from './loss.ts'

/** By the preset's name, '' for the basic defaults. */
type Fine = { readonly fineLosses: Readonly<Record<string, readonly LossCode[]>> }

export const fineLossesOf = ({ fineLosses }: Fine, preset: string | null): readonly LossCode[] =>
  fineLosses[preset ?? ''] ?? []

/** A job with several presets lists everything that its results lost. */
export const fineLossesIn = (
  settings: Fine,
  { place, preset }: Pick<PartTitle, 'place' | 'preset'>,
): readonly LossCode[] => (place.presets > 1 ? [] : fineLossesOf(settings, preset))

/** Lists a loss for a preset, or no longer lists it. */
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
