/** Does in another process what the parent asks for, with its own vault on the same journal. May kill itself at a step. */
import type { Vault } from '../../../src/main/vault/index.ts'
import { withFault } from './failing-steps.ts'
import { isGood, openTestVault } from './test-vault.ts'

export type Request = {
  readonly file: string
  readonly home: string
  /** ms since 1970 */
  readonly now: number
  readonly action: 'prepare' | 'replace' | 'cancel' | 'undo' | 'redo' | 'tidy' | 'empty' | 'close'
  readonly output: string
  readonly results: readonly (readonly [string, string | null])[]
  /** The outputs of jobs that may still end. */
  readonly open: readonly string[]
  /** Kills the process at this step; 0 for never. */
  readonly dieAt: number
}

export type Answer = {
  /** The error's text; null if the action succeeded. */
  readonly error: string | null
  /** The names of the steps that were taken. */
  readonly steps: readonly string[]
}

let vault: Vault | undefined
let openedFile = ''
let now = 0

async function act({ file, home, action, output, results, open }: Request): Promise<void> {
  if (action === 'close' || file !== openedFile) {
    await vault?.close()
    vault = undefined
    openedFile = ''
  }
  if (action === 'close') return
  openedFile = file
  vault ??= openTestVault({ file, home, clock: () => now })
  if (action === 'prepare') await vault.prepare(results.map(([path]) => path))
  else if (action === 'replace' || action === 'cancel')
    await vault.replaceAll(
      output,
      new Map(results.map(([path, result]) => [path, result ?? undefined])),
      action === 'cancel' ? 'cancelled' : isGood,
    )
  else if (action === 'undo') await vault.undo(output)
  else if (action === 'redo') await vault.redo(output)
  else if (action === 'empty') await vault.empty()
  else await vault.tidy((one) => open.includes(one))
}

process.on('message', (request: Request) => {
  now = request.now
  const steps: string[] = []
  const answer = (error: string | null): void => void process.send?.({ error, steps } satisfies Answer)
  void withFault(
    undefined,
    () => act(request),
    ({ name }) => {
      steps.push(name)
      if (steps.length === request.dieAt) process.kill(process.pid, 'SIGKILL')
    },
  ).then(
    () => answer(null),
    (error: unknown) => answer(error instanceof Error ? (error.stack ?? error.message) : ''),
  )
})
