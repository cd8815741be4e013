import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { jsonLines, startCommand, type ProcessOptions } from './command.ts'
import { withoutDelays } from './without-delays.ts'

/** Starts the real command, which is killed when the test ends, and collects what it writes. */
export function followCommand(argv: readonly string[], options: ProcessOptions) {
  const child = startCommand(argv, options)
  let written = ''
  let errors = ''
  child.stdout.on('data', (text: string) => (written += text))
  child.stderr.on('data', (text: string) => (errors += text))
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code)
  onTestFinished(() => void child.kill('SIGKILL'))
  const shown = () => withoutDelays(errors)
  const events = () => jsonLines(written.slice(0, written.lastIndexOf('\n') + 1))
  return {
    child,
    ended,
    events,
    errors: shown,
    /** Waits for an event. */
    until: (name: string) =>
      expect
        .poll(() => [events().some(({ event }) => event === name), shown()], { timeout: 60_000 })
        .toEqual([true, '']),
  }
}
