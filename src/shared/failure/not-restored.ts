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

export function notRestored(file: NotRestored): Failure {
  const name = baseName(file.path)
  if (file.why === 'away') return failure('vaultNotFound', { name, folder: file.folder })
  if (file.why === 'elsewhere') return failure('originalElsewhere', { name, folder: file.folder })
  if (file.why === 'dataFull') return failure('changeNotNoted', { name })
  if (file.why === 'gone') return failure('originalNotInVault', { name })
  return failure('originalNotRestored', { name, reason: reason(REASONS[file.why]) })
}

export const notReplacedAgain = (file: NotRestored): Failure => notReplaced(file, 'notReplacedAgain')

export const originalNotReplaced = (file: NotRestored): Failure => notReplaced(file, 'originalNotReplaced')

function notReplaced(file: NotRestored, code: 'notReplacedAgain' | 'originalNotReplaced'): Failure {
  const name = baseName(file.path)
  if (file.why === 'away') return failure('vaultNotFound', { name, folder: file.folder })
  if (file.why === 'elsewhere') return failure('originalElsewhere', { name, folder: file.folder })
  if (file.why === 'dataFull') return failure('changeNotNoted', { name })
  return failure(code, { name, reason: reason(REASONS[file.why]) })
}
