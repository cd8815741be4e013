/** Explains why an original couldn't be restored, or couldn't be replaced again. */
import type { Restored } from '../model/replacement.ts'
import { baseName } from '../paths.ts'
import { failure, reason, type Failure, type PlainReasonCode } from './failure.ts'

type NotRestored = Extract<Restored, { readonly kind: 'failed' }>

const REASONS: Readonly<
  Record<Exclude<NotRestored['why'], 'away' | 'elsewhere' | 'dataFull'>, PlainReasonCode>
> = {
  unreadable: 'entryUnreadable',
  gone: 'notInVault',
  full: 'full',
  readOnly: 'folderNotWritable',
  noFolder: 'folderMissing',
  changed: 'changedSince',
  other: 'unknown',
}

export const notRestored = (file: NotRestored): Failure =>
  file.why === 'gone'
    ? failure('originalNotInVault', { name: baseName(file.path) })
    : unchanged(file, 'originalNotRestored')

export const notReplacedAgain = (file: NotRestored): Failure => unchanged(file, 'notReplacedAgain')

export const originalNotReplaced = (file: NotRestored): Failure => unchanged(file, 'originalNotReplaced')

function unchanged(
  file: NotRestored,
  code: 'originalNotRestored' | 'notReplacedAgain' | 'originalNotReplaced',
): Failure {
  const name = baseName(file.path)
  if (file.why === 'away') return failure('vaultNotFound', { name, folder: file.folder })
  if (file.why === 'elsewhere') return failure('originalElsewhere', { name, folder: file.folder })
  if (file.why === 'dataFull') return failure('changeNotNoted', { name })
  return failure(code, { name, reason: reason(REASONS[file.why]) })
}
