/** Says why an original couldn't be restored, or couldn't be replaced again. */
import type { Restored } from '../model/replacement.ts'
import { baseName } from '../paths.ts'
import { failure, reason, type Failure, type PlainReasonCode } from './failure.ts'

type NotRestored = Extract<Restored, { readonly kind: 'failed' }>

const REASONS: Readonly<Record<NotRestored['why'], PlainReasonCode>> = {
  away: 'diskAway',
  gone: 'notInVault',
  full: 'full',
  readOnly: 'folderNotWritable',
  changed: 'changedSince',
  other: 'unknown',
}

export function notRestored({ path, why }: NotRestored): Failure {
  const name = baseName(path)
  if (why === 'gone') return failure('originalNotInVault', { name })
  return failure('originalNotRestored', { name, reason: reason(REASONS[why]) })
}

export const notReplacedAgain = ({ path, why }: NotRestored): Failure =>
  failure('notReplacedAgain', { name: baseName(path), reason: reason(REASONS[why]) })
