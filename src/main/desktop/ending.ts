/** The end of the app: once, in order, and not cut short by a second wish to quit. */
import { app } from 'electron'
import { quitsWithLastWindow, whatClosingDoes, type ClosingFacts } from './windows/main-window.ts'

export interface Ending {
  closingDoes(facts: Omit<ClosingFacts, 'isQuitting'>): 'hide' | 'quit'
  quitsWithLastWindow(facts: Omit<ClosingFacts, 'isQuitting'>): boolean
  /** Begins to listen: when the app is to quit, each step is taken after the one before is over. */
  inOrder(steps: readonly (() => void | Promise<void>)[]): void
}

export function createEnding(log: (message: string) => void): Ending {
  let isQuitting = false

  async function end(steps: readonly (() => void | Promise<void>)[]): Promise<void> {
    for (const step of steps) {
      try {
        await step()
      } catch (error) {
        // A part that can't end must not keep the others from ending.
        log(`a part of the app did not end in order: ${String(error)}`)
      }
    }
  }

  return {
    closingDoes: (facts) => whatClosingDoes({ ...facts, isQuitting }),
    quitsWithLastWindow: (facts) => quitsWithLastWindow({ ...facts, isQuitting }),
    inOrder(steps) {
      app.on('before-quit', (event) => {
        if (isQuitting) return
        event.preventDefault()
        isQuitting = true
        void end(steps).then(() => app.quit())
      })
    },
  }
}
