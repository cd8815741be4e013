import type { QuietReason, QuietView } from '../src/shared/model/quiet.ts'

/** Quiet mode while it holds jobs back. */
export const waitingFor = (reason: QuietReason, until: number | null = null): QuietView => ({
  wait: { reason, until },
  abilities: { battery: 'present', idle: true },
})
