import type { Sink } from '../environment.ts'
import type { Report } from './event.ts'
import { createProgressBars } from './progress-bars.ts'
import { printed, wordsFor } from './words.ts'

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
