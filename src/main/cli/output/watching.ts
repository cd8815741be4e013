/** Events about watched folders and about waits. */
import { resultWords } from '../../../shared/i18n/hook-results.ts'
import { presetName } from '../../../shared/i18n/sentences.ts'
import { draftProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import type { DraftProblem } from '../../../shared/model/draft.ts'
import { isSuccess } from '../../../shared/model/hook-state.ts'
import type { QuietReason } from '../../../shared/model/quiet.ts'
import type { HookTried } from '../../core/index.ts'
import type { WatchTrouble } from '../../watch/index.ts'
import { t } from './language.ts'
import { err, someOf } from './words.ts'

/** Why files in a watched folder aren't processed. */
type Trouble = {
  readonly folder: string
  /**
   * `open`: a program has files open for writing. `retried`: files failed for a possibly temporary reason. `links`: links lead out of the
   * folder. `special`: pipes, sockets or devices. `empty`: files have stayed empty. `ignored`: files are hidden, or have names of
   * unfinished files. `repeated`: another watched folder is the same folder.
   */
  readonly kind:
    | Exclude<WatchTrouble['kind'], 'question'>
    | 'repeated'
    | 'open'
    | 'retried'
    | 'links'
    | 'special'
    | 'ignored'
    | 'empty'
  readonly files?: number
  readonly preset?: string
  readonly problems?: readonly DraftProblem[]
  /** The first paths that can't be read or processed. */
  readonly paths?: readonly string[]
  readonly error?: string
}

/** The reason for a wait; docs/cli.md lists the values. */
export type WaitReason =
  | 'service'
  | 'notAnswered'
  | 'queueFull'
  | 'sending'
  | 'otherProcess'
  | 'checking'
  | 'working'
  | 'unreadable'
  | 'notWritten'
  | 'keyRefused'
  | 'wrongVersion'
  | 'files'
  | 'hook'
  | 'key'
  | 'ending'
  | QuietReason

type Wait = { readonly reason: WaitReason; readonly message: string }

type Tried = Omit<HookTried, 'receiver'> & { readonly receiver?: string }

export const watchEvents = {
  watching: ({ folders }: { readonly folders: readonly string[] }) =>
    err(t().folderReport.watching({ folders: t().listed(folders) })),
  watchTrouble: (event: Trouble) => err(troubleLine(event)),
  /** `blocked` explains why `watch` can't process files now; `unblocked` reports that it can process files again. */
  blocked: ({ message }: Wait) => err(message),
  unblocked: () => err(t().folderReport.unblocked),
  /** `receiver` is the ID of the receiver of a message. */
  hook: ({ job, action, result, tries, nextAt }: Tried) => {
    const texts = t().folderReport
    if (isSuccess(result)) return err(`${job}  ${texts[`${action}Done`]}`)
    const failed = texts[`${action}Failed`]({ tries, why: resultWords(result, action, t()) })
    return err(`${job}  ${t().sentences([failed, nextAt === null ? texts.hookGivenUp : texts.hookAgain])}`)
  },
  /** Explains why nothing has been reported for a while. */
  waiting: ({ message }: Wait) => err(message),
  notice: ({ message }: { readonly message: string }) => err(message),
}

function troubleLine(event: Trouble): string {
  const { folder, kind, files: count = 0, preset = '', problems = [], paths = [], error = '' } = event
  const texts = t().folderReport
  const missing = (name: string) =>
    count === 0
      ? texts.noPreset({ folder, preset: name })
      : texts.presetMissing({ folder, preset: name, count })
  switch (kind) {
    case 'missing':
    case 'notFolder':
    case 'foreignLink':
    case 'repeated':
      return texts[kind]({ folder })
    case 'unreadable':
      if (count === 0) return texts.unreadable({ folder })
      return texts.unreadableFiles({ folder, count, names: someOf(paths, count) })
    case 'presetMissing':
      return missing(presetName(preset, t()))
    case 'notStarted': {
      const reason = t().sentences(problems.map((problem) => draftProblemSentence(problem, t())))
      return texts.notStarted({ folder, reason })
    }
    case 'notTaken':
      return texts.notTaken({ folder, reason: error })
    default:
      return texts[kind]({ folder, count, names: someOf(paths, count) })
  }
}
