import type { Sink } from '../environment.ts'
import { shownSentence } from '../../../shared/paths.ts'
import { widthOf } from './columns.ts'
import { inThisLanguage, t } from './language.ts'
import { type CliEvent, type OutcomeEvent, type Report, type Step, wordsFor } from './events.ts'
import { keptLines, listWords, summaryLines } from './summaries.ts'
import { FEW, plainJson, printed, type Words } from './words.ts'

export type Verbosity = 'quiet' | 'usual' | 'verbose'

/** Events that `--quiet` hides because they only confirm or explain something. */
const QUIETED: ReadonlySet<CliEvent['event']> = new Set([
  'accepted',
  'checking',
  'service',
  'waiting',
  'watching',
])

const isQuieted = (event: CliEvent): boolean =>
  QUIETED.has(event.event) || (event.event === 'check' && event.outcome === 'passed')

type HumanReport = {
  readonly stdout: Sink
  readonly stderr: Sink
  readonly verbosity: Verbosity
  /** Whether the terminal understands the commands that redraw progress bars. */
  readonly redraws: boolean
}

/**
 * Renders events as text: results go to stdout and everything else to stderr. Unless `--quiet` is given, shows progress bars below the text
 * if stderr is a terminal that can redraw them.
 */
export function createHumanReport({ stdout, stderr, verbosity, redraws }: HumanReport): Report {
  const bars = createProgressBars(
    verbosity === 'quiet' || !redraws ? { ...stderr, columns: undefined } : stderr,
  )
  const isWhole = verbosity === 'verbose'
  const write = ({ to, lines }: Words) => {
    if (lines.length === 0) return
    bars.erase()
    const sink = to === 'stdout' ? stdout : stderr
    sink.write(printed(lines))
  }
  function say(event: CliEvent): void {
    const isShown =
      verbosity === 'quiet'
        ? !isQuieted(event) || ('skipped' in event && event.skipped.length > 0)
        : isWhole || event.event !== 'service'
    if (isShown) write(wordsFor(event, isWhole))
  }
  return {
    isLive: stderr.columns !== undefined,
    say: inThisLanguage(say),
    sayEach: (events) => listWords(events, isWhole).forEach(write),
    outcomes(count, canRepeat = true) {
      const isSummary = !isWhole && count > FEW
      const events: OutcomeEvent[] = []
      return {
        say(event) {
          events.push(event)
          if (!isSummary) say(event)
          return !isSummary
        },
        end() {
          if (isSummary) write({ to: 'stdout', lines: summaryLines(events) })
          write({ to: 'stderr', lines: keptLines(events, { isSummary, canRepeat }) })
        },
      }
    },
    progress: inThisLanguage((steps) => bars.draw(steps)),
  }
}

/** Writes one JSON object per line to stdout. Reports the progress of a step only when it has changed. */
export function createJsonReport(stdout: Sink): Report {
  const last = new Map<string, string>()
  const write = (value: unknown) => stdout.write(`${plainJson(value)}\n`)
  return {
    isLive: true,
    say: write,
    sayEach: (events) => events.forEach(write),
    outcomes: () => ({
      say(event) {
        write(event)
        return true
      },
      end: () => undefined,
    }),
    progress(steps) {
      for (const { what, share, remaining, detail } of steps) {
        const subject = JSON.stringify(what)
        const reading = JSON.stringify([share === null ? null : Math.floor(share * 100), detail])
        if (last.get(subject) === reading) continue
        last.set(subject, reading)
        const { kind: _, ...named } = what
        write({ event: 'progress', ...named, share, remainingMs: remaining, detail })
      }
      return steps.length > 0
    },
  }
}

/** Width of a progress bar in columns. In a narrow terminal, a shorter bar leaves room for the name. */
const BAR = 24
const NARROW_BAR = 8
const NARROW = 60
const MOST_LINES = 12

/** Creates progress bars that are redrawn at the bottom of a terminal. Writes nothing if the output isn't a terminal. */
export function createProgressBars(terminal: Sink) {
  let drawn = 0

  function erase() {
    if (drawn > 0) terminal.write(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }

  return {
    /** Replaces the displayed steps with these. @returns whether any line is visible */
    draw(steps: readonly Step[]): boolean {
      const { columns } = terminal
      if (columns === undefined) return false
      const shown = steps
        .slice(0, MOST_LINES)
        .map((step) => fitting(lineOf(step, columns < NARROW ? NARROW_BAR : BAR), columns - 1))
      if (steps.length > MOST_LINES)
        shown.push(t().fileReport.more({ names: '…', count: steps.length - MOST_LINES }))
      erase()
      terminal.write(shown.map((line) => `${line}\n`).join(''))
      drawn = shown.length
      return drawn > 0
    },
    /** Erases the progress bars. Call this before writing anything else. */
    erase,
  }
}

function lineOf({ label, share, remaining, detail }: Step, width: number): string {
  const filled = share === null ? 0 : Math.round(share * width)
  const bar = share === null ? '·'.repeat(width) : '█'.repeat(filled) + '░'.repeat(width - filled)
  const percent = share === null ? '    ' : `${String(Math.floor(share * 100)).padStart(3)}%`
  const eta = remaining === null ? '' : `  ${t().timeLeft(remaining)}`
  return `${bar} ${percent}  ${shownSentence(label)}  ${shownSentence(detail)}${eta}`
}

/** Shortens a line to a number of terminal columns. A line that wraps couldn't be erased. */
function fitting(line: string, columns: number): string {
  const characters = Array.from(line)
  const ends: number[] = []
  for (const character of characters) ends.push((ends.at(-1) ?? 0) + widthOf(character))
  if ((ends.at(-1) ?? 0) <= columns) return line
  return `${characters.filter((_, index) => (ends[index] ?? 0) < columns).join('')}…`
}
