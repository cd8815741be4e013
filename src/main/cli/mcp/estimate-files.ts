import type { EstimateRange } from '../../../shared/model/estimate.ts'
import { foreseenLines } from '../../../shared/i18n/losses.ts'
import { estimatesFromPast, forecastsFromSamples } from '../commands/estimate.ts'
import { t } from '../output/language.ts'
import { Refused } from './access.ts'
import type { Data } from './answer.ts'
import type { AssistantRequest, AssistantSession } from './assistant-session.ts'
import { findInputs } from './find-inputs.ts'
import { presetsOf, requirePreset } from './presets.ts'

export async function estimateFiles(
  session: AssistantSession,
  {
    files,
    preset = null,
  }: { readonly files: readonly string[]; readonly preset?: string | null | undefined },
  request: AssistantRequest,
): Promise<Data> {
  const { context } = session
  const { items } = await findInputs(session, files, request)
  if (preset !== null)
    requirePreset(preset, new Set(items.map(({ kind }) => kind)), await presetsOf(context, request.signal))
  const draft = { source: { kind: 'files', items }, variations: 1 } as const
  const interrupted = AbortSignal.any([context.environment.interrupted, request.signal])
  const cancelable = { ...context, environment: { ...context.environment, interrupted } }
  const [{ estimate, foreseen = null } = { estimate: null }] =
    (context.service.kind === 'builtIn'
      ? await forecastsFromSamples(cancelable, draft, [preset], undefined)
      : estimatesFromPast(context, draft, [preset])) ?? []
  request.signal.throwIfAborted()
  if (estimate === null) throw new Refused('The preset doesn’t apply to any of these files.')
  const losses = foreseen === null ? {} : { wouldLose: foreseenLines(foreseen, t()) }
  if (estimate.kind === 'unknown')
    return {
      files: items.length,
      estimate: 'unknown',
      why: `${t().unknownSize[estimate.why]}.`,
      ...losses,
    }
  const { inputBytes, bytes, milliseconds } = estimate
  return {
    files: items.length,
    inputBytes,
    resultBytes: bytes,
    ...(milliseconds === null ? {} : { seconds: inSeconds(milliseconds) }),
    ...losses,
    note: 'In 80% of cases, the value is between low and high.',
  }
}

const inSeconds = ({ low, likely, high }: EstimateRange): EstimateRange => ({
  low: low / 1_000,
  likely: likely / 1_000,
  high: high / 1_000,
})
