/** What the window is told where there is nothing to show. */
import type { PreviewAnswer } from '../../media/protocol.ts'
import type { PreviewFailed, PreviewOvertaken } from '../../shared/model/preview.ts'
import type { NotMade } from './maker.ts'
import type { ViewerEnd } from './viewer.ts'

export const OVERTAKEN: PreviewOvertaken = { kind: 'overtaken' }

/** Nothing is known but that it failed: a process has ended, or the preset can't be read. */
export const UNKNOWN_FAILURE: PreviewFailed = { kind: 'failed', reason: null }

export function notMade(made: NotMade): PreviewFailed | PreviewOvertaken {
  switch (made.kind) {
    case 'failed':
      return made
    case 'stopped':
      return OVERTAKEN
    case 'ended':
      return UNKNOWN_FAILURE
  }
}

export function notShown(shown: PreviewAnswer | ViewerEnd): PreviewFailed | PreviewOvertaken {
  if (shown.kind === 'failed') return { kind: 'failed', reason: shown.reason }
  return shown.kind === 'overtaken' ? OVERTAKEN : UNKNOWN_FAILURE
}
