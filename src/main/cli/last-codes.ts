/** Collects the exit codes of a run's jobs. For each file and preset, only the last job counts, because a run may process a file again. */
import { EXIT, type ExitCode } from '../../shared/command-end.ts'
import type { PartDetails } from '../../shared/model/job.ts'

export function createLastCodes() {
  let noted: readonly {
    readonly preset: string | null
    readonly codes: readonly ExitCode[]
    /** Paths of the files whose problems no later job has fixed; null if they aren't known. */
    readonly left: readonly string[] | null
  }[] = []
  let isAnyDone = false

  return {
    /**
     * Adds the codes of an ended job. Earlier codes no longer count for files that this job has processed without problems.
     * @param troubled paths of the inputs with problems; empty if they aren't known
     */
    note(
      { inputs, preset }: Pick<PartDetails, 'inputs' | 'preset'>,
      codes: readonly ExitCode[],
      troubled: readonly string[],
    ): void {
      const good = new Set(inputs.map(({ path }) => path))
      for (const path of troubled) good.delete(path)
      noted = noted
        .map((one) =>
          one.preset === preset ? { ...one, left: one.left?.filter((path) => !good.has(path)) ?? null } : one,
        )
        .filter(({ left }) => left?.length !== 0)
      if (codes.every((code) => code === EXIT.done)) isAnyDone = true
      else noted = [...noted, { preset, codes, left: troubled.length === 0 ? null : troubled }]
    },
    list: (): readonly ExitCode[] => [
      ...(isAnyDone ? [EXIT.done] : []),
      ...noted.flatMap(({ codes }) => codes),
    ],
  }
}
