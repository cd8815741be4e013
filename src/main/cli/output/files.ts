/** Events about files that aren't submitted, and about estimates, losses and totals of results. */
import { estimatedRange, estimatedShare, estimatedSize } from '../../../shared/i18n/estimates.ts'
import { foreseenLines } from '../../../shared/i18n/losses.ts'
import { presetName } from '../../../shared/i18n/sentences.ts'
import { draftProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import type { Foreseen } from '../../../shared/loss/foreseen.ts'
import type { DoneFile } from '../../../shared/model/done-files.ts'
import type { DraftProblem } from '../../../shared/model/draft.ts'
import type { Estimate } from '../../../shared/model/estimate.ts'
import type { RejectedItem } from '../../../shared/model/media-item.ts'
import type { Totals } from '../../../shared/model/saved.ts'
import { t } from './language.ts'
import { err, out, someOf } from './words.ts'

type NotTaken = { readonly item: RejectedItem }

type EstimatedSize = {
  readonly forecast: Estimate | null
  readonly preset?: string
  /** Whether each file has several results. If so, their total size isn't shown as a share of the file's size. */
  readonly isMultiplied?: true
  /** Missing if nothing is known to be lost. */
  readonly wouldLose?: Foreseen
}

export const fileEvents = {
  /** A file that can't be used although it was named or found in a named folder. */
  notTaken: ({ item }: NotTaken) =>
    err(t().fileReport.notTaken({ file: item.path, reason: t().rejections[item.reason] })),
  /**
   * Files that aren't submitted because jobs have processed them, will process them, or created them. `left`: number of remaining files.
   */
  skipped: ({ files, left }: { readonly files: readonly DoneFile[]; readonly left: number }) => {
    const pending = files.filter(({ isPending }) => isPending === true).length
    const results = files.filter(({ isPending, resultOf }) => isPending !== true && resultOf !== null).length
    const done = files.length - pending - results
    if (done === files.length && left === 0) return err(t().draftProblems.nothingToProcess({ count: done }))
    return err(
      ...(done === 0 ? [] : [t().fileReport.done(counted(done))]),
      ...(pending === 0 ? [] : [t().fileReport.pending(counted(pending))]),
      ...(results === 0 ? [] : [t().fileReport.results({ results: t().count.results({ count: results }) })]),
      ...(left > 0 || done === files.length ? [] : [t().fileReport.nothingElse]),
    )
  },
  /** Why nothing was submitted. */
  notPossible: ({ problem }: { readonly problem: DraftProblem }) =>
    err(t().fileReport.notSubmitted({ reason: draftProblemSentence(problem, t()) })),
  /** Totals of all results that Mediatray has measured. */
  stats: ({ files, inputBytes, resultBytes, saved }: Totals) => {
    if (files === 0) return out(t().fileReport.nothingMeasured)
    const [before, after] = [t().size(inputBytes), t().size(resultBytes)]
    return out(
      t().fileReport.saved({ count: saved.files, size: t().size(saved.bytes) }),
      t().fileReport.processed({ count: files, before, after }),
    )
  },
  /**
   * The estimate is null if the preset doesn't apply to any of the files. With several presets, each has its own event, and a final event
   * without `preset` has the total.
   */
  forecast: ({ forecast: estimate, preset, isMultiplied, wouldLose }: EstimatedSize) => {
    const line = (text: string) => ofPreset(preset, text)
    if (estimate === null) return err(line(t().fileReport.notForThese))
    if (estimate.kind === 'unknown') return err(line(t().sentence(t().unknownSize[estimate.why])))
    const range = estimatedRange(estimate, t())
    const words = {
      size: estimatedSize(estimate, t()),
      share: estimatedShare(estimate, isMultiplied === true, t()),
    }
    return out(
      line(range === '' ? t().fileReport.estimate(words) : t().fileReport.estimateIn({ ...words, range })),
      ...(wouldLose === undefined ? [] : lostAhead(wouldLose, preset)),
    )
  },
  /**
   * What the results of a submission will lose, as far as the files' headers show. `preset` is set only if the submission has several
   * presets.
   */
  foreseen: ({ wouldLose, preset }: { readonly wouldLose: Foreseen; readonly preset?: string }) =>
    err(...lostAhead(wouldLose, preset)),
}

const counted = (count: number) => ({ files: t().count.files({ count }) })

/** Adds the preset to the text. @param preset one of several presets; undefined for the only one or the total */
const ofPreset = (preset: string | undefined, text: string): string =>
  preset === undefined ? text : t().fileReport.ofPreset({ preset: presetName(preset, t()), text })

const lostAhead = (foreseen: Foreseen, preset: string | undefined): readonly string[] =>
  foreseenLines(foreseen, t()).map((line, index) => (index === 0 ? ofPreset(preset, line) : `  ${line}`))

/** Returns one summary for each reason. */
export const notTakenSummaries = (events: readonly NotTaken[]) =>
  [...Map.groupBy(events, ({ item }) => item.reason)].map(([reason, some]) =>
    err(
      t().fileReport.notTakenMany({
        files: t().count.files({ count: some.length }),
        reason: t().rejections[reason],
        names: someOf(some.map(({ item }) => item.path)),
      }),
    ),
  )
