/** A service process that a test controls. It follows its owners like the real one. */
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { SpawnService } from '../../../src/main/connection/index.ts'
import type { ChildEnd } from '../../../src/node/child-process.ts'
import { followOwners, type FollowedOwners } from '../../../src/service/follow-owners.ts'
import type { ServiceJob } from '../../../src/shared/api/resources.ts'

export const SERVING = { baseUrl: 'http://127.0.0.1:4000/api', key: 'the-key' }

export type ScriptedProcess = {
  readonly args: readonly string[]
  /** What it was asked for, and what was done to it. */
  readonly asked: unknown[]
  /** Writes a line. */
  print(line: string): void
  /** Can be reached, and reports that. */
  listen(): Promise<void>
  jobEnded(): void
  /** Ends. @param jobs their last state, if it ends in good order */
  end(how?: Partial<ChildEnd>, jobs?: readonly ServiceJob[]): Promise<void>
}

/** @returns a function that starts processes in a folder, and those that it has started */
export function scriptedProcesses(dataDir: string) {
  const processes: ScriptedProcess[] = []
  const spawn: SpawnService = ({ args }) => {
    const stdout = new PassThrough()
    const ended = Promise.withResolvers<ChildEnd>()
    const asked: unknown[] = []
    let owners: FollowedOwners | undefined
    onTestFinished(() => owners?.closing())
    processes.push({
      args,
      asked,
      print: (line) => void stdout.write(`${line}\n`),
      async listen() {
        owners = await followOwners(dataDir, {
          version: args[args.indexOf('--owner') + 1] ?? '',
          serving: SERVING,
          steer: ({ hold, lowPriority }) => asked.push({ hold, lowPriority }),
          onEnd: () => asked.push('end'),
        })
        stdout.write('listening\n')
      },
      jobEnded: () => owners?.jobEnded(),
      async end(how, jobs = []) {
        owners?.closing()
        await owners?.end(jobs)
        ended.resolve({ code: 1, signal: null, stderrTail: 'broken', ...how })
      },
    })
    return {
      stdout,
      ended: ended.promise,
      terminate: () => asked.push('stdin closed'),
      kill: () => asked.push('kill'),
      release: () => asked.push('release'),
    }
  }
  return { processes, spawn }
}
