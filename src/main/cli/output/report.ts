import type { Sink } from '../environment.ts'
import type { Report, Step, Words } from './event.ts'
import { shownText } from '../../../shared/paths.ts'
import { listWords, plainJson, printed, t, wordsFor } from './words.ts'

/**
 * Renders events as text: results go to stdout and everything else to stderr. If stderr is a terminal, progress bars are shown
 * below the text.
 */
export function createHumanReport(stdout: Sink, stderr: Sink, verbose: boolean): Report {
  const bars = createProgressBars(stderr)
  const write = ({ to, lines }: Words) => {
    bars.erase()
    const sink = to === 'stdout' ? stdout : stderr
    sink.write(printed(lines))
  }
  return {
    say(event) {
      if (verbose || event.event !== 'service') write(wordsFor(event))
    },
    sayEach: (events) => listWords(events).forEach(write),
    progress: (steps) => bars.draw(steps),
  }
}

/** Writes one JSON object per line to stdout. Reports a step's progress only when it has changed. */
export function createJsonReport(stdout: Sink): Report {
  const last = new Map<string, string>()
  const write = (value: unknown) => stdout.write(`${plainJson(value)}\n`)
  return {
    say: write,
    sayEach: (events) => events.forEach(write),
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

const BAR = 24
const MOST_LINES = 12

/** Redraws progress bars at the bottom of a terminal. Writes nothing if the output isn't a terminal. */
export function createProgressBars(terminal: Sink) {
  let drawn = 0

  function erase() {
    if (drawn > 0) terminal.write(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }

  return {
    /** @returns whether any line is visible */
    draw(steps: readonly Step[]): boolean {
      const { columns } = terminal
      if (columns === undefined) return false
      const shown = steps.slice(0, MOST_LINES).map((step) => fitting(lineOf(step), columns - 1))
      if (steps.length > MOST_LINES) shown.push(`… and ${steps.length - MOST_LINES} more`)
      erase()
      terminal.write(shown.map((line) => `${line}\n`).join(''))
      drawn = shown.length
      return drawn > 0
    },
    /** Erases the progress bars. Call this before writing anything else. */
    erase,
  }
}

function lineOf({ label, share, remaining, detail }: Step): string {
  const filled = share === null ? 0 : Math.round(share * BAR)
  const bar = share === null ? '·'.repeat(BAR) : '█'.repeat(filled) + '░'.repeat(BAR - filled)
  const percent = share === null ? '    ' : `${String(Math.floor(share * 100)).padStart(3)}%`
  const eta = remaining === null ? '' : `  ${t.timeLeft(remaining)}`
  return `${bar} ${percent}  ${shownText(label)}  ${shownText(detail)}${eta}`
}

const fitting = (line: string, columns: number): string => {
  const characters = Array.from(line)
  return characters.length <= columns ? line : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`
}
