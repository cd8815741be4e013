import { useMemo } from 'preact/hooks'
import {
  areAllRestored,
  isInVault,
  type ReplacedCounts,
  type Replacement,
} from '../../shared/model/replacement.ts'
import type { Job, PartDetails, ReplacingPart } from '../../shared/model/job.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { endOf } from '../../shared/model/job-outcome.ts'
import { stateOf } from '../../shared/model/job-state.ts'
import type { KeepingFormat, Loss } from '../../shared/loss/loss.ts'
import { namedKindOf } from '../../shared/media-types.ts'
import { lossKinds } from '../../shared/i18n/losses.ts'
import { keptBelow, presetName } from '../../shared/i18n/sentences.ts'
import { baseName } from '../../shared/paths.ts'
import { useViewTranslation, useView } from '../store/app.ts'
import { when } from '../store/dates.ts'
import { RESTORED_SIGN } from '../store/job-signs.ts'
import { askToReplaceAnyway, replaceAgain, undoReplacing } from '../store/restore-originals.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useSizes } from './compare.tsx'
import { HookNotes } from './hook-notes.tsx'
import { keepingFormat, UseFormat } from './lost.tsx'
import { SizeChange, sizeTotals } from './size-change.tsx'
import { Section, Summary } from './summary.tsx'
import './replaced.css'

type ReplacedProps = {
  readonly job: Job
  readonly details: PartDetails
  readonly counts: ReplacedCounts
}

/** Shows which originals an ended job replaced or kept, and which were restored. */
export function ReplacedOriginals(props: ReplacedProps) {
  const t = useViewTranslation()
  const { details, counts } = props
  const kept = details.replacements.filter(({ state }) => state.kind === 'kept')
  const others = details.replacements.filter(({ state }) => state.kind !== 'kept' && state.kind !== 'waiting')
  const restored = counts.restored === 0 ? [] : [t.replacedJob.restoredCount({ count: counts.restored })]
  return (
    <>
      <ReplacedSummary {...props} />
      <HookNotes details={details} />
      <Originals details={details} title={t.replacedJob.kept} count={t.number(kept.length)} all={kept} />
      <Originals
        details={details}
        title={counts.replaced === 0 ? t.replacedJob.restored : t.replacedJob.replaced}
        count={
          counts.replaced === 0
            ? t.number(counts.restored)
            : t.listed([t.number(counts.replaced), ...restored])
        }
        all={others}
      />
    </>
  )
}

function ReplacedSummary({ job, details, counts }: ReplacedProps) {
  const { app, t } = useView()
  const { endedAt, outcome } = endOf(job)
  const started = details.facts.startedAt
  const { replaced, kept, restored } = counts
  const isRestored = areAllRestored(counts)
  const all = replaced + kept + restored
  const vault = useVaultSentence(details.replacements, isRestored)
  const isCancelled = outcome?.kind === 'cancelled'
  const change = useSizeChange(details)
  const presets = t.listed([...new Set(partsOf(details).map(({ preset }) => presetName(preset, t)))])
  const line = isRestored ? restoredLine() : endedLine()
  return (
    <Summary
      state={stateOf(job)}
      {...(isRestored ? { sign: RESTORED_SIGN } : {})}
      text={
        isRestored
          ? t.replacedJob.allRestored
          : (isCancelled ? t.replacedJob.cancelledReplaced : t.replacedJob.doneReplaced)({
              replaced,
              count: all,
            })
      }
    >
      <p class="summary-line">{isRestored ? t.sentences([line ?? '', vault]) : line}</p>
      <p class="summary-line">{isRestored ? presets : t.sentences([presets, vault])}</p>
    </Summary>
  )

  /** "Today 12:04. 82.1 MB became 12.9 MB, after 3 min 12 s." */
  function endedLine(): string | null {
    if (endedAt === null) return null
    const at = when(app, endedAt)
    const time = started === null ? null : t.duration(endedAt - started)
    if (change === null)
      return time === null ? t.details.at({ when: at }) : t.details.after({ when: at, time })
    return time === null
      ? t.details.became({ when: at, ...change })
      : t.replacedJob.becameAfter({ when: at, ...change, time })
  }

  function restoredLine(): string | null {
    const times = details.replacements.flatMap(({ state }) =>
      state.kind === 'restored' && state.restoredAt !== null ? [state.restoredAt] : [],
    )
    return times.length === 0 ? endedLine() : t.details.at({ when: when(app, Math.max(...times)) })
  }
}

/** An original, and the part of the job that processed it. */
type Original = { readonly input: MediaItem; readonly part: ReplacingPart }

/** Returns all parts whose originals are listed. */
const partsOf = (details: PartDetails): readonly ReplacingPart[] => [
  details,
  ...(details.otherReplacing ?? []),
]

/** Returns the originals of all parts, by path. */
const useOriginals = (details: PartDetails): ReadonlyMap<string, Original> =>
  useMemo(
    () =>
      new Map(
        partsOf(details).flatMap((part) =>
          part.inputs.map((input) => [input.path, { input, part }] as const),
        ),
      ),
    [details],
  )

/** Returns the total sizes of the replaced originals and of their results; null if any size is unknown or no original is replaced. */
function useSizeChange(details: PartDetails) {
  const t = useViewTranslation()
  const replaced = details.replacements.filter(({ state }) => state.kind === 'replaced')
  const sizes = useSizes(replaced.map(placeOf)).value
  const known = useOriginals(details)
  const before = replaced.map(({ path }) => known.get(path)?.input.size)
  const after = replaced.map((one) => sizes.get(placeOf(one)))
  return sizeTotals(before, after, t)
}

/** Returns how long the originals, or the results of restored originals, stay in the vault, or when they were deleted. */
function useVaultSentence(replacements: readonly Replacement[], isRestored: boolean): string {
  const { app, t } = useView()
  const day = (at: number): string => t.day(at, app.now())
  const held = replacements.flatMap(({ state }) =>
    state.kind === 'replaced' || (state.kind === 'restored' && isRestored) ? [state.until] : [],
  )
  const [until] = held.filter((at) => at !== null).toSorted((a, b) => a - b)
  if (held.length > 0) {
    const { resultsUntil, resultsInVault, originalsUntil, originalsInVault } = t.replacedJob
    if (until === undefined) return isRestored ? resultsInVault : originalsInVault
    return (isRestored ? resultsUntil : originalsUntil)({ date: day(until) })
  }
  const expired = replacements.flatMap(({ state }) =>
    state.kind === 'expired' && state.was === 'replaced' ? [state.at] : [],
  )
  return expired.length === 0 ? '' : t.replacedJob.deleted({ date: day(Math.max(...expired)) })
}

function Originals(props: {
  readonly details: PartDetails
  readonly title: string
  readonly count: string
  readonly all: readonly Replacement[]
}) {
  const { details, title, count, all } = props
  const sizes = useSizes(all.map(placeOf))
  const originals = useOriginals(details)
  if (all.length === 0) return null
  return (
    <Section title={title} count={count} compact>
      <ul class="file-list">
        {all.map((one) => (
          <OriginalRow
            key={one.path}
            details={details}
            one={one}
            original={originals.get(one.path)}
            size={sizes.value.get(placeOf(one)) ?? null}
          />
        ))}
      </ul>
    </Section>
  )
}

/** Returns the path of the current file: the result that replaced the original, or the original. */
const placeOf = ({ path, state }: Replacement): string => ('place' in state ? state.place : null) ?? path

type KeptState = Extract<Replacement['state'], { readonly kind: 'kept' }>

function OriginalRow(props: {
  readonly details: PartDetails
  readonly one: Replacement
  /** Missing if the record of its part was deleted. */
  readonly original: Original | undefined
  /** Bytes; null if unknown or the file doesn't exist. */
  readonly size: number | null
}) {
  const { details, one, original, size } = props
  const { input, part = details } = original ?? {}
  const { app, t } = useView()
  const { path, state } = one
  const place = placeOf(one)
  const name = baseName(place)
  const before = input?.size ?? null
  const why =
    state.kind === 'kept'
      ? keptSentence(state)
      : state.kind === 'restored'
        ? t.replacedJob.originalRestored
        : state.kind === 'replaced'
          ? lostSentence()
          : null
  const isReplaced = state.kind === 'replaced'
  const isChangeable = isReplaced || (state.kind === 'restored' && state.again)
  const change = (): void => void (isReplaced ? undoReplacing : replaceAgain)(app, details.id, [path])
  const label = isReplaced ? t.actions.undo : t.replacedJob.again
  const format = state.kind === 'kept' && state.why === 'lost' ? formatFor(state) : undefined
  const hasRemedy = format !== undefined || (state.kind === 'kept' && isReplaceable(state))
  return (
    <li class={`file-row ${why === null ? '' : 'two-line'} ${hasRemedy ? 'has-remedy' : ''}`}>
      <Thumbnail path={place} video={namedKindOf(place) === 'video'} small />
      <span class="row-text">
        <Name name={name} />
        {why !== null && <span class="hint original-reason">{why}</span>}
      </span>
      <span class="file-size">
        {size !== null && <SizeChange before={isReplaced ? before : null} now={size} />}
      </span>
      <span class="file-row-end">
        {isChangeable && (
          // Restoring and replacing again share one button, so that it keeps the focus.
          <Button
            kind="quiet"
            icon={isReplaced ? 'undo' : undefined}
            label={label}
            name={t.replacedJob.forOriginal({ action: label, name: baseName(path) })}
            onPress={change}
          />
        )}
        {state.kind === 'kept' && (
          <>
            <UseFormat id={part.id} paths={[path]} format={format} />
            {isReplaceable(state) && (
              <Button
                kind="quiet"
                label={t.replacedJob.anyway}
                name={t.replacedJob.forOriginal({ action: t.replacedJob.anyway, name: baseName(path) })}
                onPress={() => askToReplaceAnyway(app, part.id, path, lossesOf(state.result))}
              />
            )}
            <IconButton
              icon="reveal"
              label={t.actions.showInFolder}
              onPress={() => void app.attempt(app.bridge.files.reveal(path))}
            />
          </>
        )}
      </span>
    </li>
  )

  /** Whether the result is next to its original, which was kept only because something would be lost. */
  function isReplaceable({ why: reason, result }: KeptState): boolean {
    return reason === 'lost' && result !== null && !isInVault(result) && lossesOf(result).length > 0
  }

  /** "Lost in the result: pages"; null for an original that was replaced without losses. */
  function lostSentence(): string | null {
    const codes = lossesOf(place).map(({ code }) => code)
    return codes.length === 0 ? null : t.labeled(t.details.lost, lossKinds(codes, t))
  }

  function keptSentence({ why: reason, result, resultBytes }: KeptState): string {
    if (reason === 'notSmaller' && resultBytes !== null)
      return t.replacedJob.notSmallerThan({ size: t.size(resultBytes) })
    if (reason === 'lowQuality') {
      const { quality } = part.results.find(({ outputPath }) => outputPath === path) ?? {}
      return keptBelow(quality, t) ?? t.keptReasons.lowQuality
    }
    const what = lossKinds(
      lossesOf(result).map(({ code }) => code),
      t,
    )
    const isOnlyLost = reason === 'lost' && what !== ''
    const sentence = isOnlyLost ? t.replacedJob.keptLost({ what }) : t.keptReasons[reason]
    // A result that couldn't be moved next to its original stays in the vault, where the user can't open it.
    if (result === null || isInVault(result)) return sentence
    const withResult = t.replacedJob.resultNextToIt({ sentence })
    return isOnlyLost || what === '' ? withResult : t.sentences([withResult, t.labeled(t.details.lost, what)])
  }

  function formatFor({ result }: KeptState): KeepingFormat | undefined {
    if (result === null || input === undefined) return undefined
    return lossesOf(result)
      .map((loss) => keepingFormat(loss, input, { outputPath: result }))
      .find((format) => format !== undefined)
  }

  function lossesOf(result: string | null): readonly Loss[] {
    return part.results.find(({ outputPath }) => outputPath === result)?.losses ?? []
  }
}
