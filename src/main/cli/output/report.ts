import type { Sink } from '../environment.ts'
import type { Report, Step } from './event.ts'
import { plain, printed, t, wordsFor } from './words.ts'

/** Words: results on stdout, the rest on stderr, with progress bars below where that is a terminal. */
export function createHumanReport(stdout: Sink, stderr: Sink): Report {
  const bars = createProgressBars(stderr)
  return {
    say(event) {
      bars.erase()
      const { to, lines } = wordsFor(event)
      const sink = to === 'stdout' ? stdout : stderr
      sink.write(printed(lines))
    },
    progress: (steps) => bars.draw(steps),
  }
}

/** One JSON object a line on stdout. Progress only where it has changed. */
export function createJsonReport(stdout: Sink): Report {
  const last = new Map<string, string>()
  const write = (value: unknown) => stdout.write(`${JSON.stringify(value)}\n`)
  return {
    say: write,
    progress(steps) {
      for (const { what, share, remaining, detail } of steps) {
        const subject = JSON.stringify(what)
        const reading = JSON.stringify([share === null ? null : Math.floor(share * 100), detail])
        if (last.get(subject) === reading) continue
        last.set(subject, reading)
        const { kind: _, ...named } = what
        write({ event: 'progress', ...named, share, remainingMs: remaining, detail })
      }
    },
  }
}

const BAR = 24
const MOST_LINES = 12

/** Lines at the bottom of a terminal that are drawn over again and again; nothing at all where there is no terminal. */
export function createProgressBars(terminal: Sink) {
  let drawn = 0

  function erase() {
    if (drawn > 0) terminal.write(`\u001b[${drawn}A\u001b[0J`)
    drawn = 0
  }

  return {
    draw(steps: readonly Step[]) {
      const { columns } = terminal
      if (columns === undefined) return
      const shown = steps.slice(0, MOST_LINES).map((step) => fitting(lineOf(step), columns - 1))
      if (steps.length > MOST_LINES) shown.push(`… and ${steps.length - MOST_LINES} more`)
      erase()
      terminal.write(shown.map((line) => `${line}\n`).join(''))
      drawn = shown.length
    },
    /** Before anything else is written. */
    erase,
  }
}

function lineOf({ label, share, remaining, detail }: Step): string {
  const filled = share === null ? 0 : Math.round(share * BAR)
  const bar = share === null ? '·'.repeat(BAR) : '█'.repeat(filled) + '░'.repeat(BAR - filled)
  const percent = share === null ? '    ' : `${String(Math.floor(share * 100)).padStart(3)}%`
  const eta = remaining === null ? '' : `  ${t.timeLeft(remaining)}`
  return `${bar} ${percent}  ${plain(label)}  ${plain(detail)}${eta}`
}

const fitting = (line: string, columns: number): string => {
  const characters = Array.from(line)
  return characters.length <= columns ? line : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`
}
