import type { Sink } from '../environment.ts'
import type { Report } from './event.ts'

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
