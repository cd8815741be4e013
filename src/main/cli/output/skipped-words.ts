import { t } from './english.ts'
import type { EventOf } from './event.ts'

const count = (of: number): string => t.count.files({ count: of })

/** Describes files that a command leaves out: done ones, those in progress, and results. */
export function skippedLines({ files, left }: EventOf<'skipped'>): readonly string[] {
  const pending = files.filter(({ isPending }) => isPending === true).length
  const results = files.filter(({ isPending, resultOf }) => isPending !== true && resultOf !== null).length
  const done = files.length - pending - results
  return [
    ...(done === 0 ? [] : [doneLine(done, done === files.length && left === 0)]),
    ...(pending === 0
      ? []
      : [
          `Skipped ${count(pending)} already in progress. “outbox send” sends what still waits in the outbox.`,
        ]),
    ...(results === 0
      ? []
      : [`Skipped ${t.count.results({ count: results })} of earlier jobs with the same preset.`]),
    ...(left > 0 || done === files.length ? [] : ['There is nothing else to process.']),
  ]
}

function doneLine(done: number, isAll: boolean): string {
  const files = count(done)
  if (!isAll) return `Skipped ${files} already done.`
  return `Nothing to process: ${done === 1 ? 'the file is' : `all ${files} are`} already done.`
}
