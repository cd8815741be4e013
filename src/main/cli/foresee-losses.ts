import { extensionOf } from '../../shared/media-types.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { foreseeOnce } from '../estimate/estimate.ts'
import type { Context } from './context.ts'
import { type ChosenPreset, presetsNamed, withTrials } from './trial-worker.ts'

/**
 * Runs the work and, with the built-in service and a live report, reads headers in parallel. Reports once per preset what the results will
 * lose. Never delays the work. If the work ends first, its outcome shows what was lost.
 * @param changed the changed preset, which replaces the only named one
 */
export async function sayingLosses<Done>(
  context: Context,
  draft: Draft,
  changed: Preset | undefined,
  work: () => Promise<Done>,
): Promise<Done> {
  const { service, report, environment } = context
  if (service.kind === 'external' || !report.isLive) return work()
  const ended = new AbortController()
  const signal = AbortSignal.any([ended.signal, environment.interrupted])
  // A failure to read the losses doesn't affect the work.
  const reading = sayLosses(context, draft, changed, signal).catch(() => undefined)
  try {
    return await work()
  } finally {
    ended.abort()
    await reading
  }
}

async function sayLosses(
  context: Context,
  { source, presets: names, variations }: Draft,
  changed: Preset | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (source.kind !== 'files') return
  const presets = await presetsNamed(context.environment, names.length === 0 ? [null] : names, changed)
  await withTrials(context, async (trials) => {
    for (const preset of presets) {
      if (preset === undefined) continue
      const items = source.items.filter((item) => mayLose(item, preset))
      const draft = { source: { kind: 'files', items }, variations } as const
      const wouldLose = await foreseeOnce(draft, preset, trials, signal)
      if (wouldLose === null) continue
      const ofPreset = names.length > 1 ? { preset: preset.name } : {}
      context.report.say({ event: 'foreseen', wouldLose, ...ofPreset })
    }
  })
}

/**
 * Whether a result may lose something. False for a JPEG that stays a JPEG, because it rarely loses anything. Most jobs contain only such
 * files and therefore don't need a worker.
 */
const mayLose = ({ name, kind }: MediaItem, { image }: ChosenPreset): boolean =>
  kind === 'video' ||
  !/^jpe?g$/.test(extensionOf(name)) ||
  (image?.format !== 'jpeg' && image?.format !== 'same')
