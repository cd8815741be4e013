/** Shows and empties the vaults with replaced originals. */
import { EXIT } from '../../../shared/command-end.ts'
import { lstat } from 'node:fs/promises'
import { NOTHING_HELD, type VaultTotals } from '../../../shared/model/replacement.ts'
import { sumOf } from '../../../shared/sum.ts'
import type { Line } from '../../core/index.ts'
import type { CliCommand, Context } from '../context.ts'
import { notice } from '../output/events.ts'
import { t } from '../output/language.ts'

/** Total size in bytes from which reading the files takes seconds. */
const LONG_BYTES = 1024 ** 3

/** Shows what the vaults hold, where they are, and how long they keep it. */
export const vault: CliCommand = async ({ line: core, report }) => {
  await core.replacing.recover()
  const totals = await totalsOf(core)
  report.say({ event: 'vault', ...totals, keepDays: core.vault.keepDays() })
  for (const folder of totals.unlisted) report.say(notice(t().originalsReport.unlisted({ folder })))
  return EXIT.done
}

/**
 * Permanently deletes the files in the vaults. Asks first unless `yes` is set. Keeps originals whose undo failed, unless `unrestored` is
 * set.
 */
export const emptyVault: CliCommand<{ readonly yes?: boolean; readonly unrestored?: boolean }> = async (
  context,
  { yes = false, unrestored: alsoUnrestored = false },
) => {
  const { line: core, report } = context
  await core.replacing.recover()
  const { files, bytes, unrestored } = await totalsOf(core)
  for (const { path } of unrestored)
    report.say(notice(t().originalsReport[alsoUnrestored ? 'unrestored' : 'unrestoredKept']({ path })))
  const kept = alsoUnrestored ? [] : unrestored
  const released: string[] = []
  if (files > kept.length) {
    const keptBytes = sumOf(kept.map((one) => one.bytes))
    if (!yes && !(await agrees(context, files - kept.length, bytes - keptBytes))) return EXIT.failed
    core.events.on('originalsReleased', (places) => void released.push(...places))
    if (bytes > LONG_BYTES) report.say(notice(t().originalsReport.reading))
    await core.replacing.empty(alsoUnrestored)
  }
  const left = await totalsOf(core)
  const releasedBytes = sumOf(await Promise.all(released.map(sizeOf)))
  report.say({
    event: 'vaultEmptied',
    files: files - left.files - released.length,
    bytes: Math.max(0, bytes - left.bytes - releasedBytes),
    away: left.away,
    left: left.files,
    unrestored: left.unrestored.map(({ path }) => path),
  })
  return left.files === 0 ? EXIT.done : EXIT.problems
}

const sizeOf = (path: string): Promise<number> =>
  lstat(path).then(
    ({ size }) => size,
    () => 0,
  )

const totalsOf = async ({ vault: held }: Line): Promise<VaultTotals> =>
  held.isUsed() ? held.totals() : NOTHING_HELD

async function agrees({ environment, report }: Context, files: number, bytes: number): Promise<boolean> {
  if (environment.confirm !== null) {
    const held = { files: t().count.files({ count: files }), size: t().size(bytes) }
    return environment.confirm(t().originalsReport.confirm(held))
  }
  report.say(notice(t().originalsReport.useYes))
  return false
}
