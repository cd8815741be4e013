/** Validates losses from other processes, from the built-in service, and from the history. */
import * as z from 'zod'
import { isCoded } from '../failure/is-failure.ts'
import { losses } from '../i18n/en/losses.ts'
import { isLossCode, type Loss, type LossCode } from './loss.ts'

/** Accepts a loss with known codes and values of the right types. */
export const isLoss = (value: unknown): value is Loss =>
  isCoded(value, losses.loss) && 'why' in value && isCoded(value.why, losses.lossReason)

export const LossSchema = z.custom<Loss>(isLoss)

export const LossCodeSchema = z.custom<LossCode>(isLossCode)
