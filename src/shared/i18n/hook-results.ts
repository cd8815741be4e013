/** Describes the result of one attempt to run a program, or to send a request or a message, after a job. */
import type { HookResult } from '../model/after-job.ts'
import type { HookAction } from '../model/hook-state.ts'
import type { ViewTranslation } from './i18n.ts'

type Texts = ViewTranslation['hookResult']

/** "Ended with exit code 0" */
export function resultWords(
  result: HookResult,
  action: HookAction,
  { hookResult: texts }: Pick<ViewTranslation, 'hookResult'>,
): string {
  switch (result.kind) {
    case 'exited':
      return texts.exited({ code: String(result.code) })
    case 'signaled':
      return texts.signaled({ signal: result.signal })
    case 'timedOut':
      return action === 'program' ? texts.stopped : texts.silent
    case 'answered':
      return texts.answered({ status: String(result.status), reason: result.reason })
    case 'notReached':
      return texts.notReached({ code: result.code })
    case 'notStarted':
      return faultWords(result.fault, texts)
    case 'badUrl':
      return texts.badUrl
    case 'noAddress':
      return texts.noAddress
    case 'noKey':
      if (action === 'message' && result.trouble === 'missing') return texts.noKeychain
      return texts[result.trouble === 'locked' ? 'keyLocked' : 'keyMissing']
    case 'interrupted':
      return texts.interrupted
  }
}

const FAULTS = ['missing', 'notAFile', 'notRunnable', 'foreignOwner', 'writableByOthers'] as const

function faultWords(fault: string, texts: Texts): string {
  const known = FAULTS.find((one) => one === fault)
  return known === undefined ? texts.notStarted({ fault }) : texts[known]
}
